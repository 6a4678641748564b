import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { instance } from "../../../server/core/laws/instance";
import { controlled } from "../../../server/core/laws/forms/controlled";
import { customModel } from "../../../server/core/laws/forms/custom";
import { LAWS, lawFamily } from "../../../server/core/laws/list";
import type { LawContext, Model } from "../../../server/core/laws/model";

const AXES = ["tasks", "environments", "trajectories"];
const ranges = Object.fromEntries(
  [...AXES, "parameters"].map((axis, i) => [axis, { min: 1 + i, max: 100 * (i + 2), centre: 10 + 3 * i }]),
);
const context: LawContext = { response: "success", top: 1, ranges };
const members = LAWS.flatMap((family) => [
  ...family.members(AXES, context),
  ...family.members(["trajectories"], context),
]);
const hand = customModel(
  {
    expression: "E + A * tasks^(-alpha_tasks) * (1 + exp(-b * log(environments))) + tanh(c) / trajectories",
    parameters: {
      E: { low: 0, high: 0.9 },
      A: { low: 1e-3, high: 1e3 },
      alpha_tasks: { low: 0.02, high: 1.5 },
      b: { low: -1, high: 1 },
      c: { low: -2, high: 2 },
    },
  },
  AXES,
  context,
);
if (hand.ok) members.push(hand.value, controlled(members[1], Float64Array.of(0.3, -0.2, 0.1, -0.2)));

const label = (model: Model): string =>
  [model.law, model.variant, `${model.axes.length} axes`].filter(Boolean).join(" ");
const U = Float64Array.of(-1, 0.4, 1.2, 2, 0.5, -0.7, 0.1, 1, 0.9, 1.4, -0.3, 0.2);

/** θ inside the bounds, away from the ends. */
function thetas(model: Model): fc.Arbitrary<number[]> {
  return fc.tuple(
    ...model.parameters.map((p) => {
      const [low, high] =
        p.role === "log-coefficient"
          ? [-3, 0]
          : p.role === "exponent"
            ? [0.05, 1.2]
            : [p.low, Math.min(p.high, p.low + 8)];
      return fc.double({ min: low + 0.05 * (high - low), max: high - 0.05 * (high - low), noNaN: true });
    }),
  ) as unknown as fc.Arbitrary<number[]>;
}

const moved = (theta: readonly number[], p: number, by: number): number[] =>
  theta.map((value, i) => (i === p ? value + by : value));

describe.each(members.map((model) => [label(model), model] as const))("%s", (_, model) => {
  const m = 4,
    u = U.slice(0, model.axes.length * m);
  const at = (theta: readonly number[], levels: Float64Array): Float64Array => {
    const e = new Float64Array(m);
    model.evaluate(theta, levels, m, e, null);
    return e;
  };

  it("has the derivatives that finite differences give", () => {
    fc.assert(
      fc.property(thetas(model), (theta) => {
        const e = new Float64Array(m),
          jacobian = new Float64Array(model.parameters.length * m),
          byLevel = new Float64Array(model.axes.length * m);
        model.evaluate(theta, u, m, e, jacobian, byLevel);
        const h = 1e-5;
        const near = (exact: number, up: number, down: number): void => {
          const rough = (up - down) / (2 * h);
          expect(Math.abs(exact - rough)).toBeLessThan(1e-5 * (1 + Math.abs(rough)));
        };
        theta.forEach((_, p) => {
          const up = at(moved(theta, p, h), u),
            down = at(moved(theta, p, -h), u);
          for (let i = 0; i < m; i++) near(jacobian[p * m + i], up[i], down[i]);
        });
        for (let a = 0; a < model.axes.length; a++) {
          for (let i = 0; i < m; i++) {
            const plus = u.slice(),
              minus = u.slice();
            plus[a * m + i] += h;
            minus[a * m + i] -= h;
            near(byLevel[a * m + i], at(theta, plus)[i], at(theta, minus)[i]);
          }
        }
      }),
      { numRuns: 20 },
    );
  });

  it("equals its posynomial, where it is one, at raw levels", () => {
    fc.assert(
      fc.property(
        thetas(model),
        fc.array(fc.double({ min: 1, max: 500, noNaN: true }), {
          minLength: model.axes.length,
          maxLength: model.axes.length,
        }),
        (theta, x) => {
          const law = instance(
            model,
            theta,
            model.axes.map((axis) => Math.log(ranges[axis].centre)),
          );
          const posynomial = law.posynomial();
          if (!posynomial) return;
          const value = posynomial.terms.reduce(
            (sum, term) =>
              sum + Math.exp(term.exponents.reduce((log, a, i) => log + a * Math.log(x[i]), term.logCoefficient)),
            posynomial.floor,
          );
          expect(value / law.error(x)).toBeCloseTo(1, 9);
          expect(posynomial.terms.every((term) => term.exponents.every((a) => a <= 0))).toBe(true);
        },
      ),
      { numRuns: 20 },
    );
  });
});

