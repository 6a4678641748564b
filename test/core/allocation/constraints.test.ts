import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { allocate, type AllocationProblem } from "../../../server/core/allocation";
import { prepare } from "../../../server/core/allocation/problem/prepare";
import { lawGoal } from "../../../server/core/allocation/solve/compile";
import { solve } from "../../../server/core/allocation/solve/solve";
import { posynomialCost } from "../../../server/core/cost";
import { cpuTime } from "../../cpu";
import { fitted, instance, value } from "./support";

interface Recorded {
  axes: string[];
  floor: number;
  terms: { logCoefficient: number; exponents: number[] }[];
  costs: { terms: { coefficient: number; exponents: number[]; owned: number }[]; budget: number }[];
  low: number[];
  high: number[];
  slsqp: { error: number; used: number[] };
}

// Written by test/fixtures/allocation/constraints.py with scipy.
const { problems } = JSON.parse(readFileSync("test/fixtures/allocation/constraints.json", "utf8")) as {
  problems: Recorded[];
};

function recorded({ axes, floor, terms, costs, low, high }: Recorded): AllocationProblem {
  const models = costs.map(({ terms: own }) =>
    posynomialCost(
      own.map((term, i) => ({
        id: `term ${i}`,
        label: `term ${i}`,
        axis: null,
        part: "all",
        coefficient: term.coefficient,
        owned: term.owned,
        exponents: Object.fromEntries(axes.map((axis, a) => [axis, term.exponents[a]])),
      })),
    ),
  );
  return {
    law: fitted(axes, instance(axes, { floor, terms })),
    cost: models[0],
    budgetName: "money",
    constraints: [1, 2].map((c) => ({ name: `cap ${c}`, cost: models[c], amount: costs[c].budget })),
    current: Object.fromEntries(axes.map((axis, a) => [axis, Math.sqrt(low[a] * high[a])])),
    limits: Object.fromEntries(axes.map((axis, a) => [axis, [low[a], high[a]] as const])),
    mode: { kind: "budget", amount: costs[0].budget },
    options: { starts: 2, sensitivity: false },
  };
}

describe("three budgets together, against scipy's SLSQP from 12 starts", () => {
  it("are never worse by more than 1e-8, keep every budget, and name those that bind", () => {
    expect(problems).toHaveLength(60);
    for (const [index, problem] of problems.entries()) {
      const allocation = value(allocate(recorded(problem)));
      const error = 1 - allocation.continuous.predicted.estimate;
      expect(error / problem.slsqp.error, `problem ${index}`).toBeLessThanOrEqual(1 + 1e-8);
      expect(allocation.certificate.gap, `gap of ${index}`).toBeLessThanOrEqual(1e-8);
      expect(allocation.constraints.map(({ name }) => name)).toEqual(["money", "cap 1", "cap 2"]);
      allocation.constraints.forEach(({ used, amount, binding, relaxed }, c) => {
        expect(used / amount).toBeLessThanOrEqual(1 + 1e-8);
        // Where SLSQP's own answer uses a budget up, ours does, but for splits that are as good.
        if (problem.slsqp.used[c] > 0.9999 && used / amount < 0.99) expect(relaxed).toBeLessThan(1e-4);
        if (!binding && used / amount < 0.98) expect(relaxed, `slack ${c} of ${index}`).toBeLessThan(1e-6);
        else if (used / amount > 0.99999) expect(relaxed).toBeGreaterThan(0);
      });
    }
  });

  it("take at most 5 ms of CPU once the code is warm, from as many starts as it takes for two to agree", () => {
    const prepared = problems.map((problem) => value(prepare(recorded(problem))));
    const run = (one: (typeof prepared)[number], starts: number) => {
      const { law, mode } = one.problem;
      const budget = mode?.kind === "budget" ? mode.amount : NaN;
      return solve(one, lawGoal(law), { kind: "budget", budget }, { starts, seed: 1 });
    };
    for (const one of prepared) run(one, 6);
    const least = (starts: number) =>
      prepared
        .map((one) => {
          // CPU time is the process's: its collector and compiler are in all but the least.
          const each = Array.from({ length: 7 }, () => {
            const before = cpuTime();
            run(one, starts);
            return cpuTime() - before;
          });
          return Math.min(...each);
        })
        .sort((a, b) => a - b);
    const [once, agreed] = [least(1), least(6)];
    if (process.env.SCALING_LENS_TIMES)
      console.log("ms of CPU, median and worst:", once[30], once[59], agreed[30], agreed[59]);
    expect(once[59], "worst of 60, one start").toBeLessThanOrEqual(5);
    expect(agreed[59], "worst of 60").toBeLessThanOrEqual(5);
    const counts = prepared.map((one) => value(run(one, 6)).certificate.starts);
    expect(counts.filter((starts) => starts === 2).length, "certified by two").toBeGreaterThanOrEqual(57);
  });
});
