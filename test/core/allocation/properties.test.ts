import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { allocate } from "../../../server/core/allocation";
import type { AllocationProblem, IntegerRule } from "../../../server/core/allocation";
import { posynomialCost } from "../../../server/core/cost";
import type { CostModel } from "../../../server/core/cost";
import type { Posynomial } from "../../../server/core/laws/law";
import { fitted, instance, value } from "./support";

const AXES = ["tasks", "environments", "trajectories"];
// One seed for all, so that a failure is one for everybody; FC_SEED looks elsewhere.
const SEED = Number(process.env.FC_SEED ?? 20261129);
const RUNS = { numRuns: 60, seed: SEED };

const exponent = fc.double({ min: 0.05, max: 0.6, noNaN: true });
const coefficient = fc.double({ min: 0.1, max: 1.5, noNaN: true });

const law: fc.Arbitrary<Posynomial> = fc
  .record({
    kind: fc.constantFrom("additive", "multiplicative", "nested"),
    floor: fc.double({ min: 0, max: 0.2, noNaN: true }),
    coefficients: fc.tuple(coefficient, coefficient, coefficient),
    exponents: fc.tuple(exponent, exponent, exponent),
  })
  .map(({ kind, floor, coefficients, exponents }) => ({
    floor,
    terms:
      kind === "multiplicative"
        ? [{ logCoefficient: Math.log(3 * coefficients[0]), exponents: exponents.map((e) => -e) }]
        : coefficients.map((c, t) => ({
            logCoefficient: Math.log(c),
            exponents: exponents.map((e, i) => ((kind === "additive" ? i === t : i <= t) ? -e : 0)),
          })),
  }));

const price = fc.double({ min: 0.1, max: 50, noNaN: true });
const cost: fc.Arbitrary<CostModel> = fc
  .record({
    prices: fc.tuple(price, price, price),
    rollout: fc.double({ min: 1e-3, max: 1, noNaN: true }),
    owned: fc.tuple(fc.nat(60), fc.nat(10), fc.nat(4)),
  })
  .map(({ prices, rollout, owned }) =>
    posynomialCost(
      [
        ...AXES.map((axis, i) => ({
          id: axis,
          label: axis,
          axis,
          part: "all" as const,
          coefficient: prices[i],
          exponents: { [axis]: 1 },
          owned: owned[i],
        })),
        {
          id: "rollouts",
          label: "rollouts",
          axis: null,
          part: "all" as const,
          coefficient: rollout,
          exponents: { tasks: 1, trajectories: 1 },
          owned: 0,
        },
      ],
      "USD",
    ),
  );

const levels = fc.record({
  tasks: fc.integer({ min: 10, max: 2000 }),
  environments: fc.integer({ min: 2, max: 80 }),
  trajectories: fc.integer({ min: 2, max: 64 }),
});

const problem: fc.Arbitrary<AllocationProblem> = fc.record({ law, cost, current: levels }).map((parts) => ({
  law: fitted(AXES, instance(AXES, parts.law)),
  cost: parts.cost,
  current: parts.current,
  options: { sensitivity: false },
}));

const repriced = (model: CostModel, factor: number): CostModel =>
  posynomialCost(
    model.terms.map((term) => ({ ...term, coefficient: term.coefficient * factor })),
    model.unit,
  );

