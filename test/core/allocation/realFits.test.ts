import { describe, expect, it } from "vitest";
import { allocate } from "../../../server/core/allocation";
import { fitTable, openFit } from "../../../server/core/fit";
import { random as source } from "../../../server/core/numerics/random";
import { GRID, simulate, TRUTHS } from "../fit/simulate";
import { fitted, linearCost, value } from "./support";

const AXES = ["tasks", "environments", "trajectories"];
const cost = linearCost({ tasks: 1, environments: 40, trajectories: 200 });
const limits = { tasks: [10, 20000], environments: [2, 1000], trajectories: [2, 64] } as const;

/** The true law with a gradient by differences: all that the general solver needs. */
function truth(name: string) {
  const error = (x: readonly number[]): number =>
    TRUTHS[name].error({ tasks: x[0], environments: x[1], trajectories: x[2] });
  const gradient = (x: readonly number[]): number[] =>
    x.map((_, i) => {
      const at = (step: number): number => error(x.map((level, j) => (i === j ? level * Math.exp(step) : level)));
      return (at(1e-5) - at(-1e-5)) / 2e-5;
    });
  return fitted(AXES, { axes: AXES, error, gradient, posynomial: () => null });
}

/** Shares of simulated fits that say "within noise" of the true optimum, and of a split with 90 % of the spend on rollouts. */
function simulateFits(name: string, law: string, runs: number, fits: number): { atOptimum: number; atPoor: number } {
  const current = value(
    allocate({
      law: truth(name),
      cost,
      current: { tasks: 2000, environments: 50, trajectories: 10 },
      limits,
      options: { sensitivity: false },
    }),
  ).continuous.levels;
  const total = value(cost.cost(current));
  const poor = { tasks: 0.05 * total, environments: (0.05 * total) / 40, trajectories: (0.9 * total) / 200 };
  let atOptimum = 0;
  let atPoor = 0;
  for (let fit = 0; fit < fits; fit++) {
    const order = source(77 + fit);
    const levels = GRID.map((level) => ({ level, key: order.next() }))
      .sort((a, b) => a.key - b.key)
      .slice(0, runs)
      .map(({ level }) => level);
    const file = value(
      fitTable(
        { rows: simulate(5000 + fit, TRUTHS[name].error, levels), notes: [] },
        { law, bootstrap: 200, seed: fit },
      ),
    );
    const opened = value(openFit(file));
    const options = { sensitivity: false, robustDraws: 0, starts: 1 };
    if (value(allocate({ law: opened, cost, current, limits, options })).regret.withinNoise) atOptimum++;
    if (value(allocate({ law: opened, cost, current: poor, limits, options })).regret.withinNoise) atPoor++;
  }
  return { atOptimum: atOptimum / fits, atPoor: atPoor / fits };
}

describe("fits of simulated runs", () => {
  for (const [name, runs, fits] of [
    ["multiplicative", 64, 40],
    ["additive", 64, 20],
    ["multiplicative", 12, 20],
  ] as const) {
    it(`call the true optimum within noise, and not a split that is 20 points worse (${name}, ${runs} runs)`, () => {
      const said = simulateFits(name, name, runs, fits);
      expect(said.atOptimum).toBeGreaterThanOrEqual(0.95);
      expect(said.atPoor).toBeLessThanOrEqual(0.1);
    });
  }
});
