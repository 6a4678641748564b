import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { packTrees, unpackTrees } from "../../server/syntax/packedTree";
import type { TreeNode } from "../../server/syntax/tree";
import { packed, unpacked } from "../../server/configs/packed";
import { readConfig } from "../../server/configs/read";
import { readScalingFile } from "../../server/configs/scaling/scalingFile";
import { planEdits } from "../../server/configs/wayBack";

const root = "test/fixtures/configs";
const files = readdirSync(root, { recursive: true, encoding: "utf8" })
  .filter(
    (name) => /\.(ya?ml|toml|json)$/.test(name) && !/golden/.test(name) && statSync(join(root, name)).size < 50_000,
  )
  .sort();

it("what is read in a worker crosses whole, and is edited as if it had been read here", async () => {
  expect(files.length).toBeGreaterThan(10);
  let judged = 0;
  for (const name of files) {
    const uri = `file:///w/${name}`;
    const text = readFileSync(join(root, name), "utf8");
    const here = await readConfig({ uri, text, readText: () => Promise.resolve(undefined) });
    const there = unpacked(structuredClone(packed(here)), uri, text);
    if (here.origins.length === 0) expect(there.syntax).toEqual(here.syntax);
    expect(there.diagnostics).toEqual(here.diagnostics);
    expect(there.origins.map(({ config }) => config.variant)).toEqual(here.origins.map(({ config }) => config.variant));
    for (const [index, experiment] of here.experiments.entries()) {
      judged++;
      const other = there.experiments[index];
      expect({ ...other, rules: [] }).toEqual({ ...experiment, rules: [] });
      const values = { promptsPerStep: 3, groupSize: 1, steps: 7 } as unknown as Parameters<
        (typeof experiment.rules)[number]["holds"]
      >[0];
      expect(other.rules.map((rule) => [rule.id, rule.message, rule.holds(values)])).toEqual(
        experiment.rules.map((rule) => [rule.id, rule.message, rule.holds(values)]),
      );
      const target = { groupSize: 16, tasks: 512, trajectories: 32 };
      expect(planEdits(there, index, target)).toEqual(planEdits(here, index, target));
    }
  }
  expect(judged).toBeGreaterThan(10);
});

it.each(["1e999", ".inf", "-.inf", ".nan"])("where every amount is %s nothing is lost on the way", async (odd) => {
  const stated = `facts:\n  - files: "**"\n    environments: ${odd}\n    tokens_per_trajectory: 7\n`;
  const facts = readScalingFile("file:///w/scaling.yaml", stated);
  for (const name of files.filter((_, index) => index % 7 === 0)) {
    const text = readFileSync(join(root, name), "utf8").replace(/([:=]\s*)\d[\d.e_]*\b/g, `$1${odd}`);
    const uri = `file:///w/${name}`;
    const here = await readConfig({ uri, text, facts, readText: () => Promise.resolve(undefined) });
    const { experiments, ...there } = unpacked(packed(here), uri, text);
    expect(there).toMatchObject({ facts: here.facts, diagnostics: here.diagnostics });
    expect(experiments.map((one) => ({ ...one, rules: [] }))).toEqual(
      here.experiments.map((one) => ({ ...one, rules: [] })),
    );
  }
});

it("a tree crosses with its odd values and rare parts, and what is shared crosses once", () => {
  const span = { start: 3, end: 9 };
  const at = (value: number | string | boolean | null, more: object = {}): TreeNode => ({
    kind: "scalar",
    value,
    text: String(value),
    span,
    editable: true,
    ...more,
  });
  let shared: TreeNode = { kind: "list", items: [at(1), at("x", { text: "'x'" })], span, count: 7 };
  for (let i = 0; i < 60; i++) shared = { kind: "list", items: [shared, shared], span };
  const root: TreeNode = {
    kind: "map",
    span,
    callee: "f",
    file: "file:///base.yaml",
    entries: [NaN, Infinity, -Infinity, -0, 1.5, "", null, true].map((value, i) => ({
      key: i === 3 ? "__proto__" : `k${i}`,
      keySpan: span,
      value: at(value, i === 1 ? { editable: false, whyNot: "no", from: [span], via: "v" } : { text: `t${i}` }),
    })),
  };
  const unknown: TreeNode = { kind: "unknown", reason: "unset", span };
  const [a, b, c] = unpackTrees(packTrees([root, shared, unknown]));
  expect(a).toEqual(root);
  expect(c).toEqual(unknown);
  // As deep and as wide as it was, and no larger.
  expect(b.kind === "list" && b.items[0] === b.items[1]).toBe(true);
  expect(packTrees([shared]).length).toBeLessThan(2000);
});
