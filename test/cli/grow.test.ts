import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cli, folderWith } from "./harness";
import { fitLab, LAB, labBudget } from "./lab";

const made = folderWith({ ...LAB, "far.budget.yaml": labBudget(200_000, 8) });
beforeAll(() => fitLab(made.folder), 120_000);
afterAll(() => made.remove());

const ask = async (...argv: string[]) => {
  const run = await cli(made.folder, ...argv, "--fit", "a.fit.json");
  expect(run.code, run.err).toBe(0);
  return run.out;
};

describe("growth: the fit beside the published recipe", () => {
  it("starts from the present amounts and scales them by the published exponents", async () => {
    const said = JSON.parse(await ask("grow", "a.budget.yaml", "--times", "1,2", "--json"));
    expect(said.budgets[0].recipe).toMatchObject({ tasks: 2000, environments: 8, trajectories: 16 });
    expect(said.budgets[1].recipe.tasks).toBeCloseTo(2000 * 2 ** 0.27, 9);
    expect(said.budgets[1].recipe.environments).toBeCloseTo(8 * 2 ** 0.34, 9);
    expect(said.budgets[1].recipe.trajectories).toBeCloseTo(16 * 2 ** 0.13, 9);
  });

  it("agrees with the optimum of the same money, and success grows with the budget", async () => {
    const said = JSON.parse(await ask("grow", "a.budget.yaml", "--times", "1,2", "--json"));
    const alone = JSON.parse(await ask("optimise", "a.budget.yaml", "--scale", "2", "--plug-in", "--json"));
    expect(said.unit).toBe(alone.budget.unit);
    expect(said.budgets[1].budget).toBeCloseTo(alone.budget.value, 6);
    for (const axis of ["tasks", "environments"])
      expect(said.budgets[1].best.levels[axis] / alone.continuous.levels[axis]).toBeCloseTo(1, 3);
    expect(said.budgets[1].best.success.estimate).toBeGreaterThan(said.budgets[0].best.success.estimate);
    const steps = said.exponents.find((one: { axis: string }) => one.axis === "environments");
    const slope = Math.log2(said.budgets[1].best.levels.environments / said.budgets[0].best.levels.environments);
    expect(Math.abs(steps.fit - slope)).toBeLessThan(0.1);
    expect(steps.published).toBe(0.34);
  });

  it("names no split where nothing may be claimed, with the reason; the recipe stays", async () => {
    const said = JSON.parse(await ask("grow", "far.budget.yaml", "--json"));
    for (const one of said.budgets) {
      expect(one.best).toBeNull();
      expect(one.reason).toMatch(/too far from your runs/);
      expect(one.recipe.tasks).toBeGreaterThan(0);
    }
    expect(await ask("grow", "far.budget.yaml")).toMatch(/no split by your fit: too far from your runs/);
  });

  it("says where limits keep a budget from being spent", async () => {
    const said = JSON.parse(await ask("grow", "a.budget.yaml", "--times", "100", "--json"));
    expect(said.budgets[0].best.cost).toBeLessThan(0.9 * said.budgets[0].budget);
    expect(await ask("grow", "a.budget.yaml", "--times", "100")).toMatch(/At 100× only .* can be spent/);
  });

  it("explain tells both, as text and as Markdown", async () => {
    const text = await ask("explain", "a.budget.yaml");
    expect(text).toMatch(/As the budget grows/);
    expect(text).toMatch(/Beside the published recipe/);
    expect(text).not.toMatch(/\*\*|\| ---/);
    expect(await ask("explain", "a.budget.yaml", "--markdown")).toMatch(/^# a[^]*## As the budget grows/);
  });

  it("explain gives away no best split where none may be named", async () => {
    const text = await ask("explain", "far.budget.yaml");
    expect(text).toMatch(/too far from your runs/);
    expect(text).not.toMatch(/best split\b.*\d|may go no further|compute-equivalent|starts agree/);
    expect(text).toMatch(/Success +unknown/);
  });

  it("a multiple that is none is an error", async () => {
    expect(await cli(made.folder, "grow", "a.budget.yaml", "--times", "1,x")).toMatchObject({ code: 2 });
  });
});
