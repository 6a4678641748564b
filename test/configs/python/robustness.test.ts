import fc from "fast-check";
import { readdirSync, readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { readConfig } from "../../../server/configs/read";
import { planEdits } from "../../../server/configs/wayBack";
import { entryOf } from "../../../server/syntax/nodes";
import { parsePython } from "../../../server/syntax/python";
import type { SyntaxDocument, TreeNode } from "../../../server/syntax/tree";
import type { Grammar } from "../../../server/syntax/treeSitter";
import { grammars } from "../grammars";

const root = new URL("../../fixtures/configs/", import.meta.url);
const fixtures = ["trl", "unsloth", "tinker", "art", "verifiers", "agent-lightning"].flatMap((folder) =>
  readdirSync(new URL(`${folder}/`, root))
    .filter((name) => name.endsWith(".py"))
    .map((name) => ({ name: `${folder}/${name}`, text: readFileSync(new URL(`${folder}/${name}`, root), "utf8") })),
);

let grammar: Grammar;
beforeAll(async () => {
  grammar = await grammars.load("python");
});

/** Every span lies in the text; the number of nodes when everything shared is written out. */
function check(document: SyntaxDocument, length: number): number {
  let nodes = 0;
  const inside = (span: { start: number; end: number }): void => {
    if (span.start < 0 || span.end < span.start || span.end > length)
      throw new Error(`span ${span.start}–${span.end} outside 0–${length}`);
  };
  const visit = (node: TreeNode): void => {
    nodes++;
    inside(node.span);
    if (node.kind === "map")
      for (const entry of node.entries) {
        inside(entry.keySpan);
        visit(entry.value);
      }
    if (node.kind === "list") node.items.forEach(visit);
  };
  for (const variant of document.variants) {
    inside(variant.anchor);
    visit(variant.root);
  }
  for (const diagnostic of document.diagnostics) inside(diagnostic.span);
  return nodes;
}

function scalarAt(document: SyntaxDocument, ...path: string[]): unknown {
  let node: TreeNode | undefined = document.variants[0].root;
  for (const step of path)
    node =
      node?.kind === "map" ? entryOf(node, step)?.value : node?.kind === "list" ? node.items[Number(step)] : undefined;
  return node?.kind === "scalar" ? node.value : node?.kind;
}

const junk = fc.constantFrom(
  "",
  "(",
  ")",
  "[",
  "]",
  "{",
  "}",
  ":",
  "=",
  "==",
  ",",
  ".",
  "*",
  "**",
  '"',
  "'",
  "'''",
  "f'{",
  "\n",
  "\r\n",
  "\t",
  "    ",
  "#",
  "\\",
  "lambda",
  " if ",
  " else ",
  " for x in ",
  "def f():\n",
  "class A:\n",
  "x = x\n",
  "x += x\n",
  "return ",
  "@",
  "\u0000",
  "\uFEFF",
  "é",
  "\u{1F600}",
  "1e999",
  "10**",
  "range(",
  "None",
  "await ",
  "<<<<<<< a\n",
  "=======\n",
  ">>>>>>> b\n",
);

describe("no mutation of a script throws, hangs or leaves the text", () => {
  test.each(fixtures)("$name", async ({ name, text }) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.integer({ min: 0, max: 20 }), junk), {
          minLength: 1,
          maxLength: 5,
        }),
        async (mutations) => {
          let mutated = text;
          for (const [where, cut, insert] of mutations) {
            const place = Math.floor(where * mutated.length);
            mutated = mutated.slice(0, place) + insert + mutated.slice(place + cut);
          }
          check(parsePython(mutated, grammar), mutated.length);
          const reading = await readConfig({
            uri: `file:///w/${name}`,
            text: mutated,
            readText: async () => undefined,
            grammars,
          });
          for (const diagnostic of reading.diagnostics) expect(diagnostic.span.end).toBeLessThanOrEqual(mutated.length);
          for (const experiment of reading.experiments)
            for (const site of experiment.sites) expect(site.valueSpan.end).toBeLessThanOrEqual(mutated.length);
          reading.experiments.forEach((_, index) => {
            for (const edit of planEdits(reading, index, { tasks: 64, trajectories: 4, groupSize: 4 }).edits)
              expect(mutated.slice(edit.span.start, edit.span.end)).toBe(edit.from);
          });
        },
      ),
      { numRuns: 60 },
    );
  });

  test.each(fixtures)("every prefix of $name", ({ text }) => {
    for (let end = 0; end < text.length; end += 41) check(parsePython(text.slice(0, end), grammar), end);
  });
});

describe("line endings and marks", () => {
  test.each(fixtures)("$name with CRLF and a BOM says the same, at shifted places", async ({ name, text }) => {
    const plain = await readConfig({ uri: `file:///w/${name}`, text, readText: async () => undefined, grammars });
    const other = `\uFEFF${text.replaceAll("\n", "\r\n")}`;
    const changed = await readConfig({
      uri: `file:///w/${name}`,
      text: other,
      readText: async () => undefined,
      grammars,
    });
    const facts = (document: typeof plain) =>
      document.experiments.map((one) =>
        [one.model.name, one.promptsPerStep, one.groupSize, one.steps, one.epochs, one.maxResponseTokens].map(
          (fact) => fact.value,
        ),
      );
    expect(facts(changed)).toEqual(facts(plain));
    plain.experiments.forEach((experiment, index) =>
      experiment.sites.forEach((site, which) => {
        const moved = changed.experiments[index].sites[which];
        expect(other.slice(moved.valueSpan.start, moved.valueSpan.end)).toBe(
          text.slice(site.valueSpan.start, site.valueSpan.end).replaceAll("\n", "\r\n"),
        );
      }),
    );
  });

  test("a merge conflict leaves its values open and the rest read", async () => {
    const text =
      "from trl import GRPOConfig, GRPOTrainer\nargs = GRPOConfig(\n<<<<<<< ours\n    num_generations=8,\n=======\n    num_generations=16,\n>>>>>>> theirs\n    max_steps=40,\n)\nGRPOTrainer(model='acme/Walker-1B', args=args)\n";
    const document = await readConfig({ uri: "file:///w/x.py", text, readText: async () => undefined, grammars });
    expect(document.experiments[0].groupSize.value).toBeNull();
    expect(document.experiments[0].steps.value).toBe(40);
  });
});

