import { describe, expect, it } from "vitest";
import { allocate } from "../../../server/core/allocation";
import type { IntegerRule } from "../../../server/core/allocation";
import { posynomialCost } from "../../../server/core/cost";
import { additive, fitted, instance, linearCost, multiplicative, random, value } from "./support";

const AXES = ["tasks", "environments", "trajectories"];

/** The best whole-number split by trying all of them. */
function exhaustive(
  error: (x: number[]) => number,
  price: (x: number[]) => number,
  budget: number,
  rules: readonly IntegerRule[],
  low: readonly number[],
): number {
  let best = Infinity;
  for (let t = low[0]; price([t, low[1], low[2]]) <= budget; t++) {
    for (let e = low[1]; price([t, e, low[2]]) <= budget; e++) {
      for (let k = low[2]; price([t, e, k]) <= budget; k++) {
        if (rules.every((rule) => rule.holds({ tasks: t, environments: e, trajectories: k })))
          best = Math.min(best, error([t, e, k]));
      }
    }
  }
  return best;
}

const RULES: readonly IntegerRule[] = [
  { id: "batch", message: "tasks divisible by 8", holds: ({ tasks }) => tasks % 8 === 0 },
  {
    id: "gpus",
    message: "rollouts divisible by 16",
    holds: ({ tasks, trajectories }) => (tasks * trajectories) % 16 === 0,
  },
];

