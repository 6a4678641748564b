import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { packed, planEdits, readConfig, unpacked } from "../../server/configs/read";

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
    expect(there.diagnostics).toEqual(here.diagnostics);
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