describe("laws in raw units", () => {
  it("multiplicative: A·∏x^−α with the natural parameters is the law itself", () => {
    const [model] = lawFamily("multiplicative")!.members(AXES, context);
    const theta = [0.1, Math.log(0.3), 0.25, 0.3, 0.12],
      logCentre = AXES.map((axis) => Math.log(ranges[axis].centre));
    const [E, A, ...alpha] = model.natural(theta, logCentre);
    const x = [120, 7, 5];
    expect(E + A * x.reduce((product, level, i) => product * level ** -alpha[i], 1)).toBeCloseTo(
      instance(model, theta, logCentre).error(x),
      12,
    );
  });

  it("saturating: levels far below R count in full, far above not at all", () => {
    const [model] = lawFamily("saturating")!.members(["trajectories"], context);
    const theta = [0.1, Math.log(0.3), 0.5, Math.log(10)],
      law = instance(model, theta, [Math.log(ranges.trajectories.centre)]);
    const plain = instance(lawFamily("single-axis")!.members(["trajectories"], context)[0], theta, [
      Math.log(ranges.trajectories.centre),
    ]);
    expect(law.error([1])).toBeCloseTo(plain.error([1]), 10);
    expect(law.error([1e6])).toBeCloseTo(plain.error([11]), 10);
    expect(law.posynomial()).toBeNull();
  });

  it("nested: tasks enter the terms of what lies inside them", () => {
    const [model] = lawFamily("nested")!.members(AXES, context);
    expect(model.posynomial([0, 0, 0, 0, 0.3, 0.4, 0.1])!.terms.map((term) => term.exponents)).toEqual(
      [
        [-0, -0.4, -0],
        [-0.3, -0.3, -0],
        [-0.1, -0.1, -0.1],
      ].map((row) => row.map((v) => (v === 0 ? 0 : v))),
    );
  });
});

describe("custom laws", () => {
  const bounds = { a: { low: 0.1, high: 1 } };
  it.each([
    ["a + tsks", "law.custom-symbol", "tsks"],
    ["a + ones(10000, 10000)", "law.custom-symbol", "ones"],
    ["a = 3", "law.custom-symbol", "assignment"],
    ["a + [1, 2]", "law.custom-symbol", "array"],
    ["a + import(tasks)", "law.custom-symbol", "import"],
    ["a +", "law.custom-syntax", ""],
    ["tasks * 2", "law.custom-symbol", "does not occur"],
    [`${"(".repeat(100)}a${")".repeat(100)}`, "law.custom-symbol", "nests"],
    ["a" + " + a".repeat(2000), "law.custom-syntax", "longer"],
  ])("refuses %.40s", (expression, code, word) => {
    const made = customModel({ expression, parameters: bounds }, AXES, context);
    expect(made.ok).toBe(false);
    if (!made.ok) {
      expect(made.problem.code).toBe(code);
      expect(made.problem.message).toContain(word);
    }
  });

  it("refuses bounds that do not rise, and no law at all", () => {
    expect(customModel({ expression: "a", parameters: { a: { low: 1, high: 1 } } }, AXES, context)).toMatchObject({
      ok: false,
      problem: { code: "law.custom-bounds" },
    });
    expect(customModel(undefined, AXES, context)).toMatchObject({ ok: false, problem: { code: "law.custom-missing" } });
  });
});
