import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chooseDesign, coScaled, planNextRuns } from "../../../server/core/plan";
import { posynomialCost } from "../../../server/core/cost";
import type { Levels } from "../../../server/core/cost";
import { fitted, instance, linearCost, multiplicative, normal, random, value } from "../allocation/support";

// One seed for all, so that a failure is one for everybody; FC_SEED looks elsewhere.
const RUNS = { seed: Number(process.env.FC_SEED ?? 20261129) };
const AXES = ["tasks", "environments", "trajectories"];
const current = { tasks: 2000, environments: 24, trajectories: 16 };
const cost = linearCost({ tasks: 1, environments: 30, trajectories: 25 });

/** Variance inflation by the normal equations, apart from the code's Gram–Schmidt. */
function inflation(runs: readonly Levels[], axis: string): number {
  const columns = AXES.map((name) => {
    const logs = runs.map((run) => Math.log(run[name] ?? NaN));
    const mean = logs.reduce((a, b) => a + b, 0) / logs.length;
    return logs.map((log) => log - mean);
  });
  const target = columns[AXES.indexOf(axis)];
  const [a, b] = columns.filter((column) => column !== target);
  const dot = (x: readonly number[], y: readonly number[]): number =>
    x.reduce((sum, entry, i) => sum + entry * y[i], 0);
  const determinant = dot(a, a) * dot(b, b) - dot(a, b) ** 2;
  const one = (dot(target, a) * dot(b, b) - dot(target, b) * dot(a, b)) / determinant;
  const two = (dot(target, b) * dot(a, a) - dot(target, a) * dot(a, b)) / determinant;
  const rest = target.map((entry, i) => entry - one * a[i] - two * b[i]);
  return dot(target, target) / dot(rest, rest);
}

describe("designs", () => {
  it("are balanced, and every pair of axes is orthogonal", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 3, max: 81 }), (axes, runs) => {
        const design = chooseDesign(axes, runs);
        if (!design) {
          expect(runs).toBeLessThan(2 ** Math.ceil(Math.log2(axes + 1)) + 1);
          return;
        }
        expect(design.runs.length).toBeLessThanOrEqual(runs);
        for (let a = 0; a < axes; a++) {
          for (let b = 0; b < a; b++) {
            const sum = design.runs.reduce((total, run) => total + (run[a] - 1) * (run[b] - 1), 0);
            expect(sum).toBe(0);
          }
          const counts = [0, 1, 2].map((level) => design.runs.filter((run) => run[a] === level).length);
          expect(counts[0]).toBe(counts[2]);
        }
      }),
      RUNS,
    );
  });

  it("are 3 × 3 × 3 by default, and smaller where fewer runs are allowed", () => {
    expect(chooseDesign(3, 27)?.name).toBe("3 × 3 × 3");
    expect(chooseDesign(2, 27)?.name).toBe("3 × 3");
    expect(chooseDesign(3, 9)?.name).toBe("9 of 3 × 3 × 3");
    expect(chooseDesign(3, 8)?.name).toBe("4 of 2 × 2 × 2 and the centre");
    expect(chooseDesign(4, 27)?.runs).toHaveLength(27);
    expect(chooseDesign(3, 2)).toBeNull();
  });
});

describe("co-scaling", () => {
  it("names the axes that move together", () => {
    const frontier = [1, 2, 4, 8, 16].map((scale) => ({
      tasks: 100 * scale,
      environments: 4 * scale,
      trajectories: scale % 3 === 1 ? 4 : 8,
    }));
    const found = coScaled(frontier, AXES);
    expect(found.map((one) => one.axis)).toEqual(["tasks", "environments"]);
    expect(found[0].with).toContain("environments");
    expect(found[0].inflation).toBe(Infinity);
  });
});

