/** Forecasts on curves with a known end: simulated ones here, published ones in `npm run studies -- forecast`. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { residualsOf, tableOf } from "../../../server/core/forecast/calibration";
import { endValue, type Curve } from "../../../server/core/forecast/curve";
import { forecast } from "../../../server/core/forecast/forecast";
import { random } from "../../../server/core/numerics/random";

/** A sigmoid in ln(step) from `low` to `high`, halfway at `middle` (share of 100 steps), with noise. */
function sigmoid(low: number, high: number, middle: number, noise: number, seed: number, until = 100): Curve {
  const stream = random(seed);
  const points = Array.from({ length: 50 }, (_, i) => {
    const step = (i + 1) * 2;
    const rate = low + (high - low) / (1 + (step / (middle * 100)) ** -3) + noise * stream.normal();
    return { step, rate: Math.min(1, Math.max(0, rate)) };
  }).filter(({ step }) => step <= until);
  return { points, kind: "evaluation", samples: 500 };
}

function value(curve: Curve, more: Partial<Parameters<typeof forecast>[0]> = {}) {
  const found = forecast({ curve, planned: 100, ...more });
  if (!found.ok) throw new Error(found.problem.message);
  return found.value;
}

describe("forecast", () => {
  it("covers the end of simulated sigmoids and beats the last value", () => {
    let covered = 0;
    let ours = 0;
    let last = 0;
    const runs = 120;
    for (let i = 0; i < runs; i++) {
      const stream = random(100 + i);
      const [low, high, middle] = [0.3 * stream.next(), 0.4 + 0.6 * stream.next(), 0.1 + 0.5 * stream.next()];
      const truth = endValue(sigmoid(low, high, middle, 0, i).points);
      const seen = sigmoid(low, high, middle, 0.02, i, 30);
      const { final } = value(seen);
      if (final.low <= truth && truth <= final.high) covered++;
      ours += Math.abs(final.estimate - truth);
      last += Math.abs(seen.points[seen.points.length - 1].rate - truth);
    }
    expect(covered / runs).toBeGreaterThan(0.9);
    expect(ours).toBeLessThan(0.7 * last);
  });

  it("narrows as the run goes on", () => {
    const widths = [20, 40, 60, 80, 98].map((until) => {
      const { final } = value(sigmoid(0.1, 0.7, 0.3, 0.015, 7, until));
      return final.high - final.low;
    });
    for (let i = 1; i < widths.length; i++) expect(widths[i]).toBeLessThan(widths[i - 1]);
  });

  it("is pulled by a law, and only so far by one that is astray", () => {
    const seen = sigmoid(0.1, 0.7, 0.3, 0.015, 3, 30);
    const free = value(seen).final;
    const law = value(seen, { law: { success: free.estimate + 0.1, sd: 0.03 } }).final;
    expect(law.estimate).toBeGreaterThan(free.estimate + 0.02);
    expect(law.high - law.low).toBeLessThan(free.high - free.low);
    const astray = value(seen, { law: { success: 0.01, sd: 0.01 } }).final;
    expect(Math.abs(astray.estimate - free.estimate)).toBeLessThan(0.15);
  });

  it("gives probabilities that agree with its interval", () => {
    const found = value(sigmoid(0.1, 0.7, 0.3, 0.015, 3, 40), { target: 0.99, best: 0.05 });
    expect(found.reach.target).toBeLessThan(0.2);
    expect(found.reach.best).toBeGreaterThan(0.95);
    expect(found.reach.law).toBeNull();
    const { final } = found;
    const above = value(sigmoid(0.1, 0.7, 0.3, 0.015, 3, 40), { target: final.high + 1e-6 }).reach.target ?? 1;
    expect(above).toBeLessThanOrEqual(0.0251);
  });

  it("says by which step nearly all of the gain is reached", () => {
    const found = value(sigmoid(0.1, 0.8, 0.3, 0.01, 5, 30));
    expect(found.gainStep).toBeGreaterThan(60);
    expect(found.gainStep).toBeLessThanOrEqual(100);
    expect(found.fan[0].step).toBeCloseTo(30);
    expect(found.fan[found.fan.length - 1].step).toBeCloseTo(100);
    expect(found.fan[found.fan.length - 1].estimate).toBeCloseTo(found.final.estimate, 6);
  });

  it("lets a team's own finished runs set the width", () => {
    const seen = sigmoid(0.1, 0.7, 0.3, 0.015, 3, 50);
    const steady = value(seen, { own: new Array<number>(200).fill(0) }).final;
    const wild = value(seen, { own: Array.from({ length: 200 }, (_, i) => (i % 2 === 0 ? -6 : 6)) }).final;
    const shipped = value(seen).final;
    expect(steady.high - steady.low).toBeLessThan(shipped.high - shipped.low);
    expect(wild.high - wild.low).toBeGreaterThan(shipped.high - shipped.low);
  });

  it("refuses too few points", () => {
    const found = forecast({ curve: { points: [{ step: 1, rate: 0.2 }], kind: "evaluation" }, planned: 100 });
    expect(found).toMatchObject({ ok: false, problem: { code: "forecast.few-points" } });
  });

  it("never leaves [0, 1], whatever the curve", () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 3, maxLength: 60 }),
        fc.double({ min: 1, max: 50, noNaN: true }),
        fc.constantFrom("evaluation" as const, "training" as const),
        (rates, stretch, kind) => {
          const points = rates.map((rate, i) => ({ step: i + 1, rate }));
          const found = forecast({ curve: { points, kind }, planned: rates.length * stretch });
          if (!found.ok) throw new Error(found.problem.message);
          const { final, fan, now } = found.value;
          expect(final.low).toBeGreaterThanOrEqual(0);
          expect(final.high).toBeLessThanOrEqual(1);
          expect(final.low).toBeLessThanOrEqual(final.estimate);
          expect(final.estimate).toBeLessThanOrEqual(final.high);
          expect(now).toBeGreaterThanOrEqual(0);
          expect(now).toBeLessThanOrEqual(1);
          for (const place of fan) {
            expect(place.low).toBeGreaterThanOrEqual(0);
            expect(place.high).toBeLessThanOrEqual(1);
            expect(place.low).toBeLessThanOrEqual(place.high);
          }
        },
      ),
      { numRuns: 150 },
    );
  });
});

