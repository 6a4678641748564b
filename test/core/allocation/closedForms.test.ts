import { describe, expect, it } from "vitest";
import { allocate } from "../../../server/core/allocation";
import type { AllocationProblem } from "../../../server/core/allocation";
import { additive, fitted, instance, linearCost, multiplicative, productCost, random, value } from "./support";

const DATA = ["tasks", "environments", "trajectories"];

/** No bound in the way: laws and prices of a closed form know none. */
const OPEN = Object.fromEntries(DATA.map((axis) => [axis, [1e-9, null] as const]));

function solve(problem: AllocationProblem) {
  return value(allocate({ limits: OPEN, ...problem, options: { sensitivity: false, ...problem.options } }));
}

describe("additive law, product cost", () => {
  const uniform = random(7);
  for (let trial = 0; trial < 25; trial++) {
    const alpha = DATA.map(() => 0.05 + 0.9 * uniform());
    const A = DATA.map(() => 0.1 + uniform());
    const k = DATA.map(() => 0.5 + uniform());
    const c0 = Math.exp(4 * uniform());
    const law = fitted(DATA, instance(DATA, additive(0.1 * uniform(), A, alpha)));
    const cost = productCost(c0, Object.fromEntries(DATA.map((axis, i) => [axis, k[i]])));
    const current = { tasks: 400, environments: 12, trajectories: 8 };

    /** x_i = (α_i A_i/(k_i λ))^(1/α_i), ln λ = [Σ (k_j/α_j) ln(α_j A_j/k_j) − ln(C/c_0)]/Σ(k_j/α_j). */
    const closed = (C: number) => {
      const sum = k.reduce((total, kj, j) => total + kj / alpha[j], 0);
      const logLambda =
        (k.reduce((total, kj, j) => total + (kj / alpha[j]) * Math.log((alpha[j] * A[j]) / kj), 0) - Math.log(C / c0)) /
        sum;
      return alpha.map((a, i) => (Math.log((a * A[i]) / k[i]) - logLambda) / a);
    };

    it(`meets the closed form and its growth exponents (${trial})`, () => {
      const base = value(cost.cost(current));
      const one = solve({ law, cost, current, mode: { kind: "budget", amount: base } });
      const ten = solve({ law, cost, current, mode: { kind: "budget", amount: 10 * base } });
      const logs = closed(base);
      const sum = k.reduce((total, kj, j) => total + kj / alpha[j], 0);
      DATA.forEach((axis, i) => {
        const x = one.continuous.effective[axis] ?? NaN;
        expect(Math.abs(Math.log(x) - logs[i])).toBeLessThan(1e-6);
        const growth = Math.log((ten.continuous.effective[axis] ?? NaN) / x) / Math.log(10);
        expect(Math.abs(growth - 1 / alpha[i] / sum)).toBeLessThan(1e-6);
      });
      expect(one.certificate.kind).toBe("global");
      expect(one.certificate.gap).toBeLessThan(1e-8);
      expect(one.certificate.agreement).toBe(1);
    });
  }
});

describe("multiplicative law, linear cost", () => {
  const axes = ["environments", "tasks", "trajectories", "parameters"];
  const alpha = [0.34, 0.27, 0.13, 0.26];
  const prices = { environments: 40, tasks: 0.5, trajectories: 3, parameters: 1e-7 };
  const law = fitted(axes, instance(axes, multiplicative(0, 5, alpha)));
  const open = Object.fromEntries(axes.map((axis) => [axis, [1e-9, null] as const]));

  it("spends α_i/Σα on each axis and grows every axis with the budget", () => {
    const problem: AllocationProblem = {
      law,
      cost: linearCost(prices),
      current: { environments: 4, tasks: 300, trajectories: 900, parameters: 8e9 },
      free: ["parameters"],
      limits: open,
    };
    const at = (amount: number) => value(allocate({ ...problem, mode: { kind: "budget", amount } }));
    const one = at(1e4);
    const two = at(3e4);
    axes.forEach((axis, i) => {
      expect(Math.abs((one.spendShares.optimum[axis] ?? NaN) - alpha[i])).toBeLessThan(1e-6);
      const growth = Math.log((two.optimum.levels[axis] ?? NaN) / (one.optimum.levels[axis] ?? NaN)) / Math.log(3);
      expect(Math.abs(growth - 1)).toBeLessThan(1e-6);
    });
  });

  it("is worth exp(KL) = 1.74 over the shares (0.10, 0.10, 0.60, 0.20)", () => {
    const shares = [0.1, 0.1, 0.6, 0.2];
    const C = 1e5;
    const current = Object.fromEntries(
      axes.map((axis, i) => [axis, (shares[i] * C) / prices[axis as keyof typeof prices]]),
    );
    const allocation = value(allocate({ law, cost: linearCost(prices), current, free: ["parameters"], limits: open }));
    const kl = alpha.reduce((sum, a, i) => sum + a * Math.log(a / shares[i]), 0);
    expect(allocation.computeMultiplier.estimate).toBeCloseTo(Math.exp(kl), 6);
    expect(allocation.computeMultiplier.estimate).toBeCloseTo(1.74, 2);
    expect(allocation.wastedShare.estimate).toBeCloseTo(1 - Math.exp(-kl), 6);
  });
});

