/** What cannot be answered is said as such, and a slip is named with what was perhaps meant. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cli, folderWith } from "./harness";
import { fitLab, LAB } from "./lab";

let made: ReturnType<typeof folderWith>;
beforeAll(async () => {
  made = folderWith({ ...LAB, "odd.csv": "run,prompts,result\na,300,0.4\n" });
  await fitLab(made.folder);
}, 120_000);
afterAll(() => made.remove());

const ask = (...argv: string[]) => cli(made.folder, ...argv);
const optimise = (...more: string[]) => ask("optimise", "a.budget.yaml", "--fit", "a.fit.json", ...more);

describe("a question that cannot be met", () => {
  it("is refused with code 2, and without a fit it is an answer", async () => {
    for (const question of [
      ["--target", "99%"],
      ["--usd", "1"],
      ["--gpu-hours", "0.0001"],
    ]) {
      const { code, out } = await optimise(...question);
      expect(code, out).toBe(2);
      expect(out).toMatch(/no best split: /);
    }
    expect((await optimise()).code).toBe(0);
  });

  it("names no best split where the law gives none a success", async () => {
    // The least money that buys anything at all.
    let none = 0;
    for (const usd of [60, 120, 240, 480, 960]) {
      const run = await optimise("--usd", String(usd), "--bold", "--json");
      if (run.code === 2) continue;
      const { optimum, edits } = JSON.parse(run.out);
      const hasNone = optimum.outOfRange || !(optimum.success.estimate > 0);
      const said = (await optimise("--usd", String(usd), "--bold")).out;
      expect(said.includes(`for $${usd}: too far from your runs to predict`), said).toBe(hasNone);
      none += Number(hasNone);
      if (hasNone) expect(edits).toEqual([]);
    }
    expect(none).toBeGreaterThan(0);
  });
});

it("the gain that stands beside two rates is their difference", async () => {
  for (const more of [[], ["--scale", "2"], ["--scale", "0.5"]]) {
    const { current, optimum, change } = JSON.parse((await optimise("--json", ...more)).out);
    expect(change.estimate).toBeCloseTo(100 * (optimum.success.estimate - current.success.estimate), 9);
    expect(change.low).toBeLessThanOrEqual(change.estimate);
    expect(change.high).toBeGreaterThanOrEqual(change.estimate);
  }
});

describe("a slip", () => {
  it.each([
    [["optimize"], /did you mean optimise\?/],
    [["fit", "runs.csv", "--boostrap", "3"], /did you mean --bootstrap\?/],
    [["inspect", "a.budgets.yaml"], /did you mean a\.budget\.yaml\?/],
    [["fit", "odd.csv"], /its columns are run, prompts, result;/],
    [["plan", "a.budget.yaml", "--write", ""], /--write wants FOLDER/],
    [["grow", "a.budget.yaml", "--times", "0.0001"], /--times wants/],
  ])("%j", async (argv, words) => {
    const { code, err } = await ask(...argv);
    expect(code).toBe(2);
    expect(err).toMatch(words);
  });

  it("a table of results is nothing to forecast, and a budget is told once", async () => {
    const table = Object.keys(LAB).find((name) => name.endsWith(".csv"));
    if (table !== undefined) expect((await ask("forecast", table)).out).toMatch(/nothing to forecast: \d+ results/);
    const { budgets } = JSON.parse(
      (await ask("grow", "a.budget.yaml", "--fit", "a.fit.json", "--times", "1,1,2", "--json")).out,
    );
    expect(budgets.map(({ times }: { times: number }) => times)).toEqual([1, 2]);
    expect(readFileSync(join(made.folder, "a.budget.yaml"), "utf8")).toBe(LAB["a.budget.yaml"]);
  });
});
