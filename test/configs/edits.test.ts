import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseSyntax } from "../../server/configs/parse";
import { readConfig } from "../../server/configs/read";
import { planEdits } from "../../server/configs/wayBack";
import { isKnown } from "../../server/budget/budget";
import { innerSpan, rewriteNumber } from "../../server/syntax/quantity/rewrite";
import { splice } from "../../server/syntax/text";

describe("a number is rewritten in the manner of the one that stood there", () => {
  test.each([
    ["16", 32, "32"],
    ["1_024", 2048, "2_048"],
    ["1_024", 512, "512"],
    ["2_000_000", 1500000, "1_500_000"],
    ["1e3", 2000, "2e3"],
    ["1e3", 1234567, "1234567"],
    ["1E3", 5000, "5E3"],
    ["1.5e6", 3e6, "3e6"],
    ["16.0", 24, "24.0"],
    ["0x10", 32, "0x20"],
    ["0xFF", 171, "0xAB"],
    ["512k", 256000, "256k"],
    ["2k", 2048, "2.048k"],
    ["2k", 2049.5, "2049.5"],
    ["8.2B", 4e9, "4.0B"],
    ["8.2 B", 4.5e9, "4.5 B"],
    ["60 GPUh", 90, "90 GPUh"],
    ["3.2e19 FLOPs", 1e20, "1e20 FLOPs"],
  ])("%s to %d is %s", (text, value, expected) => {
    expect(rewriteNumber(text, value).text).toBe(expected);
  });

  test.each([["64 * 250"], ["2**14"], ["ceil(7/2)"], ["(1 + 2)"]])(
    "the expression %s is replaced as a whole, and that is said",
    (text) => {
      expect(rewriteNumber(text, 99)).toEqual({
        text: "99",
        note: `the expression \`${text}\` is replaced as a whole`,
      });
    },
  );

  test("what is written reads back as the value", async () => {
    const styles = fc.constantFrom(
      "16",
      "1_024",
      "1e3",
      "1E+03",
      "16.0",
      "0x10",
      "512k",
      "8.2B",
      "64 * 250",
      "2**14",
      "'7'",
    );
    await fc.assert(
      fc.asyncProperty(
        styles,
        fc.integer({ min: 1, max: 2_000_000_000 }),
        fc.constantFrom("", " # note", "   "),
        async (style, value, tail) => {
          const text = `name: x\nbudget:\n  tasks: ${style}${tail}\n  environments: 3\n`;
          const at = text.indexOf(style);
          const span = innerSpan(text, { start: at, end: at + style.length });
          const edited = splice(text, [{ span, newText: rewriteNumber(text.slice(span.start, span.end), value).text }]);
          const document = await readConfig({
            uri: "file:///w/x.budget.yaml",
            text: edited,
            readText: async () => undefined,
          });
          const tasks = document.experiments[0].axes.tasks;
          expect(isKnown(tasks) && tasks.value).toBe(value);
          expect(edited.slice(0, at)).toBe(text.slice(0, at));
          expect(edited.endsWith(text.slice(at + style.length))).toBe(true);
        },
      ),
      { numRuns: 300 },
    );
  });
});

/** Budgets with every quirk of writing that an edit must leave alone. */
const number = fc.constantFrom("200", "2_000", "1e3", "16.0", "'24'", '"48"', "2 * 8", "12k");
const gap = fc.constantFrom(" ", "  ", "\t ", "   ");
const comment = fc.constantFrom("", " # tasks: 5", "  # keep `me`");
const newline = fc.constantFrom("\n", "\r\n");
const yamlBudget = fc
  .tuple(number, number, number, gap, comment, comment, newline, fc.boolean())
  .map(([tasks, environments, trajectories, space, one, two, end, flow]) => {
    const lines = flow
      ? [
          "# head",
          "name:  quirky",
          "design: nested",
          `budget: { tasks:${space}${tasks} , environments: ${environments}, "trajectories":${space}${trajectories} }${one}`,
          `extra: [1,  2]${two}`,
        ]
      : [
          "# head",
          "name:  quirky",
          "design: nested",
          "budget:",
          `  trajectories:${space}${trajectories}${one}`,
          "",
          `  tasks: ${tasks}${two}`,
          `  environments:${space}${environments}`,
          "domain: 'tool use'",
        ];
    return lines.join(end) + end;
  });

