import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { readConfig } from "../../../server/configs/read";
import { planEdits } from "../../../server/configs/wayBack";
import { splice } from "../../../server/syntax/text";
import { renderReading } from "../render";

const folder = new URL("../../fixtures/configs/native/", import.meta.url);
const fixture = (name: string): string => readFileSync(new URL(name, folder), "utf8");
const read = (name: string, text: string) =>
  readConfig({ uri: `file:///w/${name}`, text, readText: async () => undefined });
const changes = (plan: ReturnType<typeof planEdits>) =>
  plan.edits.map((edit) => ({ span: edit.span, newText: edit.to }));

describe("native budgets", () => {
  for (const name of readdirSync(folder).filter((file) => /\.budget\.(yaml|json|toml)$/.test(file))) {
    test(`${name} is read as its golden file says`, async () => {
      const text = fixture(name);
      const document = await read(name, text);
      await expect(renderReading(text, document)).toMatchFileSnapshot(
        `../../fixtures/configs/native/${name}.golden.txt`,
      );
    });
  }

  test("a share is no amount of compute", async () => {
    const text = fixture("appworld.budget.yaml").replace(/^compute:.*\n/m, "") + "\ncompute: 60 %\n";
    const { diagnostics } = await read("appworld.budget.yaml", text);
    const [found, ...others] = diagnostics.filter(({ severity }) => severity === "error");
    expect(others).toEqual([]);
    expect(found.message).toContain("found a share");
    expect(text.slice(found.span.start, found.span.end)).toBe("60 %");
  });

  test.each<readonly [string, string, string, RegExp]>([
    ["compute: 60", "config.expression", "60", /60 GPUh/],
    ["measured: { gpu_hours: 4, rollouts: 1e-300 }", "budget.value", "1e-300", /at least 1/],
    ["measured: { gpu_hours: 4, rollouts: 1.5 }", "budget.value", "1.5", /whole/],
    ["measured: { rollouts: 100 }", "budget.missing", "100", /without `measured.gpu_hours`/],
    ["budget: { tasks: 100, trajectories: 4, group_size: 8 }", "budget.rollouts", "8", /at least 8/],
  ])("%s: is said where it stands", async (line, code, at, message) => {
    const text = `name: a\ndesign: nested\n${line.startsWith("budget") ? "" : "budget: { tasks: 10 }\n"}${line}\n`;
    const [found, ...others] = (await read("a.budget.yaml", text)).diagnostics;
    expect(others).toEqual([]);
    expect(found).toMatchObject({ code, message: expect.stringMatching(message) as string });
    expect(text.slice(found.span.start, found.span.end)).toBe(at);
  });

  test("FLOPs may go without their unit, and groups may be all there is", async () => {
    const text = "compute: 3.2e19\ndesign: nested\nbudget: { tasks: 10, trajectories: 8, group_size: 8 }\n";
    const { diagnostics, experiments } = await read("a.budget.yaml", text);
    expect(diagnostics).toEqual([]);
    expect(experiments[0].spend.compute).toMatchObject({ value: 3.2e19, unit: "FLOPs" });
  });

  test("an optimum changes only the values, in the style of each", async () => {
    const text = fixture("appworld.budget.yaml");
    const document = await read("appworld.budget.yaml", text);
    const plan = planEdits(document, 0, { tasks: 4096, environments: 48, trajectories: 8 });
    expect(plan.edits.map(({ path, from, to }) => `${path}: ${from} → ${to}`)).toEqual([
      "budget.tasks: 2_000 → 4_096",
      "budget.environments: 24 → 48",
      "budget.trajectories: 2 * 8 → 8",
      "synthesis.environments.real: 6 → 12",
      "synthesis.environments.synthetic: 18 → 36",
      "synthesis.tasks.real: 400 → 819",
      "synthesis.tasks.synthetic: 1600 → 3277",
    ]);
    expect(plan.edits[2].label).toContain("replaced as a whole");
    const edited = splice(text, changes(plan));
    expect(edited.split("\n").filter((line, index) => line !== text.split("\n")[index])).toEqual([
      "  tasks: 4_096",
      '  environments: "48"       # quoted on purpose',
      "  trajectories: 8",
      "  environments: { method: genenv, real: 12, synthetic: 36 }",
      "  tasks: { method: self-instruct, real: 819, synthetic: 3277 }",
    ]);
  });

  test("what the file does not state is left with what to add", async () => {
    const text = fixture("appworld.budget.yaml");
    const plan = planEdits(await read("appworld.budget.yaml", text), 0, { worlds: 3, parameters: 4e9 });
    expect(plan.edits).toEqual([]);
    expect(plan.remainder.map(({ axis, to }) => [axis, to])).toEqual([
      ["worlds", 3],
      ["parameters", 4e9],
    ]);
    expect(plan.remainder[0].reason).toContain("budget.worlds");
  });

  test("a mix that moves is written as it is asked for, with the total or alone", async () => {
    const text = fixture("appworld.budget.yaml");
    const document = await read("appworld.budget.yaml", text);
    const said = (plan: ReturnType<typeof planEdits>) => plan.edits.map(({ path, to }) => `${path} ${to}`);
    expect(
      said(planEdits(document, 0, { environments: 30, synthesis: { environments: { real: 5, synthetic: 25 } } })),
    ).toEqual(["budget.environments 30", "synthesis.environments.real 5", "synthesis.environments.synthetic 25"]);
    expect(said(planEdits(document, 0, { synthesis: { environments: { real: 4, synthetic: 20 } } }))).toEqual([
      "synthesis.environments.real 4",
      "synthesis.environments.synthetic 20",
    ]);
  });
});
