import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import type * as Detect from "../../server/detect";
import type * as Reading from "../../server/configs/read";
import type * as WayBack from "../../server/configs/wayBack";
import type { BudgetTarget, Fact } from "../../server/budget/budget";
import type * as Sources from "../../server/sources/read";
import { splice } from "../../server/syntax/text";
import { memoryHost } from "../runs/memoryHost";
import { ScratchCopy } from "../scratch";

/** The worked example of docs/adding-a-framework.md, done as it is printed in a copy of the project. */
const root = fileURLToPath(new URL("../../", import.meta.url));
const page = readFileSync(join(root, "docs/adding-a-framework.md"), "utf8");
const [config, declaration, line, golden] = [...page.matchAll(/```(\w+)\n([\s\S]*?)```/g)].map((match) => match[2]);

interface Expected {
  readonly framework: string;
  readonly experiments: readonly [
    Record<string, unknown> & { source: Record<string, string>; at: Record<string, string> },
  ];
  readonly diagnostics: readonly string[];
  readonly edits: readonly {
    target: BudgetTarget;
    changes: string[];
    remainder?: string[];
    after?: Record<string, unknown>;
  }[];
}
const expected = parse(golden) as Expected;

const copy = new ScratchCopy([
  ...["server", "scripts", "extension", "schemas", "docs", "l10n"],
  ...["README.md", "package.json", "package.nls.json"],
]);
let engine: typeof Detect & typeof Reading & typeof WayBack & typeof Sources;

beforeAll(async () => {
  copy.add("server/frameworks/gardener.ts", declaration);
  // The one line, as the page prints it: an entry of the list, with its import.
  const list = copy.text("server/frameworks/index.ts");
  copy.add(
    "server/frameworks/index.ts",
    `import { gardener } from "./gardener";\n${list.replace("\n];", `\n${line}];`)}`,
  );
  execFileSync(process.execPath, ["scripts/generate.mjs"], { cwd: copy.folder, stdio: "pipe" });
  engine = await copy.load(
    'export * from "./server/detect";',
    'export * from "./server/configs/read";',
    'export * from "./server/configs/wayBack";',
    'export * from "./server/sources/read";',
  );
}, 120_000);
afterAll(() => copy.remove());

async function read(text: string) {
  const document = await engine.readConfig({ uri: "file:///w/beds.yaml", text, readText: async () => undefined });
  const [experiment] = document.experiments;
  const facts: Record<string, Fact<string | number>> = {
    ...experiment.axes,
    ...(experiment as unknown as Record<string, Fact<string | number>>),
    model: experiment.model.name,
  };
  return { document, facts };
}

describe("a framework is one file and one line", () => {
  test("its config wakes the editor, and did not before", async () => {
    const { documentKind } = await import("../../server/detect");
    expect(documentKind("file:///w/beds.yaml", "yaml", config)).toBeNull();
    expect(engine.documentKind("file:///w/beds.yaml", "yaml", config)).toBe("framework");
  });

  test("it is read as its fixture says", async () => {
    const { document, facts } = await read(config);
    expect(document.framework).toBe(expected.framework);
    const { source, at, ...values } = expected.experiments[0];
    for (const [key, value] of Object.entries(values)) expect({ [key]: facts[key].value }).toEqual({ [key]: value });
    for (const [key, name] of Object.entries(source)) expect((facts[key] as { source: string }).source).toBe(name);
    for (const [key, text] of Object.entries(at)) {
      const { span } = facts[key] as { span: { start: number; end: number } };
      expect(config.slice(span.start, span.end)).toBe(text);
    }
    expect(document.diagnostics.map((one) => one.code)).toEqual(expected.diagnostics);
  });

  test.each(expected.edits)("it is edited: $target", async ({ target, changes, remainder, after }) => {
    const { document } = await read(config);
    const plan = engine.planEdits(document, 0, target);
    expect(plan.edits.map((one) => `${one.path}: ${one.from} -> ${one.to}`)).toEqual(changes);
    expect(plan.remainder.map((one) => one.axis)).toEqual(remainder ?? []);
    const again = await read(
      splice(
        config,
        plan.edits.map((one) => ({ span: one.span, newText: one.to })),
      ),
    );
    for (const [key, value] of Object.entries(after ?? {}))
      expect({ [key]: again.facts[key].value }).toEqual({ [key]: value });
  });

  test("its logs are read, by the metric of its sheet", async () => {
    const rows = [10, 20, 30].map((step) => JSON.stringify({ step, "harvest/apples/ripe": 0.25, pests: 3 }));
    const host = memoryHost({ "runs/a/metrics.jsonl": `${rows.join("\n")}\n`, "runs/a/beds.yaml": config });
    const { rows: runs } = await engine.readRuns(host, [host.uri("runs")]);
    expect(runs.map((run) => run.outcome)).toMatchObject([{ kind: "rate", rate: 0.25 }]);
  });

  test("the README and the page of frameworks name it", () => {
    expect(copy.text("README.md")).toContain("Gardener");
    expect(copy.text("docs/frameworks.md")).toContain("| [Gardener](https://example.org/gardener) | `garden.beds`");
  });

  test("what is generated is current here, and said where it is not", () => {
    const check = (cwd: string) =>
      execFileSync(process.execPath, ["scripts/generate.mjs", "--check"], { cwd, stdio: "pipe" });
    expect(() => check(copy.folder)).not.toThrow();
    copy.add("server/signs.ts", "export const WORDS = {};\n");
    expect(() => check(copy.folder)).toThrow(/server\/signs\.ts is not current/);
  }, 240_000);
});