describe("advice", () => {
  it("stops a run that has long been flat, and not one that rises", () => {
    expect(value(sigmoid(0.1, 0.7, 0.03, 0.008, 1, 80)).advice.kind).toBe("stop");
    expect(value(sigmoid(0.1, 0.8, 0.5, 0.01, 1, 40)).advice.kind).toBe("continue");
  });

  it("looks at a fall, at groups without gradient and at an entropy that is gone", () => {
    const fallen = sigmoid(0.1, 0.7, 0.05, 0.01, 1, 60);
    const points = fallen.points.map(({ step, rate }) => ({ step, rate: step > 40 ? rate - 0.3 : rate }));
    const fell = value({ ...fallen, points }).advice;
    expect(fell.kind).toBe("look");
    expect(fell.reasons[0].code).toBe("forecast.falling");
    const rising = sigmoid(0.1, 0.8, 0.5, 0.01, 1, 40);
    expect(value(rising, { signs: { deadGroups: 0.8 } }).advice).toMatchObject({
      kind: "look",
      reasons: [{ code: "forecast.dead-groups" }],
    });
    expect(value(rising, { signs: { entropy: { now: 0.05, first: 0.9 } } }).advice.kind).toBe("look");
  });
});

describe("calibration", () => {
  it("gives back the quantiles of its residuals", () => {
    const residuals = Array.from({ length: 1000 }, (_, i) => ({ share: 0.5, error: i / 999, group: String(i) }));
    const table = tableOf(residuals, [0.5]);
    for (const [i, level] of table.levels.entries()) expect(table.quantiles[0][i]).toBeCloseTo(level, 2);
  });

  it("counts a group of many alike curves for less than as many groups", () => {
    const alike = Array.from({ length: 100 }, () => ({ share: 0.5, error: 5, group: "one" }));
    const others = Array.from({ length: 100 }, (_, i) => ({ share: 0.5, error: 0, group: `other ${i}` }));
    const table = tableOf([...alike, ...others], [0.5]);
    expect(table.quantiles[0][table.levels.indexOf(0.6)]).toBe(0);
  });

  it("forecasts a finished curve again at each share", () => {
    const found = residualsOf(sigmoid(0.1, 0.7, 0.3, 0.015, 3), "own");
    expect(found.map(({ share }) => share)).toEqual([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]);
    for (const { error } of found) expect(Math.abs(error)).toBeLessThan(5);
  });
});
