import { describe, expect, it } from "vitest";
import { allocate } from "../../../server/core/allocation";
import type { AllocationProblem } from "../../../server/core/allocation";
import { costModel, hardware } from "../../../server/core/cost";
import type { LawInstance } from "../../../server/core/laws/law";
import { additive, fitted, instance, linearCost, multiplicative, normal, productCost, random, value } from "./support";

const AXES = ["tasks", "environments", "trajectories"];
const ALPHA = [0.25, 0.315, 0.12];
const law = fitted(AXES, instance(AXES, multiplicative(0.1, 2, ALPHA)));
const prices = { tasks: 1, environments: 30, trajectories: 25 };
const problem: AllocationProblem = {
  law,
  cost: linearCost(prices),
  current: { tasks: 500, environments: 20, trajectories: 30 },
};

describe("axes that do not move say why", () => {
  it("zero marginal cost: environments under a nested design without a price", () => {
    const cost = value(costModel({ parameters: 8e9, tokensPerTrajectory: 1e4, design: { kind: "nested" } }));
    const allocation = value(allocate({ ...problem, cost }));
    expect(allocation.pinned).toContainEqual(
      expect.objectContaining({ axis: "environments", code: "zero-marginal-cost", level: 20 }),
    );
    expect(allocation.optimum.levels.environments).toBe(20);
    expect(allocation.marginalValues.environments).toBeNull();
  });

  it("a refused exponent: held at the fitted level for the law, at the config's for the cost", () => {
    const refused = fitted(AXES, instance(AXES, multiplicative(0.1, 2, ALPHA)), {
      refused: [{ axis: "environments", level: 8, reason: "one level only" }],
    });
    const allocation = value(allocate({ ...problem, law: refused }));
    expect(allocation.pinned).toContainEqual({
      axis: "environments",
      level: 20,
      code: "refused",
      reason: "its exponent is not known: one level only",
    });
    expect(1 - allocation.current.predicted.estimate).toBeCloseTo(refused.point.error([500, 8, 30]), 12);
    expect(allocation.current.cost).toBeCloseTo(500 + 600 + 750, 9);
  });

  it("the model, unless it is freed, and axes that the law does not know", () => {
    const axes = [...AXES, "parameters"];
    const withModel = fitted(axes, instance(axes, multiplicative(0.05, 8, [...ALPHA, 0.2])));
    const cost = linearCost({ ...prices, parameters: 1e-7, worlds: 3 });
    const current = { ...problem.current, parameters: 8e9, worlds: 4 };
    const held = value(allocate({ ...problem, law: withModel, cost, current }));
    expect(held.pinned.map((pin) => [pin.axis, pin.code])).toEqual([
      ["parameters", "default"],
      ["worlds", "not-in-law"],
    ]);
    const freed = value(allocate({ ...problem, law: withModel, cost, current, free: ["parameters"] }));
    expect(freed.optimum.levels.parameters).not.toBe(8e9);
    expect(freed.optimum.predicted.estimate).toBeGreaterThan(held.optimum.predicted.estimate);
  });

  it("all pinned: the current split is the only one", () => {
    const allocation = value(allocate({ ...problem, pins: AXES }));
    expect(allocation.optimum.levels).toEqual(problem.current);
    expect(allocation.regret).toMatchObject({ estimate: 0, withinNoise: true });
    expect(allocation.computeMultiplier.estimate).toBe(1);
    expect(allocation.notes.map((note) => note.code)).toContain("allocation.all-pinned");
  });
});

describe("owned units", () => {
  it("are free: the optimum uses all of them and stops there where more is not worth its price", () => {
    const cost = linearCost({ tasks: 1, environments: 4000, trajectories: 25 }, { environments: 40 });
    const allocation = value(allocate({ ...problem, cost }));
    expect(allocation.continuous.levels.environments).toBeCloseTo(40, 9);
    expect(allocation.corners).toContainEqual({ axis: "environments", bound: "owned", value: 40 });
    expect(allocation.certificate.gap).toBeLessThanOrEqual(1e-8);
  });
});

