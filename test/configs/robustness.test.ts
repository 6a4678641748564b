import fc from "fast-check";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parseSyntax } from "../../server/configs/parse";
import { readConfig } from "../../server/configs/read";
import { planEdits } from "../../server/configs/wayBack";
import { readScalingFile } from "../../server/configs/scaling/scalingFile";
import type { MapNode, SyntaxDocument, TreeNode } from "../../server/syntax/tree";
import { grammars } from "./grammars";
import { cpuTime } from "../cpu";

const root = new URL("../fixtures/configs/", import.meta.url);
const fixtures = ["yaml", "toml", "json", "native", "scaling", "bases"].flatMap((folder) =>
  (readdirSync(new URL(`${folder}/`, root), { recursive: true }) as string[])
    .map((name) => `${folder}/${name}`)
    .filter(
      (name) =>
        !name.endsWith(".golden.txt") && /\.(ya?ml|toml|json)$/.test(name) && statSync(new URL(name, root)).isFile(),
    )
    .map((name) => ({ name: name.slice(name.lastIndexOf("/") + 1), text: readFileSync(new URL(name, root), "utf8") })),
);

/** Every span lies in the text, and every key's span before its value's, whatever was read. */
function checkTree(document: SyntaxDocument, length: number): number {
  let nodes = 0;
  const inside = (span: { start: number; end: number }): void => {
    if (span.start < 0 || span.end < span.start || span.end > length)
      throw new Error(`span ${span.start}–${span.end} outside 0–${length}`);
  };
  const visit = (node: TreeNode): void => {
    nodes++;
    if (node.file === undefined) inside(node.span);
    if (node.kind === "map")
      for (const entry of node.entries) {
        inside(entry.keySpan);
        visit(entry.value);
      }
    if (node.kind === "list") node.items.forEach(visit);
  };
  for (const variant of document.variants) {
    visit(variant.root);
    inside(variant.anchor);
  }
  for (const diagnostic of document.diagnostics) inside(diagnostic.span);
  return nodes;
}

const junk = fc.constantFrom(
  "",
  ":",
  ": ",
  "{",
  "}",
  "[",
  "]",
  '"',
  "'",
  "\t",
  "\n",
  "\r\n",
  "- ",
  "#",
  "&a ",
  "*a",
  "<<: ",
  "|",
  ">",
  "---\n",
  "!x ",
  "<<<<<<< a\n",
  "=======\n",
  ">>>>>>> b\n",
  "${",
  "}",
  "=",
  "[[a]]",
  '"""',
  "\u0000",
  "\uFEFF",
  "é",
  "\u{1F600}",
  "%",
  "@",
  "`",
  "?",
  ",",
  "1e999",
  "null",
);

describe("no mutation of any file throws, hangs or leaves the text", () => {
  test.each(fixtures)("$name", async ({ name, text }) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.integer({ min: 0, max: 12 }), junk), {
          minLength: 1,
          maxLength: 4,
        }),
        async (mutations) => {
          let mutated = text;
          for (const [where, cut, insert] of mutations) {
            const at = Math.floor(where * mutated.length);
            mutated = mutated.slice(0, at) + insert + mutated.slice(at + cut);
          }
          checkTree(await parseSyntax(`file:///w/${name}`, mutated), mutated.length);
          const reading = await readConfig({
            uri: `file:///w/${name}`,
            text: mutated,
            readText: async () => undefined,
          });
          for (const diagnostic of reading.diagnostics) expect(diagnostic.span.end).toBeLessThanOrEqual(mutated.length);
          reading.experiments.forEach((_, index) =>
            planEdits(reading, index, { tasks: 64, trajectories: 4, environments: 3, groupSize: 4, parameters: 1e9 }),
          );
          if (name.includes("scaling")) readScalingFile("file:///w/scaling.yaml", mutated);
        },
      ),
      { numRuns: 40 },
    );
  });
});

const OWN = new Set(["yaml", "toml", "json", "native", "scaling", "bases", "data"]);
const launches = (readdirSync(root, { recursive: true }) as string[])
  .filter(
    (name) => /\.(ya?ml|toml|json|sh|py)$/.test(name) && !name.includes(".golden.") && !OWN.has(name.split("/")[0]),
  )
  .map((name) => ({ name, text: readFileSync(new URL(name, root), "utf8") }));