describe("files that are made to break readers", () => {
  test("names that are defined in terms of themselves or each other", () => {
    for (const text of [
      "a = a\nf(a)\n",
      "a = b\nb = a\nf(a)\n",
      "a += a\nf(a)\n",
      "def g(n):\n    return g(n)\nf(g(1))\n",
      "def g():\n    return h()\ndef h():\n    return g()\nf(g())\n",
      "def g(n):\n    g(n)\n    f(n)\n",
      "class A(A):\n    n: int = 1\nf(A())\n",
      "class A(B): pass\nclass B(A): pass\nf(A())\n",
      "x = [x for x in x]\nf(x)\n",
      "a = [1]\na.append(a)\nf(a)\n",
      "c = C(a=1)\nc.a = c\nf(c)\n",
    ]) {
      const document = parsePython(text, grammar);
      expect(check(document, text.length)).toBeLessThan(1000);
    }
  });

  test("a chain of doubled lists, dicts and texts stays small", () => {
    for (const [start, double] of [
      ["[0, 0]", "[a, a]"],
      ["{'x': 1}", "{'x': a, 'y': a}"],
      ["C(x=1)", "C(x=a, y=a)"],
      ["'abcdefghij'", "a + a"],
      ["[0]", "a * 1000"],
    ] as const) {
      const text = `a = ${start}\n${Array.from({ length: 60 }, () => `a = ${double}\n`).join("")}f(a)\n`;
      expect(check(parsePython(text, grammar), text.length)).toBeLessThan(300_000);
    }
  });

  test("deep nesting ends with a note, and what stands before it is read", () => {
    for (const [open, close] of [
      ["[", "]"],
      ["(", ")"],
      ["f(x=", ")"],
      ["-", ""],
      ["not ", ""],
    ] as const) {
      const text = `n = 8\nConfig(n=n)\nx = ${open.repeat(3000)}1${close.repeat(3000)}\n`;
      const document = parsePython(text, grammar);
      check(document, text.length);
      if (document.variants.length > 0) expect(scalarAt(document, "calls", "Config", "n")).toBe(8);
      else expect(document.diagnostics.length).toBeGreaterThan(0);
    }
    const blocks =
      Array.from({ length: 300 }, (_, i) => `${" ".repeat(i)}if x:\n`).join("") + `${" ".repeat(300)}pass\n`;
    check(parsePython(blocks, grammar), blocks.length);
  });

  test("long chains of calls, attributes and operators", () => {
    for (const text of [
      `x = a${".b()".repeat(2000)}\n`,
      `x = a${".b".repeat(2000)}\n`,
      `x = 1${" + 1".repeat(2000)}\n`,
      `x = ${"lambda: ".repeat(500)}1\n`,
    ])
      check(parsePython(text, grammar), text.length);
  });

  test("5,000 lines, with the config at the end, give its values", async () => {
    const lines = ["from trl import GRPOConfig, GRPOTrainer"];
    for (let i = 0; i < 1240; i++)
      lines.push(
        `def helper_${i}(x, y=${i}):`,
        `    table_${i} = {"a": x, "b": [y, ${i}], "c": helper_${Math.max(0, i - 1)}(x)}`,
        `    return sorted(table_${i}.items(), key=lambda pair: pair[0])[:${i}]`,
        "",
      );
    lines.push(
      "args = GRPOConfig(num_generations=8, per_device_train_batch_size=8, gradient_accumulation_steps=4, max_steps=100)",
      "GRPOTrainer(model='acme/Walker-1B', args=args).train()",
      "",
    );
    const text = lines.join("\n");
    const document = await readConfig({ uri: "file:///w/long.py", text, readText: async () => undefined, grammars });
    expect(document.experiments.map((one) => [one.promptsPerStep.value, one.steps.value])).toEqual([[4, 100]]);
  });

  test("a 2 MB file answers", async () => {
    const text = `x = """${"lorem ipsum ".repeat(170_000)}"""\nfrom trl import GRPOConfig, GRPOTrainer\nGRPOTrainer(model="acme/Walker-1B", args=GRPOConfig(num_generations=4))\n`;
    const document = await readConfig({ uri: "file:///w/big.py", text, readText: async () => undefined, grammars });
    expect(document.experiments[0]?.groupSize.value ?? document.syntax.diagnostics.length).toBeTruthy();
    const half = `${text.slice(0, 7)}${text.slice(1_300_000)}`;
    expect(
      (await readConfig({ uri: "file:///w/half.py", text: half, readText: async () => undefined, grammars }))
        .experiments[0]?.groupSize.value,
    ).toBe(4);
  });

  test("binary junk and other languages", () => {
    for (const text of ["\u0000\u0001\u0002", "<html></html>", '{"a": 1}', "\uD800", "%PDF-1.4 \u00ff", ""])
      check(parsePython(text, grammar), text.length);
  });
});