describe("laws that are no posynomial", () => {
  /** The same law with its posynomial hidden, so that the general solver has a known answer. */
  const opaque = (point: LawInstance): LawInstance => ({ ...point, posynomial: () => null });

  it("find the convex optimum without being told of it, and call it local", () => {
    const uniform = random(3);
    for (let trial = 0; trial < 12; trial++) {
      const alpha = AXES.map(() => 0.1 + 0.5 * uniform());
      const posynomial = trial % 2 ? multiplicative(0.1, 2, alpha) : additive(0.1, [0.5, 0.8, 0.4], alpha);
      const known = value(
        allocate({ ...problem, law: fitted(AXES, instance(AXES, posynomial)), options: { sensitivity: false } }),
      );
      const hidden = value(
        allocate({
          ...problem,
          law: fitted(AXES, opaque(instance(AXES, posynomial))),
          options: { sensitivity: false },
        }),
      );
      expect(hidden.certificate).toMatchObject({
        kind: "local",
        gap: null,
        reason: "this law can have several best splits",
      });
      expect(hidden.certificate.agreement).toBeGreaterThan(0.9);
      const ratio = (1 - hidden.continuous.predicted.estimate) / (1 - known.continuous.predicted.estimate);
      expect(Math.abs(ratio - 1)).toBeLessThan(1e-9);
      for (const axis of AXES)
        expect((hidden.continuous.levels[axis] ?? NaN) / (known.continuous.levels[axis] ?? NaN)).toBeCloseTo(1, 3);
    }
  });

  it("take repeated rollouts as repeated data: beyond R* they buy little", () => {
    const R = 6;
    const base = multiplicative(0.1, 2, [0.25, 0.315, 0.4]);
    const inner = instance(AXES, base);
    const seen = (x: readonly number[]): number[] => [x[0], x[1], 1 + R * (1 - Math.exp(-(x[2] - 1) / R))];
    const saturating: LawInstance = {
      axes: AXES,
      error: (x) => inner.error(seen(x)),
      gradient: (x) => {
        const slopes = inner.gradient(seen(x));
        const repeated = seen(x)[2];
        return [slopes[0], slopes[1], (slopes[2] * x[2] * Math.exp(-(x[2] - 1) / R)) / repeated];
      },
      posynomial: () => null,
    };
    const allocation = value(allocate({ ...problem, law: fitted(AXES, saturating), options: { sensitivity: false } }));
    const free = value(allocate({ ...problem, law: fitted(AXES, inner), options: { sensitivity: false } }));
    expect(allocation.continuous.levels.trajectories).toBeLessThan(0.6 * (free.continuous.levels.trajectories ?? 0));
    // Nothing on a fine grid of the budget surface is better.
    const found = 1 - allocation.continuous.predicted.estimate;
    const budget = allocation.budget;
    let best = Infinity;
    for (let i = 1; i < 200; i++)
      for (let j = 1; j < 200 - i; j++) {
        best = Math.min(
          best,
          saturating.error([(budget * i) / 200, (budget * j) / 200 / 30, (budget * (200 - i - j)) / 200 / 25]),
        );
      }
    expect(found).toBeLessThanOrEqual(best * (1 + 1e-9));
  });

  it("reach equal success by bisection of the budget", () => {
    const hidden = fitted(AXES, opaque(law.point));
    const known = value(allocate({ ...problem, mode: { kind: "same-success" }, options: { sensitivity: false } }));
    const found = value(
      allocate({ ...problem, law: hidden, mode: { kind: "same-success" }, options: { sensitivity: false } }),
    );
    expect(found.continuous.cost / known.continuous.cost).toBeCloseTo(1, 6);
  });
});