test("configs of every framework, broken at random, are read or noted", async () => {
  const shellAndPython = fc.constantFrom(
    "$(",
    "`",
    "<<EOF\n",
    "def f(",
    "for x in y:\n",
    "while true; do\n",
    "done\n",
    "if [ ",
    "\\\n",
    "**",
    "lambda: ",
    "(",
    ")",
  );
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...launches),
      fc.array(
        fc.tuple(
          fc.double({ min: 0, max: 1, noNaN: true }),
          fc.integer({ min: 0, max: 12 }),
          fc.oneof(junk, shellAndPython),
        ),
        { minLength: 1, maxLength: 4 },
      ),
      async ({ name, text }, mutations) => {
        let mutated = text;
        for (const [where, cut, insert] of mutations) {
          const at = Math.floor(where * mutated.length);
          mutated = mutated.slice(0, at) + insert + mutated.slice(at + cut);
        }
        const reading = await readConfig({
          uri: `file:///w/${name}`,
          text: mutated,
          readText: async () => undefined,
          grammars,
        });
        for (const { span } of reading.diagnostics)
          expect(span.start >= 0 && span.start <= span.end && span.end <= mutated.length).toBe(true);
        reading.experiments.forEach((budget, index) => {
          for (const site of budget.sites) expect(site.valueSpan.end).toBeLessThanOrEqual(mutated.length);
          const plan = planEdits(reading, index, { tasks: 64, trajectories: 4, environments: 3, groupSize: 4 });
          for (const edit of plan.edits) expect(mutated.slice(edit.span.start, edit.span.end)).toBe(edit.from);
        });
      },
    ),
    { numRuns: 400 },
  );
});

describe("every prefix of a file is read", () => {
  test.each(fixtures.filter(({ text }) => text.length < 900))("$name", async ({ name, text }) => {
    for (let end = 0; end <= text.length; end += 7)
      checkTree(await parseSyntax(`file:///w/${name}`, text.slice(0, end)), end);
  });
});

const yaml = (text: string) => parseSyntax("file:///w/x.yaml", text);