describe("properties of every allocation", () => {
  it("more budget never lowers the predicted success", () => {
    fc.assert(
      fc.property(problem, fc.double({ min: 1.01, max: 20, noNaN: true }), (given, factor) => {
        const base = value(given.cost.cost(given.current));
        const one = value(allocate({ ...given, mode: { kind: "budget", amount: base } }));
        const two = value(allocate({ ...given, mode: { kind: "budget", amount: base * factor } }));
        expect(two.continuous.predicted.estimate).toBeGreaterThanOrEqual(one.continuous.predicted.estimate - 1e-12);
      }),
      RUNS,
    );
  });

  it("a pinned axis never moves", () => {
    fc.assert(
      fc.property(problem, fc.constantFrom(...AXES), fc.boolean(), (given, axis, whole) => {
        const pinned = value(allocate({ ...given, pins: [axis], ...(whole ? { whole: {} } : {}) }));
        const at = (given.current as Record<string, number>)[axis];
        expect(pinned.optimum.levels[axis]).toBe(at);
        expect(pinned.continuous.levels[axis]).toBe(at);
        expect(pinned.pinned).toContainEqual(expect.objectContaining({ axis, code: "user" }));
      }),
      RUNS,
    );
  });

  it("the point estimate of the regret is never negative, the multiplier never below 1, and the budget is kept", () => {
    fc.assert(
      fc.property(problem, fc.boolean(), (given, whole) => {
        const allocation = value(allocate({ ...given, ...(whole ? { whole: {} } : {}) }));
        expect(allocation.regret.estimate).toBeGreaterThanOrEqual(0);
        expect(allocation.computeMultiplier.estimate).toBeGreaterThanOrEqual(1);
        expect(allocation.optimum.cost).toBeLessThanOrEqual(allocation.current.cost * (1 + 1e-9));
        expect(allocation.optimum.predicted.estimate).toBeLessThanOrEqual(
          allocation.continuous.predicted.estimate + 1e-9,
        );
        expect(allocation.certificate.gap).toBeLessThanOrEqual(1e-8);
        expect(allocation.certificate.agreement).toBe(1);
      }),
      RUNS,
    );
  });

  it("scaling every price changes nothing but the price", () => {
    fc.assert(
      fc.property(problem, fc.double({ min: 1e-6, max: 1e6, noNaN: true }), (given, factor) => {
        const one = value(allocate(given));
        const two = value(allocate({ ...given, cost: repriced(given.cost, factor) }));
        expect(two.continuous.cost / one.continuous.cost / factor).toBeCloseTo(1, 9);
        for (const axis of AXES)
          expect((two.continuous.levels[axis] ?? NaN) / (one.continuous.levels[axis] ?? NaN)).toBeCloseTo(1, 6);
        expect(two.continuous.predicted.estimate).toBeCloseTo(one.continuous.predicted.estimate, 9);
        expect(two.computeMultiplier.estimate).toBeCloseTo(one.computeMultiplier.estimate, 6);
      }),
      RUNS,
    );
  });

  it("equal success costs no more than the current split and reaches its success", () => {
    fc.assert(
      fc.property(problem, (given) => {
        const allocation = value(allocate({ ...given, mode: { kind: "same-success" } }));
        expect(allocation.continuous.predicted.estimate).toBeGreaterThanOrEqual(
          allocation.current.predicted.estimate - 1e-9,
        );
        expect(allocation.continuous.cost).toBeLessThanOrEqual(allocation.current.cost * (1 + 1e-9));
        expect(
          allocation.current.cost / allocation.continuous.cost / allocation.computeMultiplier.estimate,
        ).toBeCloseTo(1, 6);
        // The two problems are each other's inverse: that money buys that success and no more.
        const back = value(allocate({ ...given, mode: { kind: "budget", amount: allocation.continuous.cost } }));
        expect(back.continuous.predicted.estimate).toBeCloseTo(allocation.current.predicted.estimate, 8);
      }),
      RUNS,
    );
  });

  const rules: IntegerRule[] = [
    { id: "batch", message: "tasks divisible by 8", holds: (at) => at.tasks % 8 === 0 },
    {
      id: "group",
      message: "rollouts of a step divisible by the GPUs",
      holds: (at) => (at.tasks * at.trajectories) % 16 === 0,
    },
    { id: "even", message: "an even number of rollouts", holds: (at) => at.trajectories % 2 === 0 },
  ];

  it("the whole-number split satisfies every declared rule and limit", () => {
    fc.assert(
      fc.property(problem, fc.subarray(rules), (given, chosen) => {
        const result = allocate({ ...given, limits: { trajectories: [2, 64] }, whole: { rules: chosen } });
        if (!result.ok) {
          // Only budgets that cannot pay for the least split that satisfies every rule may be refused.
          expect(["allocation.no-whole-numbers", "allocation.infeasible"]).toContain(result.problem.code);
          expect(value(given.cost.cost({ tasks: 8, environments: 1, trajectories: 2 }))).toBeGreaterThan(
            value(given.cost.cost(given.current)),
          );
          return;
        }
        const { optimum, rounding } = result.value;
        for (const axis of AXES) expect(Number.isInteger(optimum.levels[axis])).toBe(true);
        expect(optimum.levels.trajectories).toBeGreaterThanOrEqual(2);
        expect(optimum.levels.trajectories).toBeLessThanOrEqual(64);
        expect(rounding?.rules.map((rule) => rule.holds)).toEqual(chosen.map(() => true));
        for (const rule of chosen) expect(rule.holds(optimum.levels as Record<string, number>)).toBe(true);
      }),
      RUNS,
    );
  });

  it("an optimised split is not asked to change again", () => {
    fc.assert(
      fc.property(problem, (given) => {
        const once = value(allocate({ ...given, whole: {} }));
        const again = value(allocate({ ...given, current: once.optimum.levels, whole: {} }));
        expect(again.optimum.predicted.estimate).toBeGreaterThanOrEqual(once.optimum.predicted.estimate - 1e-12);
        expect(again.regret.withinNoise).toBe(true);
      }),
      { numRuns: 25, seed: SEED },
    );
  });
});