describe("modes", () => {
  it("a budget in another unit, and a success that cannot be had", () => {
    const cost = value(
      costModel({
        prices: { environments: { real: { value: 40, unit: "USD" } } },
        hardware: hardware("H100", { usdPerGpuHour: 2.5 }),
        parameters: 8e9,
        tokensPerTrajectory: 1e4,
        design: { kind: "factorial" },
      }),
    );
    const inUsd = value(allocate({ ...problem, cost, mode: { kind: "budget", amount: 5000 } }));
    const inHours = value(allocate({ ...problem, cost, mode: { kind: "budget", amount: 2000, unit: "GPUh" } }));
    expect(inHours.budget).toBeCloseTo(5000, 6);
    expect(inHours.continuous.levels.tasks).toBeCloseTo(inUsd.continuous.levels.tasks ?? NaN, 6);
    expect(allocate({ ...problem, mode: { kind: "same-success", success: 0.95 } })).toMatchObject({
      ok: false,
      problem: { code: "allocation.unreachable" },
    });
    expect(allocate({ ...problem, mode: { kind: "same-success", success: 1.2 } })).toMatchObject({
      ok: false,
      problem: { code: "allocation.success" },
    });
    const better = value(allocate({ ...problem, mode: { kind: "same-success", success: 0.8 } }));
    expect(better.continuous.predicted.estimate).toBeCloseTo(0.8, 9);
  });

  it("refuses what cannot be", () => {
    const code = (bad: Partial<AllocationProblem>): string => {
      const result = allocate({ ...problem, ...bad });
      return result.ok ? "ok" : result.problem.code;
    };
    expect(code({ current: { tasks: 500, trajectories: 30 } })).toBe("allocation.level-unknown");
    expect(code({ current: { tasks: 500, environments: 0, trajectories: 30 } })).toBe("allocation.level-invalid");
    expect(code({ current: { tasks: 500, environments: NaN, trajectories: 30 } })).toBe("allocation.level-invalid");
    expect(code({ limits: { tasks: [100, 10] } })).toBe("allocation.limits");
    expect(code({ limits: { tasks: [null, 0.5] } })).toBe("allocation.limits");
    expect(code({ limits: { tasks: [NaN, null] } })).toBe("allocation.limits");
    expect(code({ mode: { kind: "budget", amount: 3 } })).toBe("allocation.infeasible");
    expect(code({ mode: { kind: "budget", amount: NaN } })).toBe("allocation.infeasible");
    expect(code({ limits: { tasks: [1e6, null] } })).toBe("allocation.infeasible");
    expect(code({ mode: { kind: "budget", amount: 10, unit: "GPUh" } })).toBe("cost.no-conversion");
    expect(code({ mixes: [{ axis: "worlds", shape: { kind: "cap", discount: 1, criticalRatio: 3 }, ratio: 1 }] })).toBe(
      "allocation.mix",
    );
    expect(code({ cost: productCost(1, { tasks: 1, trajectories: -1 }) })).toBe("allocation.cost-exponent");
  });

  it("flags a prediction that no success rate can be", () => {
    const steep = fitted(AXES, instance(AXES, multiplicative(-0.3, 2, [0.9, 0.9, 0.9])));
    const allocation = value(allocate({ ...problem, law: steep }));
    expect(allocation.optimum.predicted.estimate).toBeGreaterThan(1);
    expect(allocation.optimum.outOfRange).toBe(true);
    expect(allocation.notes.map((note) => note.code)).toContain("prediction.out-of-range");
  });

  it("gives extrapolation factors beyond the fitted range", () => {
    const ranges = {
      tasks: { min: 100, max: 1000, centre: 300 },
      environments: { min: 2, max: 16, centre: 6 },
      trajectories: { min: 2, max: 32, centre: 8 },
    };
    const allocation = value(allocate({ ...problem, law: { ...law, ranges: ranges as unknown as typeof law.ranges } }));
    expect(allocation.current.extrapolation).toMatchObject({ tasks: 1, environments: 20 / 16, trajectories: 1 });
    expect(allocation.notes.map((note) => note.code)).toContain("fit.extrapolating");
  });
});

describe("the robust split", () => {
  it("has the least expected error over the draws, whoever looks", () => {
    const gauss = normal(random(31));
    const draws = Array.from({ length: 120 }, () =>
      instance(
        AXES,
        multiplicative(
          0.1 + 0.02 * gauss(),
          2,
          ALPHA.map((a) => a * Math.exp(0.35 * gauss())),
        ),
      ),
    );
    const allocation = value(
      allocate({
        ...problem,
        law: { ...law, draws },
        recommend: "robust",
        options: { robustDraws: 120, sensitivity: false },
      }),
    );
    expect(allocation.recommended).toBe("robust");
    const mean = (levels: Readonly<Record<string, number | undefined>>): number =>
      draws.reduce((sum, draw) => sum + draw.error(AXES.map((axis) => levels[axis] ?? NaN)), 0) / draws.length;
    const robust = mean(allocation.robust?.levels ?? {});
    expect(robust).toBeLessThan(mean(allocation.optimum.levels));
    const uniform = random(1);
    for (let i = 0; i < 2000; i++) {
      const shares = AXES.map(() => -Math.log(1 - uniform()));
      const sum = shares.reduce((a, b) => a + b, 0);
      const levels = Object.fromEntries(
        AXES.map((axis, j) => [
          axis,
          Math.max(1, ((shares[j] / sum) * allocation.budget) / prices[axis as keyof typeof prices]),
        ]),
      );
      expect(mean(levels)).toBeGreaterThanOrEqual(robust * (1 - 1e-9));
    }
  });
});

describe("sensitivity", () => {
  it("is that of the closed form: x_i = (α_i/Σα)·C/p_i", () => {
    const allocation = value(allocate(problem));
    const sum = ALPHA.reduce((a, b) => a + b, 0);
    const price = allocation.sensitivity.find((one) => one.kind === "price" && one.parameter.includes("environments"));
    expect(price?.levels.environments).toBeCloseTo(-1, 5);
    expect(price?.levels.tasks).toBeCloseTo(0, 5);
    const exponent = allocation.sensitivity.find(
      (one) => one.kind === "exponent" && one.parameter.includes("environments"),
    );
    expect(exponent?.levels.environments).toBeCloseTo(1 - ALPHA[1] / sum, 5);
    expect(exponent?.levels.tasks).toBeCloseTo(-ALPHA[1] / sum, 5);
  });
});
