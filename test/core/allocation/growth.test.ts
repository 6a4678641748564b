import { describe, expect, it } from "vitest";
import {
  allocate,
  compareSplits,
  computeEquivalentGain,
  disagreement,
  growthPath,
  publishedRecipe,
  PUBLISHED_GROWTH,
} from "../../../server/core/allocation";
import { additive, fitted, instance, linearCost, multiplicative, normal, productCost, random, value } from "./support";

const axes = ["environments", "tasks", "trajectories", "parameters"];
const growth = axes.map((axis) => PUBLISHED_GROWTH[axis]);
const prices = { environments: 40, tasks: 0.5, trajectories: 3, parameters: 1e-7 };
const open = Object.fromEntries(axes.map((axis) => [axis, [1e-9, null] as const]));

function atShares(shares: readonly number[], C: number): Record<string, number> {
  return Object.fromEntries(axes.map((axis, i) => [axis, (shares[i] * C) / prices[axis as keyof typeof prices]]));
}

describe("compute-equivalent gain", () => {
  const law = fitted(axes, instance(axes, multiplicative(0.02, 40, growth)));
  const problem = {
    law,
    cost: linearCost(prices),
    current: atShares([0.1, 0.1, 0.6, 0.2], 1e5),
    free: ["parameters"],
    limits: open,
  };

  it("is exp(KL) at every compute where both paths decay alike", () => {
    const kl = growth.reduce((sum, share, i) => sum + share * Math.log(share / [0.1, 0.1, 0.6, 0.2][i]), 0);
    for (const baseline of ["equal-growth", "current-split"] as const) {
      for (const compute of [1e4, 1e5, 1e7]) {
        const gain = value(computeEquivalentGain(problem, baseline, compute));
        expect(gain.gain?.estimate).toBeCloseTo(Math.exp(kl), 6);
        expect(gain.gain?.estimate).toBeCloseTo(1.74, 2);
      }
    }
  });

  it("grows with the compute over a path that decays more slowly", () => {
    const gains = [1e5, 1e6, 1e7].map(
      (compute) => value(computeEquivalentGain(problem, "trajectories-only", compute)).gain?.estimate ?? NaN,
    );
    expect(gains[0]).toBeGreaterThan(1);
    expect(gains[1]).toBeGreaterThan(gains[0]);
    expect(gains[2]).toBeGreaterThan(gains[1]);
  });

  it("says so where the baseline never reaches the optimum's success", () => {
    const additiveLaw = fitted(axes, instance(axes, additive(0, [0.5, 0.5, 0.5, 0.5], [0.3, 0.25, 0.12, 0.2])));
    const gain = value(computeEquivalentGain({ ...problem, law: additiveLaw }, "trajectories-only", 1e9));
    expect(gain.gain).toBeNull();
    expect(gain.reason).toContain("never reaches");
    expect(gain.same).not.toBeNull();
  });

  it("cannot scale what costs nothing", () => {
    const gain = computeEquivalentGain(
      { ...problem, cost: linearCost({ tasks: 1, environments: 1 }) },
      "trajectories-only",
      1e5,
    );
    expect(gain).toMatchObject({ ok: false, problem: { code: "allocation.baseline" } });
  });
});

describe("growth path", () => {
  it("has the growth exponents 1/α_i over Σ k_j/α_j under an additive law and a product cost", () => {
    const alpha = [0.35, 0.25, 0.12];
    const data = ["environments", "tasks", "trajectories"];
    const law = fitted(data, instance(data, additive(0.05, [0.4, 0.5, 0.3], alpha)));
    const cost = productCost(2, { environments: 1, tasks: 1, trajectories: 1 });
    const path = value(
      growthPath(
        { law, cost, current: { environments: 10, tasks: 100, trajectories: 8 }, limits: open },
        [1e4, 1e6, 1e8],
        { baselines: ["trajectories-only", "equal-growth"] },
      ),
    );
    const sum = alpha.reduce((total, a) => total + 1 / a, 0);
    for (const point of path.points) {
      data.forEach((axis, i) =>
        expect(Math.abs((point.exponents[axis] ?? NaN) - 1 / alpha[i] / sum)).toBeLessThan(1e-6),
      );
      for (const baseline of Object.values(point.baselines))
        expect(baseline.predicted.estimate).toBeLessThanOrEqual(point.optimum.predicted.estimate + 1e-12);
    }
  });
});