describe("an edit touches values only", () => {
  test("outside the edited values every byte stays, and the new values are read back", async () => {
    await fc.assert(
      fc.asyncProperty(
        yamlBudget,
        fc.integer({ min: 1, max: 1e6 }),
        fc.integer({ min: 1, max: 500 }),
        fc.integer({ min: 1, max: 128 }),
        async (text, tasks, environments, trajectories) => {
          const read = (content: string) =>
            readConfig({ uri: "file:///w/q.budget.yaml", text: content, readText: async () => undefined });
          const document = await read(text);
          const plan = planEdits(document, 0, { tasks, environments, trajectories });
          expect(plan.remainder).toEqual([]);
          const edited = splice(
            text,
            plan.edits.map((edit) => ({ span: edit.span, newText: edit.to })),
          );
          // Undo: the reverse splices give the text back.
          let shift = 0;
          const back = [...plan.edits]
            .sort((a, b) => a.span.start - b.span.start)
            .map((edit) => {
              const start = edit.span.start + shift;
              shift += edit.to.length - (edit.span.end - edit.span.start);
              return { span: { start, end: start + edit.to.length }, newText: edit.from };
            });
          expect(splice(edited, back)).toBe(text);
          // Everything outside the value spans is the same.
          const values = document.experiments[0].sites.map((site) => site.valueSpan);
          for (const edit of plan.edits)
            expect(values.some((span) => span.start <= edit.span.start && edit.span.end <= span.end)).toBe(true);
          const again = (await read(edited)).experiments[0];
          expect(
            [again.axes.tasks, again.axes.environments, again.axes.trajectories].map((fact) => fact.value),
          ).toEqual([tasks, environments, trajectories]);
          expect(again.name).toBe("quirky");
        },
      ),
      { numRuns: 200 },
    );
  });

  test("steps follow when group size and prompts per step are stated", async () => {
    const text =
      "name: s\ndesign: nested\nbudget: { tasks: 640, environments: 4, trajectories: 8, prompts_per_step: 64, group_size: 8, steps: 10 }\n";
    const document = await readConfig({ uri: "file:///w/s.budget.yaml", text, readText: async () => undefined });
    const plan = planEdits(document, 0, { tasks: 640, trajectories: 16 });
    expect(plan.edits.map(({ path, to }) => [path, to])).toEqual([
      ["budget.trajectories", "16"],
      ["budget.steps", "20"],
    ]);
  });

  test("an aliased or merged value is not edited, and the reason is given", async () => {
    const text = "name: a\ndesign: nested\nbudget:\n  tasks: &n 64\n  environments: *n\n  trajectories: 8\n";
    const document = await readConfig({ uri: "file:///w/a.budget.yaml", text, readText: async () => undefined });
    const plan = planEdits(document, 0, { environments: 32, trajectories: 4 });
    expect(plan.edits.map(({ path }) => path)).toEqual(["budget.trajectories"]);
    expect(plan.remainder).toEqual([
      {
        axis: "environments",
        from: 64,
        to: 32,
        reason:
          "`budget.environments` cannot be edited here: it follows the anchor `&n`, which other places share; write a number in its place to change this alone",
      },
    ]);
  });

  test("the twins in JSON and TOML are edited in place too", async () => {
    const json =
      '{ "name": "j", "budget": { "tasks": 1e3, "environments": "2 * 4", /* keep */ "trajectories": 8, } }\n';
    const toml = 'name = "t"\n[budget]\ntasks = 1_000 # keep\nenvironments = "2 * 4"\ntrajectories = 8\n';
    for (const [name, text, expected] of [
      ["x.budget.json", json, json.replace("1e3", "5e3").replace("2 * 4", "16")],
      ["x.budget.toml", toml, toml.replace("1_000", "5_000").replace("2 * 4", "16")],
    ]) {
      const document = await readConfig({ uri: `file:///w/${name}`, text, readText: async () => undefined });
      const plan = planEdits(document, 0, { tasks: 5000, environments: 16, trajectories: 8 });
      expect(
        splice(
          text,
          plan.edits.map((edit) => ({ span: edit.span, newText: edit.to })),
        ),
      ).toBe(expected);
    }
  });
});

test("a value that is not there has no place to edit", async () => {
  const document = await parseSyntax("file:///w/x.yaml", "budget:\n  tasks:\n");
  expect(document.variants[0].root.entries[0].key).toBe("budget");
  const reading = await readConfig({
    uri: "file:///w/x.budget.yaml",
    text: "name: x\nbudget:\n  tasks:\n",
    readText: async () => undefined,
  });
  expect(planEdits(reading, 0, { tasks: 5 }).remainder[0]).toMatchObject({ axis: "tasks", from: null, to: 5 });
});
