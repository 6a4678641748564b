/** Against scipy: the file's answers were made by test/studies/scipy_reference.py. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { manyStarts, observe, rangesOf } from "../../../server/core/solve/manyStarts";
import { profileInterval } from "../../../server/core/fit/intervals/profile";
import { binomial, gaussian } from "../../../server/core/solve/likelihood";
import { nonNegative } from "../../../server/core/numerics/linear";
import { fittedErrors } from "../../../server/core/solve/scale";
import {
  digamma,
  incompleteBeta,
  lnGamma,
  normalQuantile,
  quantile,
  studentQuantile,
} from "../../../server/core/numerics/special";
import { lawFamily } from "../../../server/core/laws/list";
import type { Run } from "../../../server/core/solve/run";

interface Reference {
  readonly rows: Readonly<Record<string, readonly (readonly number[])[]>>;
  readonly answers: Readonly<Record<string, { readonly objective: number; readonly error: readonly number[] }>>;
  readonly special: Readonly<Record<string, readonly (readonly number[])[]>>;
}

const reference = JSON.parse(
  readFileSync(new URL("../../fixtures/fit/scipy.json", import.meta.url), "utf8"),
) as Reference;
const AXES = ["tasks", "environments", "trajectories"];

function runsOf(rows: readonly (readonly number[])[]): Run[] {
  return rows.map(([tasks, environments, trajectories, successes, trials], i) => ({
    y: 1 - successes / trials,
    n: trials,
    setting: "",
    row: {
      id: `${i}`,
      axes: { tasks, environments, trajectories },
      outcome: { kind: "counts", successes, trials },
      setting: "",
      files: [],
    },
  }));
}

describe.each(Object.keys(reference.answers))("%s law", (law) => {
  const runs = runsOf(reference.rows[law]),
    ranges = rangesOf(runs, AXES),
    seen = observe(runs, AXES, ranges);
  const members = lawFamily(law)!.members(AXES, { response: "success", top: 1, ranges });
  const model = members.find((one) => one.variant === null || one.variant === "environments leads")!;
  const fit = manyStarts(model, seen, binomial, 50, 1);

  it("reaches an objective no worse than scipy's best of 120, with the same fitted errors", () => {
    const { objective, error } = reference.answers[law];
    expect(fit.objective).toBeLessThanOrEqual(objective * (1 + 1e-6));
    // Never lower by more than rounding either: that would be another objective.
    if (fit.objective > objective * (1 - 1e-6))
      fittedErrors(model, fit.theta, seen)
        .slice(0, 5)
        .forEach((e, i) => expect(e).toBeCloseTo(error[i], 3));
  });

  it("profiles rise by exactly the threshold at their ends", () => {
    const which = model.parameters.findIndex((one) => one.name === "alpha_environments"),
      rise = 2;
    const { low, high, lowOpen, highOpen } = profileInterval(
      model,
      seen,
      binomial,
      fit.theta,
      fit.objective,
      which,
      rise,
    );
    expect(low).toBeLessThanOrEqual(fit.theta[which]);
    expect(high).toBeGreaterThanOrEqual(fit.theta[which]);
    for (const [end, open] of [
      [low, lowOpen],
      [high, highOpen],
    ] as const) {
      if (open) continue;
      // Independent check: hold the exponent there and start everything else anew.
      const held = {
        ...model,
        parameters: model.parameters.map((one, i) => (i === which ? { ...one, low: end, high: end } : one)),
      };
      expect(manyStarts(held, seen, binomial, 30, 2).objective - fit.objective).toBeCloseTo(rise, 1);
    }
  });
});

describe("numerics", () => {
  it.each(Object.entries({ lnGamma, digamma, incompleteBeta, studentQuantile, normalQuantile }))(
    "%s agrees with scipy",
    (name, fn) => {
      for (const row of reference.special[name]) {
        const exact = row[row.length - 1];
        expect(Math.abs((fn as (...args: number[]) => number)(...row.slice(0, -1)) - exact)).toBeLessThan(
          1e-8 * (1 + Math.abs(exact)),
        );
      }
    },
  );

  it("quantiles interpolate as numpy's do", () => {
    expect(quantile([3, 1, 2, 10], 0.25)).toBeCloseTo(1.75, 12);
    expect(quantile([5], 0.9)).toBe(5);
    expect(quantile([], 0.5)).toBeNaN();
  });

  it("non-negative least squares empties what would go negative", () => {
    // Columns (1, 0), (1, 1), target (1, −1): unconstrained x = (2, −1); with x₂ held at 0, x₁ = 1.
    const { x } = nonNegative(Float64Array.of(1, 1, 1, 2), Float64Array.of(1, 0), 2);
    expect(Array.from(x)).toEqual([expect.closeTo(1, 8), 0]);
  });

  it("log–log least squares has its closed form", () => {
    const x = [1, 2, 4, 8, 16],
      y = [0.9, 0.55, 0.4, 0.21, 0.13];
    const lx = x.map(Math.log),
      ly = y.map(Math.log),
      mx = lx.reduce((a, b) => a + b) / 5,
      my = ly.reduce((a, b) => a + b) / 5;
    const slope = lx.reduce((s, v, i) => s + (v - mx) * (ly[i] - my), 0) / lx.reduce((s, v) => s + (v - mx) ** 2, 0);
    const ranges = { tasks: { min: 1, max: 16, centre: 4, levels: 5 } };
    const [model] = lawFamily("power")!.members(["tasks"], { response: "loss", top: 1, ranges });
    const seen = {
      m: 5,
      u: Float64Array.from(lx, (v) => v - Math.log(4)),
      y: Float64Array.from(y),
      n: new Float64Array(5).fill(1),
    };
    expect(manyStarts(model, seen, gaussian("log"), 10, 1).theta[1]).toBeCloseTo(-slope, 8);
  });
});
