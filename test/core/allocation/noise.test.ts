import { describe, expect, it } from "vitest";
import { allocate } from "../../../server/core/allocation";
import type { Posynomial } from "../../../server/core/laws/law";
import { fitted, instance, linearCost, normal, random, value } from "./support";

const AXES = ["tasks", "environments", "trajectories"];
const DESIGN = [100, 400, 1600].flatMap((tasks) =>
  [4, 16, 64].flatMap((environments) => [2, 8, 32].map((trajectories) => [tasks, environments, trajectories])),
);
const CENTRE = [400, 16, 8];

/**
 * Parameters: floor, then ln A and α as each law has them, about the design's centre.
 * `repeats` of the design: an additive law's exponents need many runs before a normal approximation is one.
 */
interface Truth {
  readonly theta: readonly number[];
  readonly repeats: number;
  law(theta: readonly number[]): Posynomial;
}

const multiplicative: Truth = {
  repeats: 1,
  theta: [0.15, Math.log(0.35), 0.25, 0.315, 0.12],
  law: ([floor, log, ...alpha]) => ({
    floor,
    terms: [
      {
        logCoefficient: log + alpha.reduce((sum, a, i) => sum + a * Math.log(CENTRE[i]), 0),
        exponents: alpha.map((a) => -a),
      },
    ],
  }),
};
const additive: Truth = {
  repeats: 25,
  theta: [0.08, Math.log(0.12), 0.3, Math.log(0.14), 0.4, Math.log(0.1), 0.25],
  law: ([floor, ...pairs]) => ({
    floor,
    terms: AXES.map((_, t) => ({
      logCoefficient: pairs[2 * t] + pairs[2 * t + 1] * Math.log(CENTRE[t]),
      exponents: AXES.map((__, i) => (i === t ? -pairs[2 * t + 1] : 0)),
    })),
  }),
};

/** Lower Cholesky factor of the covariance of a fit to the design: 500 evaluation tasks and 2 points of run noise. */
function spread({ theta, repeats, law }: Truth): number[][] {
  const n = theta.length;
  const information = theta.map(() => theta.map(() => 0));
  for (const x of DESIGN) {
    const error = instance(AXES, law(theta)).error(x);
    const slopes = theta.map((value_, p) => {
      const step = 1e-5 * Math.max(1, Math.abs(value_));
      const at = (sign: number) => instance(AXES, law(theta.map((t, q) => (q === p ? t + sign * step : t)))).error(x);
      return (at(1) - at(-1)) / (2 * step);
    });
    const weight = repeats / ((error * (1 - error)) / 500 + 0.02 ** 2);
    for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) information[i][j] += weight * slopes[i] * slopes[j];
  }
  // Σ = information⁻¹ = L Lᵀ through the inverse of information's own Cholesky factor.
  const factor = theta.map(() => theta.map(() => 0));
  for (let i = 0; i < n; i++)
    for (let j = 0; j <= i; j++) {
      let sum = information[i][j];
      for (let k = 0; k < j; k++) sum -= factor[i][k] * factor[j][k];
      factor[i][j] = i === j ? Math.sqrt(sum) : sum / factor[j][j];
    }
  return factor;
}

/** θ + Σ^½·ξ: solves Rᵀ·d = ξ for the factor R of the information. */
function drawAround(theta: readonly number[], factor: readonly number[][], gauss: () => number): number[] {
  const d = theta.map(() => gauss());
  for (let i = theta.length - 1; i >= 0; i--) {
    for (let k = i + 1; k < theta.length; k++) d[i] -= factor[k][i] * d[k];
    d[i] /= factor[i][i];
  }
  return theta.map((t, i) => t + d[i]);
}

const FITS = 240;
const DRAWS = 250;
const cost = linearCost({ tasks: 1, environments: 30, trajectories: 25 });

function simulate(truth: Truth, current: Record<string, number>, seed: number, fits = FITS): number {
  const factor = spread(truth);
  const gauss = normal(random(seed));
  let within = 0;
  for (let fit = 0; fit < fits; fit++) {
    const seen = drawAround(truth.theta, factor, gauss);
    const draws = Array.from({ length: DRAWS }, () => instance(AXES, truth.law(drawAround(seen, factor, gauss))));
    const law = fitted(AXES, instance(AXES, truth.law(seen)), { draws });
    const allocation = value(
      allocate({ law, cost, current, options: { sensitivity: false, robustDraws: 0, starts: 1 } }),
    );
    if (allocation.regret.withinNoise) within++;
  }
  return within / fits;
}

describe("within noise", () => {
  for (const [name, truth] of [
    ["multiplicative", multiplicative],
    ["additive", additive],
  ] as const) {
    const law = fitted(AXES, instance(AXES, truth.law(truth.theta)));
    const best = value(allocate({ law, cost, current: { tasks: 500, environments: 20, trajectories: 30 } })).continuous
      .levels as Record<string, number>;

    it(`is said at the true optimum in at least 95 % of simulated fits (${name})`, () => {
      expect(simulate(truth, best, 17)).toBeGreaterThanOrEqual(0.95);
    });

    it(`is not said of a split that is clearly worse (${name})`, () => {
      // Nearly all of the money on rollouts.
      const total = value(cost.cost(best));
      const poor = { tasks: 0.08 * total, environments: (0.08 * total) / 30, trajectories: (0.84 * total) / 25 };
      const exact = value(allocate({ law, cost, current: poor }));
      expect(exact.regret.estimate).toBeGreaterThan(4);
      expect(simulate(truth, poor, 18, 60)).toBeLessThan(0.2);
    });
  }

  it("without draws rests on the half point alone", () => {
    const law = fitted(AXES, instance(AXES, multiplicative.law(multiplicative.theta)));
    const at = value(allocate({ law, cost, current: { tasks: 500, environments: 20, trajectories: 30 } }));
    expect(at.intervals).toBe("none");
    expect(at.regret.low).toBeNaN();
    expect(at.regret.withinNoise).toBe(at.regret.estimate < 0.5);
    expect(at.notes.map((note) => note.code)).toContain("fit.no-draws");
  });
});