it("small deviations under an additive law and product cost cost ½ Σ α_i δ_i² in ln multiplier", () => {
  const alpha = [0.25, 0.4, 0.12];
  const A = [0.5, 0.6, 0.4];
  const law = fitted(DATA, instance(DATA, additive(0, A, alpha)));
  const cost = productCost(1, { tasks: 1, environments: 1, trajectories: 1 });
  const best = solve({ law, cost, current: { tasks: 100, environments: 100, trajectories: 100 } }).continuous.levels;
  const scale = 1e-3;
  const delta = [scale, -0.4 * scale, -0.6 * scale];
  const current = Object.fromEntries(DATA.map((axis, i) => [axis, (best[axis] ?? NaN) * Math.exp(delta[i])]));
  const allocation = solve({ law, cost, current });
  const expected = 0.5 * alpha.reduce((sum, a, i) => sum + a * delta[i] ** 2, 0);
  expect(Math.log(allocation.computeMultiplier.estimate) / expected).toBeCloseTo(1, 2);
});

it("marginal values are equal across free axes at an interior optimum", () => {
  const law = fitted(DATA, instance(DATA, additive(0.05, [1, 1.2, 0.8], [0.25, 0.35, 0.15])));
  const allocation = solve({
    law,
    cost: linearCost({ tasks: 0.5, environments: 40, trajectories: 4 }),
    current: { tasks: 800, environments: 10, trajectories: 60 },
  });
  const marginal = allocation.values.optimum.map((axis) => axis.marginalValue ?? NaN);
  for (const one of marginal) expect(one / marginal[0]).toBeCloseTo(1, 8);
});

describe("no interior optimum", () => {
  it("says corner, with axis and bound, for a multiplicative law under a pure product cost", () => {
    const law = fitted(DATA, instance(DATA, multiplicative(0.1, 1, [0.25, 0.35, 0.1])));
    const cost = productCost(1, { tasks: 1, environments: 1, trajectories: 1 });
    const allocation = value(
      allocate({
        law,
        cost,
        current: { tasks: 100, environments: 10, trajectories: 8 },
        limits: { environments: [1, 200], trajectories: [2, 64] },
      }),
    );
    expect(allocation.corners).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ axis: "environments", bound: "upper", value: 200 }),
        expect.objectContaining({ axis: "trajectories", bound: "lower", value: 2 }),
      ]),
    );
    expect(allocation.notes.map((note) => note.code)).toContain("allocation.corner");
    expect(allocation.continuous.levels.environments).toBeCloseTo(200, 6);
    expect(allocation.continuous.levels.trajectories).toBeCloseTo(2, 6);
    expect(allocation.continuous.levels.tasks).toBeCloseTo(20, 6);
    expect(allocation.certificate.gap).toBeLessThan(1e-8);
  });

  it("says where an axis that is held stands outside its limits", () => {
    const law = fitted(DATA, instance(DATA, multiplicative(0.1, 1, [0.25, 0.35, 0.1])));
    const cost = productCost(1, { tasks: 1, environments: 1, trajectories: 1 });
    const codes = (pins: readonly string[]): string[] =>
      value(
        allocate({
          law,
          cost,
          current: { tasks: 100, environments: 10, trajectories: 8 },
          pins,
          limits: { environments: [20, 200], trajectories: [2, 64] },
        }),
      ).notes.map((note) => note.code);
    expect(codes(["environments"])).toContain("allocation.limit-held");
    expect(codes(["trajectories"])).not.toContain("allocation.limit-held");
  });

  it("says what limits leave nothing, and what costs more than can be counted", () => {
    const law = fitted(DATA, instance(DATA, multiplicative(0.1, 1, [0.25, 0.35, 0.1])));
    const cost = productCost(1, { tasks: 1, environments: 1, trajectories: 1 });
    const none = allocate({
      law,
      cost,
      current: { tasks: 100, environments: 10, trajectories: 8 },
      limits: { trajectories: [2, 1] },
    });
    expect(none).toMatchObject({
      ok: false,
      problem: { code: "allocation.limits", message: expect.stringContaining("at least 2, at most 1") as string },
    });
    const endless = allocate({ law, cost, current: { tasks: 1e200, environments: 1e200, trajectories: 8 } });
    expect(endless).toMatchObject({
      ok: false,
      problem: { code: "allocation.cost", message: expect.stringContaining("more than can be counted") as string },
    });
  });
});