describe("whole numbers", () => {
  it("find the exhaustive optimum, or all but a hair of it, on small budgets", () => {
    const uniform = random(23);
    let exact = 0;
    const trials = 40;
    for (let trial = 0; trial < trials; trial++) {
      const alpha = AXES.map(() => 0.1 + 0.4 * uniform());
      const posynomial =
        trial % 2 === 0
          ? multiplicative(0.1, 1.5, alpha)
          : additive(
              0.05,
              AXES.map(() => 0.2 + uniform()),
              alpha,
            );
      const point = instance(AXES, posynomial);
      const price = AXES.map(() => 1 + 4 * uniform());
      const rules = trial % 4 < 2 ? [] : RULES;
      const cost = posynomialCost([
        ...AXES.map((axis, i) => ({
          id: axis,
          label: axis,
          axis,
          part: "all" as const,
          coefficient: price[i],
          exponents: { [axis]: 1 },
          owned: 0,
        })),
        {
          id: "rollouts",
          label: "rollouts",
          axis: null,
          part: "all" as const,
          coefficient: 0.02,
          exponents: { tasks: 1, trajectories: 1 },
          owned: 0,
        },
      ]);
      const budget = 60 + 150 * uniform();
      const allocation = value(
        allocate({
          law: fitted(AXES, point),
          cost,
          current: { tasks: 9, environments: 5, trajectories: 3 },
          mode: { kind: "budget", amount: budget },
          limits: { trajectories: [2, null] },
          whole: { rules },
          options: { sensitivity: false },
        }),
      );
      const best = exhaustive(
        (x) => point.error(x),
        (x) => value(cost.cost({ tasks: x[0], environments: x[1], trajectories: x[2] })),
        budget,
        rules,
        [1, 1, 2],
      );
      const found = 1 - allocation.optimum.predicted.estimate;
      expect(found / best).toBeLessThanOrEqual(1 + 2e-3);
      expect(allocation.rounding?.cost).toBeCloseTo(100 * (found - (1 - allocation.continuous.predicted.estimate)), 9);
      if (found <= best * (1 + 1e-12)) exact++;
    }
    expect(exact).toBeGreaterThanOrEqual(0.9 * trials);
  });

  it("keep multiples, choices and a group of at least two", () => {
    const axes = [...AXES, "parameters"];
    const law = fitted(axes, instance(axes, multiplicative(0.05, 8, [0.25, 0.3, 0.12, 0.2])));
    const cost = linearCost({ tasks: 1, environments: 20, trajectories: 10, parameters: 1e-6 });
    const allocation = value(
      allocate({
        law,
        cost,
        current: { tasks: 3000, environments: 40, trajectories: 100, parameters: 4e9 },
        free: ["parameters"],
        limits: { trajectories: [2, null] },
        whole: { steps: { trajectories: 8 }, choices: { parameters: [1.7e9, 4e9, 8e9, 14e9] } },
      }),
    );
    expect((allocation.optimum.levels.trajectories ?? 1) % 8).toBe(0);
    expect([1.7e9, 4e9, 8e9, 14e9]).toContain(allocation.optimum.levels.parameters);
    expect(allocation.optimum.cost).toBeLessThanOrEqual(allocation.current.cost * (1 + 1e-9));
  });

  it("keep the present amount beside the multiples where that is allowed, and use it where it is best", () => {
    const law = fitted(AXES, instance(AXES, multiplicative(0.05, 3, [0.25, 0.3, 0.12])));
    const cost = linearCost({ tasks: 0.05, environments: 20, trajectories: 10 });
    let kept = 0;
    for (let tasks = 300; tasks < 400; tasks += 7) {
      const problem = {
        law,
        cost,
        current: { tasks, environments: 4, trajectories: 16 },
        limits: { tasks: [null, tasks] as const },
      };
      const [multiples, beside] = [{ steps: { tasks: 64 } }, { steps: { tasks: 64 }, present: ["tasks"] }].map(
        (whole) => value(allocate({ ...problem, whole })).optimum,
      );
      expect(multiples.levels.tasks! % 64).toBe(0);
      expect([0, tasks % 64]).toContain(beside.levels.tasks! % 64);
      expect(beside.predicted.estimate).toBeGreaterThanOrEqual(multiples.predicted.estimate - 1e-12);
      expect(beside.cost).toBeLessThanOrEqual(value(cost.cost(problem.current)) * (1 + 1e-9));
      if (beside.levels.tasks === tasks && tasks % 64 !== 0) kept++;
    }
    expect(kept).toBeGreaterThan(0);
  });

  it("at equal success is the cheapest that reaches it", () => {
    const law = fitted(AXES, instance(AXES, multiplicative(0.05, 3, [0.25, 0.3, 0.12])));
    const cost = linearCost({ tasks: 1, environments: 20, trajectories: 10 });
    const allocation = value(
      allocate({
        law,
        cost,
        current: { tasks: 300, environments: 4, trajectories: 100 },
        mode: { kind: "same-success" },
        whole: {},
      }),
    );
    expect(allocation.optimum.predicted.estimate).toBeGreaterThanOrEqual(allocation.current.predicted.estimate - 1e-9);
    expect(allocation.optimum.cost).toBeLessThan(allocation.current.cost);
    expect(allocation.optimum.cost).toBeGreaterThanOrEqual(allocation.continuous.cost * (1 - 1e-9));
    expect(allocation.optimum.cost / allocation.continuous.cost).toBeLessThan(1.05);
  });

  it("refuse where nothing satisfies a rule, and let a rule pass that cannot be judged", () => {
    const law = fitted(AXES, instance(AXES, multiplicative(0.05, 3, [0.25, 0.3, 0.12])));
    const problem = {
      law,
      cost: linearCost({ tasks: 1, environments: 20, trajectories: 10 }),
      current: { tasks: 300, environments: 4, trajectories: 100 },
    };
    const never = allocate({ ...problem, whole: { rules: [{ id: "never", message: "never", holds: () => false }] } });
    expect(never).toMatchObject({ ok: false, problem: { code: "allocation.no-whole-numbers" } });
    const unknown = value(
      allocate({ ...problem, whole: { rules: [{ id: "unknown", message: "needs the GPUs", holds: () => null }] } }),
    );
    expect(unknown.rounding?.rules).toEqual([{ id: "unknown", message: "needs the GPUs", holds: null }]);
  });
});