describe("the published recipe", () => {
  it("returns its input at the compute it starts from, and sums to the compute under one product", () => {
    const reference = { environments: 24, tasks: 2000, trajectories: 16, parameters: 8.2e9 };
    expect(value(publishedRecipe(reference, 1))).toEqual(reference);
    const ten = value(publishedRecipe(reference, 10));
    const factor = axes.reduce(
      (product, axis) => product * ((ten[axis] ?? NaN) / reference[axis as keyof typeof reference]),
      1,
    );
    expect(factor).toBeCloseTo(10, 9);
    expect(publishedRecipe(reference, 0)).toMatchObject({ ok: false, problem: { code: "recipe.factor" } });
  });

  it("is what a multiplicative law with the inferred exponents spends, and is reversed by a fit that says otherwise", () => {
    const data = ["environments", "tasks", "trajectories"];
    const make = (alpha: readonly number[], spread: number) => {
      const gauss = normal(random(5));
      const draws = Array.from({ length: 400 }, () =>
        instance(
          data,
          multiplicative(
            0.1,
            3,
            alpha.map((a) => a * Math.exp(spread * gauss())),
          ),
        ),
      );
      return fitted(data, instance(data, multiplicative(0.1, 3, alpha)), { draws });
    };
    const current = { environments: 10, tasks: 500, trajectories: 40 };
    const agreeing = make([0.315, 0.25, 0.12], 0.1);
    const allocation = value(
      allocate({
        law: agreeing,
        cost: linearCost({ environments: 40, tasks: 0.5, trajectories: 3 }),
        current,
        limits: open,
      }),
    );
    const view = value(disagreement(agreeing, allocation));
    expect(view.agrees).toBe(true);
    for (const row of view.rows) expect(row.fittedShare).toBeCloseTo(row.publishedShare, 2);
    // A mixture's point has no one floor: its exponents are those of the draws all the same.
    const mixture = { ...agreeing, point: { ...agreeing.point, posynomial: () => null } };
    expect(value(disagreement(mixture, null)).rows).toEqual(value(disagreement(agreeing, null)).rows);
    for (const { fittedExponent, publishedExponent } of view.rows)
      expect(fittedExponent.estimate).toBeCloseTo(publishedExponent.estimate, 1);
    const reversing = make([0.1, 0.25, 0.4], 0.1);
    const against = value(disagreement(reversing, null));
    expect(against.agrees).toBe(false);
    expect(against.reversed.map((pair) => `${pair.larger}>${pair.smaller}`)).toContain("trajectories>environments");
  });
});

describe("two splits of the same tokens and compute", () => {
  it("shows the difference in points with an interval that the shared uncertainty does not widen", () => {
    const data = ["tasks", "environments", "trajectories"];
    const gauss = normal(random(11));
    const alpha = [0.25, 0.315, 0.12];
    const draws = Array.from({ length: 500 }, () => {
      const floor = 0.15 + 0.03 * gauss();
      return instance(
        data,
        multiplicative(
          floor,
          3 * Math.exp(0.1 * gauss()),
          alpha.map((a) => a * Math.exp(0.12 * gauss())),
        ),
      );
    });
    const law = fitted(data, instance(data, multiplicative(0.15, 3, alpha)), { draws });
    const cost = productCost(1e15, { tasks: 1, trajectories: 1 });
    const narrow = { law, cost, current: { tasks: 250, environments: 4, trajectories: 128 } };
    const diverse = { law, cost, current: { tasks: 4000, environments: 64, trajectories: 8 } };
    const difference = value(compareSplits(narrow, diverse));
    expect(difference.costRatio).toBeCloseTo(1, 12);
    expect(difference.points.estimate).toBeGreaterThan(10);
    expect(difference.points.low).toBeGreaterThan(0);
    expect(difference.points.high - difference.points.low).toBeLessThan(
      100 * (difference.first.predicted.high - difference.first.predicted.low),
    );
    expect(difference.probability).toBe(1);
    expect(difference.withinNoise).toBe(false);
    expect(value(compareSplits(narrow, narrow)).withinNoise).toBe(true);
  });
});
