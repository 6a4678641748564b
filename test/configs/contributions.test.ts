import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { readConfig } from "../../server/configs/read";
import { readNativeBudget } from "../../server/configs/native/budget";
import { BUDGET_KEYS, fieldDocs, SCALING_KEYS, type KeyDoc } from "../../server/configs/schema/describe";
import { readQuery } from "../../server/configs/cells/read";
import { readScalingFile } from "../../server/configs/scaling/scalingFile";
import { parseYaml } from "../../server/syntax/yaml/yaml";
import { currentDocs, currentSchemas, printed } from "../../scripts/schemas.mjs";

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

describe("contributed JSON Schemas", () => {
  test("are those of the schemas in the code (npm run generate writes them)", async () => {
    for (const [name, schema] of Object.entries(await currentSchemas()))
      expect(read(`schemas/${name}`), name).toBe(printed(schema));
  });

  test("and so are the tables of keys in docs/files.md", async () => {
    expect(await currentDocs(read("docs/files.md"))).toBe(read("docs/files.md"));
  });

  test("the values that docs/files.md shows can be written", () => {
    const table = read("docs/files.md").split("## Values")[1].split("An optimisation")[0];
    const written = table
      .split("\n")
      .filter((line) => line.startsWith("| `"))
      .flatMap((line) => [...line.split("|")[1].matchAll(/`([^`]+)`/g)].map(([, value]) => value));
    expect(written.length).toBeGreaterThan(20);
    for (const value of written) {
      const { experiments, diagnostics } = readScalingOrBudget(value);
      expect({ value, experiments, diagnostics }).toEqual({ value, experiments: 1, diagnostics: [] });
    }
  });

  test("the examples of docs/files.md are read without a complaint", async () => {
    const [budget, several, scaling] = [...read("docs/files.md").matchAll(/```yaml\n([\s\S]*?)```/g)].map(
      ([, text]) => text,
    );
    for (const text of [budget, several])
      expect(
        (await readConfig({ uri: "file:///w/x.budget.yaml", text, readText: async () => undefined })).diagnostics,
      ).toEqual([]);
    expect(readScalingFile("file:///w/scaling.yaml", scaling).diagnostics).toEqual([]);
  });

  test("describe every key in a sentence", () => {
    const visit = (docs: readonly KeyDoc[]): void =>
      docs.forEach((doc) => {
        expect(doc.description, doc.key).toMatch(/^\S.*[.?]$/s);
        visit(doc.children);
      });
    visit(BUDGET_KEYS);
    visit(SCALING_KEYS);
    expect(fieldDocs("budget")["budget.trajectories"]).toContain("rollouts per covered");
    expect(fieldDocs("scaling")["prices.synthetic.task"]).toContain("synthetic");
  });
});

/** Each value where its unit belongs. */
function readScalingOrBudget(value: string): { experiments: number; diagnostics: readonly unknown[] } {
  const key = /USD\/h|\/h$/.test(value) ? "price" : /FLOPS|FLOP\/s/.test(value) ? "peak" : null;
  if (key !== null)
    return {
      experiments: 1,
      diagnostics: readScalingFile("file:///w/scaling.yaml", `hardware: { ${key}: ${value} }\n`).diagnostics,
    };
  const place = /FLOPs|GPU|USD|\$/.test(value)
    ? `compute: ${value}\nbudget: {}`
    : value === "40 %"
      ? `coverage: ${value}\nbudget: {}`
      : `budget:\n  tasks: ${value}`;
  const syntax = parseYaml(`name: x\ndesign: nested\n${place}\n`, { dialect: "1.2" });
  const reading = readNativeBudget(syntax, "x");
  return { experiments: reading.experiments.length, diagnostics: [...syntax.diagnostics, ...reading.diagnostics] };
}

interface Snippet {
  readonly prefix: string | readonly string[];
  readonly body: string | readonly string[];
  readonly description: string;
}

/** What is left in the file when every placeholder is accepted as it is; choices take the option asked for. */
function accepted(snippet: Snippet, choice: number): string {
  const body = typeof snippet.body === "string" ? snippet.body : snippet.body.join("\n");
  return body
    .replace(/\$\{\d+\|([^|]+)\|\}/g, (_, options: string) => options.split(",")[choice % options.split(",").length])
    .replace(/\$\{\d+:([^}]*)\}/g, "$1")
    .replace(/\$\d+/g, "");
}

const snippets = (file: string): [string, Snippet][] =>
  Object.entries(JSON.parse(read(`snippets/${file}.json`)) as Record<string, Snippet>);
/** Snippets for a part are completed to a whole file. */
const SPLIT = "name: x\nmodel: Qwen3-8B\ndesign: nested\nbudget: { tasks: 2000, trajectories: 16 }\n";

describe("what a snippet writes is read without a complaint", () => {
  test.each(snippets("budget"))("budget: %s", async (_name, snippet) => {
    for (const choice of [0, 1, 2, 3, 4]) {
      const body = accepted(snippet, choice);
      const text = body.includes("budget:\n")
        ? body
        : /^(worlds|structures)/.test(body)
          ? SPLIT.replace("trajectories: 16 }", `trajectories: 16, ${body.replace("\n", ", ")} }`)
          : SPLIT + body;
      expect(
        (await readConfig({ uri: "file:///w/x.budget.yaml", text, readText: async () => undefined })).diagnostics,
      ).toEqual([]);
    }
    expect(snippet.description.length).toBeGreaterThan(10);
  });

  test.each(snippets("scaling"))("scaling.yaml: %s", (_name, snippet) => {
    for (const choice of [0, 1, 2, 3])
      expect(readScalingFile("file:///w/scaling.yaml", accepted(snippet, choice)).diagnostics).toEqual([]);
    expect(snippet.description.length).toBeGreaterThan(10);
  });

  test.each(snippets("query"))("fit cell: %s", (_name, snippet) => {
    for (const choice of [0, 1, 2, 3]) expect(readQuery(accepted(snippet, choice)).diagnostics).toEqual([]);
    expect(snippet.description.length).toBeGreaterThan(10);
  });
});