describe("files that are made to break readers", () => {
  test("an alias bomb ends with a note", async () => {
    const lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"];
    for (let i = 1; i < 30; i++)
      lines.push(`a${i}: &a${i} [${Array.from({ length: 9 }, () => `*a${i - 1}`).join(", ")}]`);
    lines.push("trainer: { total_epochs: 3 }");
    const text = lines.join("\n");
    const document = await yaml(text);
    expect(checkTree(document, text.length)).toBeLessThan(60_000);
    expect(document.diagnostics.map((one) => one.message)).toEqual([expect.stringContaining("Aliases add more than")]);
    expect(valueAt(document, "trainer", "total_epochs")).toBe(3);
  });

  test("an anchor that holds its own alias", async () => {
    const document = await yaml("a: &a [*a, 1]\nb: &b { <<: *b, x: 1 }\nc: 2\n");
    expect(valueAt(document, "c")).toBe(2);
  });

  test.each([
    ["x.yaml", `${"[".repeat(20_000)}`],
    ["x.yaml", `${"- ".repeat(5_000)}1`],
    ["x.yaml", `${"{a: ".repeat(10_000)}`],
    ["x.yaml", Array.from({ length: 1_500 }, (_, i) => `${" ".repeat(i)}a:`).join("\n")],
    ["x.json", "[".repeat(100_000)],
    ["x.json", `${'{"a":'.repeat(50_000)}1`],
    ["x.json", `${'{"a":'.repeat(900)}1${"}".repeat(900)}`],
    ["x.toml", `a = ${"[".repeat(20_000)}`],
    ["x.toml", `a = ${"{b = ".repeat(5_000)}`],
    ["x.toml", `${"a.".repeat(3_000)}b = 1`],
  ])("%s: nesting without end (%#)", async (name, text) => {
    const started = cpuTime();
    const document = await parseSyntax(`file:///w/${name}`, text);
    checkTree(document, text.length);
    expect(cpuTime() - started).toBeLessThan(8_000);
  });

  test("a key that is repeated thousands of times is told apart in linear time", async () => {
    const text = Array.from({ length: 20_000 }, (_, i) => `key_${i % 15_000}: ${i}`).join("\n");
    const document = await yaml(text);
    expect(document.diagnostics).toHaveLength(5_000);
    expect(valueAt(document, "key_3")).toBe(15_003);
  });

  test("2 MB are refused with a note at once", async () => {
    const text = "key: value\n".repeat(200_000);
    const started = cpuTime();
    const document = await yaml(text);
    expect(document.diagnostics).toMatchObject([{ code: "config.too-large" }]);
    // No framework can be told from it, and yet the note is shown.
    expect(
      (await readConfig({ uri: "file:///w/x.yaml", text, readText: async () => undefined })).diagnostics,
    ).toMatchObject([{ code: "config.too-large" }]);
    expect(cpuTime() - started).toBeLessThan(2000);
  });

  test("nearly 1 MB of YAML, TOML and JSON is read, errors everywhere included", async () => {
    const many = Array.from({ length: 12_000 }, (_, i) => i);
    const files = {
      "x.yaml": many.map((i) => `key_${i}: { a: ${i}, b: "text ${i}", c: [1, 2] }`).join("\n"),
      "x.toml": many.map((i) => `key_${i} = { a = ${i}, b = "text ${i}", c = [1, 2] }`).join("\n"),
      "x.json": JSON.stringify(
        Object.fromEntries(many.map((i) => [`key_${i}`, { a: i, b: `text ${i}`, c: [1, 2] }])),
        null,
        1,
      ),
      "broken.toml": many
        .map((i) => (i % 3 === 0 ? `key_${i} = = ${i}` : `key_${i} = "a value that is long enough ${i}"`))
        .join("\n"),
      "broken.yaml": many
        .map((i) => (i % 3 === 0 ? `key_${i}: a: ${i}` : `key_${i}: "a value that is long enough ${i}"`))
        .join("\n"),
    };
    for (const [name, text] of Object.entries(files)) {
      const document = await parseSyntax(`file:///w/${name}`, text);
      checkTree(document, text.length);
      expect(document.variants).toHaveLength(1);
      expect(document.variants[0].root.entries.length).toBeGreaterThan(7_000);
    }
  });

  test("line ends, a byte order mark and strange spaces keep every offset", async () => {
    for (const text of [
      "\uFEFFa: 1\r\nb:\r\n  c: 'x'\r\n",
      "a: 1\rb: 2\r",
      "a: 1\u2028b: 2\n",
      "é: 1\n\u{1F600}: { x: 2 }\n",
    ]) {
      const document = await yaml(text);
      const visit = (map: MapNode): void =>
        map.entries.forEach(({ key, keySpan, value }) => {
          expect(text.slice(keySpan.start, keySpan.end)).toContain(key);
          if (value.kind === "map") visit(value);
          else if (value.kind === "scalar" && value.editable)
            expect(text.slice(value.span.start, value.span.end)).toContain(value.text);
        });
      document.variants.forEach((variant) => visit(variant.root));
    }
  });

  test("keys named like parts of an object are only keys", async () => {
    const document = await readConfig({
      uri: "file:///w/x.budget.yaml",
      text: "__proto__: { polluted: 1 }\nconstructor: 2\ntoString: 3\nbudget: { tasks: 5, __proto__: 1 }\n",
      readText: async () => undefined,
    });
    expect(document.experiments[0].axes.tasks).toMatchObject({ value: 5 });
    expect(document.diagnostics.filter((one) => one.code === "budget.unknown").length).toBe(4);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});

function valueAt(document: SyntaxDocument, ...path: string[]): unknown {
  let node: TreeNode | undefined = document.variants[0]?.root;
  for (const key of path)
    node = node?.kind === "map" ? node.entries.filter((entry) => entry.key === key).at(-1)?.value : undefined;
  return node?.kind === "scalar" ? node.value : node?.kind;
}