describe("the plan", () => {
  it("without a fit is a small factorial of three whole levels over a decade", () => {
    const plan = value(planNextRuns({ law: null, cost, current }));
    expect(plan.design).toBe("3 × 3 × 3");
    expect(plan.runs).toHaveLength(27);
    expect(plan.regret).toBeNull();
    expect(plan.ranked).toEqual([]);
    for (const axis of AXES) {
      const levels = [...new Set(plan.runs.map((run) => run.levels[axis] ?? NaN))].sort((a, b) => a - b);
      expect(levels).toHaveLength(3);
      expect(levels[2] / levels[0]).toBeGreaterThanOrEqual(7);
      for (const level of levels) expect(Number.isInteger(level)).toBe(true);
    }
    // Tasks and environments of one run serve the others: the dearest pays for all, rollouts are paid each time.
    const most = (axis: string) => Math.max(...plan.runs.map(({ levels }) => levels[axis] ?? NaN));
    const rollouts = plan.runs.reduce((sum, { levels }) => sum + 25 * (levels.trajectories ?? NaN), 0);
    expect(plan.cost).toBeCloseTo(most("tasks") + 30 * most("environments") + rollouts, 6);
    expect(plan.runs.reduce((sum, { added }) => sum + added, 0)).toBeCloseTo(plan.cost, 6);
  });

  it("is never co-scaled, whatever the levels, limits and number of runs", () => {
    fc.assert(
      fc.property(
        fc.record({
          tasks: fc.integer({ min: 1, max: 9000 }),
          environments: fc.integer({ min: 1, max: 60 }),
          trajectories: fc.integer({ min: 1, max: 64 }),
        }),
        fc.integer({ min: 3, max: 30 }),
        fc.integer({ min: 2, max: 64 }),
        (levels, runs, upper) => {
          const plan = planNextRuns({ law: null, cost, current: levels, runs, limits: { trajectories: [1, upper] } });
          if (!plan.ok) {
            expect(["plan.too-few-runs", "plan.co-scaled"]).toContain(plan.problem.code);
            return;
          }
          expect(plan.value.runs.length).toBeLessThanOrEqual(runs);
          if (plan.value.axes.length === 3)
            for (const axis of AXES)
              expect(
                inflation(
                  plan.value.runs.map((run) => run.levels),
                  axis,
                ),
              ).toBeLessThan(10);
          for (const run of plan.value.runs)
            expect(run.levels.trajectories).toBeLessThanOrEqual(Math.max(upper, 3, levels.trajectories));
        },
      ),
      RUNS,
    );
  });

  it("takes apart what existing runs scale together, and keeps a budget for experiments", () => {
    const existing = [1, 2, 4, 8].map((scale) => ({
      tasks: 250 * scale,
      environments: 3 * scale,
      trajectories: 2 * scale,
    }));
    const whole = value(planNextRuns({ law: null, cost, current }));
    const plan = value(planNextRuns({ law: null, cost, current, existing, budget: whole.cost / 4 }));
    expect(plan.coScaledBefore.map((one) => one.axis)).toEqual(AXES);
    expect(plan.inflation).toBeLessThan(10);
    expect(plan.cost).toBeLessThanOrEqual(whole.cost / 4);
    expect(planNextRuns({ law: null, cost, current, budget: 1 })).toMatchObject({
      ok: false,
      problem: { code: "plan.too-dear" },
    });
    expect(planNextRuns({ law: null, cost, current, runs: 2 })).toMatchObject({
      ok: false,
      problem: { code: "plan.too-few-runs" },
    });
    expect(planNextRuns({ law: null, cost, current, pins: AXES })).toMatchObject({
      ok: false,
      problem: { code: "plan.no-axes" },
    });
  });
});

describe("the worth of a run", () => {
  const gauss = normal(random(41));
  const CENTRE = [400, 8, 8];
  /** Exponents with a spread in their logs, turned about the centre of the fitted range, where all draws agree. */
  const uncertain = (spread: readonly number[]) => {
    const draws = Array.from({ length: 300 }, () => {
      const alpha = [0.25, 0.315, 0.12].map((a, i) => a * Math.exp(spread[i] * gauss()));
      const log = Math.log(0.4) + alpha.reduce((sum, a, i) => sum + a * Math.log(CENTRE[i]), 0);
      return instance(AXES, { floor: 0.1, terms: [{ logCoefficient: log, exponents: alpha.map((a) => -a) }] });
    });
    const ranges = {
      tasks: { min: 100, max: 1600, centre: 400 },
      environments: { min: 2, max: 32, centre: 8 },
      trajectories: { min: 2, max: 32, centre: 8 },
    };
    return fitted(AXES, instance(AXES, multiplicative(0.1, 3, [0.25, 0.315, 0.12])), {
      draws,
      ranges: ranges as never,
    });
  };

  it("falls with what the draws already agree on, and is never negative", () => {
    const vague = value(planNextRuns({ law: uncertain([0.4, 0.4, 0.4]), cost, current }));
    const sure = value(planNextRuns({ law: uncertain([0.02, 0.02, 0.02]), cost, current }));
    expect(vague.regret?.now).toBeGreaterThan(5 * (sure.regret?.now ?? NaN));
    expect(vague.regret?.after).toBeLessThan(0.6 * (vague.regret?.now ?? 0));
    for (const run of vague.ranked) expect(run.drop).toBeGreaterThanOrEqual(0);
    const sorted = [...vague.ranked].sort((a, b) => b.dropPerCost - a.dropPerCost);
    expect(vague.ranked).toEqual(sorted);
    expect(vague.ranked[0].drop).toBeGreaterThan(0);
  });

  it("is lower for runs that measure less", () => {
    const law = uncertain([0.4, 0.4, 0.4]);
    const exact = value(planNextRuns({ law, cost, current, noise: { trials: 2000, betweenRuns: 0.005 } }));
    const rough = value(planNextRuns({ law, cost, current, noise: { trials: 20, betweenRuns: 0.2 } }));
    expect(exact.regret?.after).toBeLessThan(rough.regret?.after ?? 0);
  });

  it("prefers, at one price a run, runs that move the uncertain axis", () => {
    const flat = posynomialCost([
      ...cost.terms.map((term) => ({ ...term, coefficient: term.coefficient * 1e-3 })),
      { id: "fixed", label: "fixed", axis: null, part: "all" as const, coefficient: 1000, exponents: {}, owned: 0 },
    ]);
    const plan = value(planNextRuns({ law: uncertain([0.001, 0.5, 0.001]), cost: flat, current }));
    const extremes = plan.ranked.slice(0, 6).map((run) => run.levels.environments ?? NaN);
    const centre = plan.ranked.filter((run) => Math.abs(Math.log((run.levels.environments ?? NaN) / 8)) < 0.2);
    // At the centre of the fitted range every draw predicts the same: such runs tell nothing.
    for (const run of centre) expect(run.drop).toBeLessThan(plan.ranked[0].drop / 2);
    for (const level of extremes) expect(Math.abs(Math.log(level / 8))).toBeGreaterThan(0.5);
  });
});
