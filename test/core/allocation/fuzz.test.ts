import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  allocate,
  compareSplits,
  computeEquivalentGain,
  disagreement,
  growthPath,
} from "../../../server/core/allocation";
import type { AllocationProblem, MixShape } from "../../../server/core/allocation";
import { costModel, hardware, posynomialCost } from "../../../server/core/cost";
import type { CostInputs, CostModel } from "../../../server/core/cost";
import { planNextRuns } from "../../../server/core/plan";
import { fitted, instance } from "./support";

// One seed for all, so that a failure is one for everybody; FC_SEED looks elsewhere.
const SEED = Number(process.env.FC_SEED ?? 20261129);
const AXES = ["tasks", "environments", "trajectories", "parameters"];
const odd = fc.oneof(
  fc.double(),
  fc.constantFrom(0, 1, -1, NaN, Infinity, -Infinity, 1e308, 5e-324),
  fc.integer({ min: 1, max: 5000 }),
);
const maybe = <Value>(arbitrary: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> =>
  fc.option(arbitrary, { nil: undefined });
const amounts = fc.record(
  Object.fromEntries(
    AXES.map((axis) => [
      axis,
      fc.option(fc.oneof({ weight: 30, arbitrary: fc.integer({ min: 1, max: 5000 }) }, { weight: 1, arbitrary: odd }), {
        nil: undefined,
        freq: 30,
      }),
    ]),
  ),
);

const posynomial = fc.record({
  floor: fc.oneof(fc.double({ min: -0.2, max: 0.9, noNaN: true }), odd),
  terms: fc.array(
    fc.record({
      logCoefficient: fc.oneof(
        { weight: 5, arbitrary: fc.double({ min: -5, max: 5, noNaN: true }) },
        { weight: 1, arbitrary: odd },
      ),
      exponents: fc.tuple(
        ...AXES.map(() =>
          fc.oneof(
            { weight: 5, arbitrary: fc.double({ min: -1.5, max: 0, noNaN: true }) },
            { weight: 1, arbitrary: fc.constantFrom(0, 0.3, NaN) },
          ),
        ),
      ),
    }),
    { maxLength: 4 },
  ),
});

const cost: fc.Arbitrary<CostModel> = fc
  .array(
    fc.record({
      coefficient: fc.oneof(
        { weight: 4, arbitrary: fc.double({ min: 1e-6, max: 1e6, noNaN: true }) },
        { weight: 1, arbitrary: odd },
      ),
      exponents: fc.subarray(AXES).map((axes) => Object.fromEntries(axes.map((axis) => [axis, 1]))),
      owned: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 1000, noNaN: true })),
    }),
    { maxLength: 4 },
  )
  .map((terms) =>
    posynomialCost(
      terms.map((term, i) => ({ ...term, id: `t${i}`, label: `t${i}`, axis: null, part: "all" as const })),
    ),
  );

const shape: fc.Arbitrary<MixShape> = fc.oneof(
  fc.record({ kind: fc.constant("cap" as const), discount: odd, criticalRatio: odd }),
  fc.record({ kind: fc.constant("peak" as const), discount: odd, harm: odd }),
  fc.record({ kind: fc.constant("saturating" as const), discount: odd, ceiling: odd }),
);

const problem: fc.Arbitrary<AllocationProblem> = fc
  .record({
    law: fc.record({ point: posynomial, draws: fc.array(posynomial, { maxLength: 4 }), opaque: fc.boolean() }),
    cost,
    current: amounts,
    limits: maybe(fc.record({ tasks: fc.tuple(fc.option(odd), fc.option(odd)) })),
    mode: maybe(
      fc.oneof(
        fc.constant({ kind: "same-success" as const }),
        fc.record({ kind: fc.constant("budget" as const), amount: odd }),
      ),
    ),
    mixes: maybe(
      fc.array(fc.record({ axis: fc.constantFrom(...AXES), shape, ratio: odd, optimise: fc.boolean() }), {
        maxLength: 1,
      }),
    ),
    whole: maybe(fc.constant({})),
  })
  .map(
    (parts) =>
      ({
        ...(parts as object),
        law: fitted(AXES, instance(AXES, parts.law.point, parts.law.opaque), {
          draws: parts.law.draws.map((draw) => instance(AXES, draw)),
        }),
        cost: parts.cost,
        current: parts.current,
        free: ["parameters"],
      }) as AllocationProblem,
  );

describe("whatever comes in", () => {
  it("an allocation is a value or a refusal with a dotted code, never an exception", () => {
    let allocated = 0;
    fc.assert(
      fc.property(problem, (given) => {
        const result = allocate(given);
        if (!result.ok) {
          expect(result.problem.code).toMatch(/^(allocation|cost)\.[a-z-]+$/);
          return;
        }
        allocated++;
        // The median over draws may speak against the point's own optimum; then nothing is claimed.
        const { estimate, withinNoise } = result.value.regret;
        expect(estimate >= 0 || withinNoise).toBe(true);
        disagreement(given.law, result.value);
        computeEquivalentGain(given, "equal-growth", 100);
        growthPath(given, [100, NaN]);
      }),
      { numRuns: 150, seed: SEED },
    );
    // The inputs are odd, but not so odd that nothing is ever solved.
    expect(allocated).toBeGreaterThan(5);
  });

  it("a cost model, a plan and a comparison refuse in the same way", () => {
    const inputs = fc.record({
      parameters: maybe(odd),
      tokensPerTrajectory: maybe(odd),
      activeParameters: maybe(odd),
      parameterExponent: maybe(fc.constantFrom(0.5, 1, 1.5)),
      prices: maybe(
        fc.record({
          tasks: maybe(
            fc.record({
              real: maybe(
                fc.record({ value: odd, unit: fc.constantFrom("USD" as const, "FLOPs" as const, "GPUh" as const) }),
              ),
            }),
          ),
        }),
      ),
      design: fc.oneof(
        fc.record({ kind: fc.constant("nested" as const), environmentsPerTask: maybe(odd) }),
        fc.record({ kind: fc.constant("factorial" as const), coverage: maybe(odd) }),
      ),
      hardware: maybe(fc.constant(hardware("H100"))),
    });
    fc.assert(
      fc.property(inputs, amounts, (given, levels) => {
        const model = costModel(given as CostInputs);
        if (!model.ok) {
          expect(model.problem.code).toMatch(/^cost\.[a-z-]+$/);
          return;
        }
        model.value.cost(levels);
        model.value.footprint(levels);
        const plan = planNextRuns({ law: null, cost: model.value, current: levels });
        if (!plan.ok) expect(plan.problem.code).toMatch(/^(plan|cost)\.[a-z-]+$/);
      }),
      { numRuns: 300, seed: SEED },
    );
    fc.assert(
      fc.property(problem, problem, (a, b) => {
        const compared = compareSplits(a, { ...b, law: a.law });
        if (!compared.ok) expect(compared.problem.code).toMatch(/^(allocation|cost)\.[a-z-]+$/);
        expect(compareSplits(a, b)).toMatchObject({ ok: false, problem: { code: "compare.law" } });
      }),
      { numRuns: 40, seed: SEED },
    );
  });
});
