/** Forecasts on finished curves, each judged without the residuals of its own source. */
import { residualsOf, type Residual, tableOf } from "../../../server/core/forecast/calibration";
import { centre } from "../../../server/core/forecast/centre";
import { binned, endValue } from "../../../server/core/forecast/curve";
import { forecast } from "../../../server/core/forecast/forecast";
import { leastSquares } from "../../../server/core/forecast/rivals";
import type { CurveClass, Published } from "./curves";

export const SHOWN = [0.2, 0.3, 0.5, 0.7] as const;

/** One forecast beside what came of the run. Rates in [0, 1]. */
export interface Judged {
  readonly id: string;
  readonly class: CurveClass;
  readonly share: number;
  readonly truth: number;
  readonly now: number;
  /** Standard deviation of truth − now by the noise of points alone. */
  readonly se: number;
  readonly estimate: number;
  readonly low: number;
  readonly high: number;
  readonly advice: string;
  /** The last measured value, and the end of a least-squares sigmoid. */
  readonly rivals: { readonly last: number; readonly sigmoid: number };
}

export function judgeAll(curves: readonly Published[]): Judged[] {
  const residuals: Residual[] = curves.flatMap(({ curve, group }) => residualsOf(curve, group));
  const judged: Judged[] = [];
  for (const group of new Set(curves.map((each) => each.group))) {
    const table = tableOf(residuals.filter((residual) => residual.group !== group));
    for (const { id, curve, class: kind } of curves.filter((each) => each.group === group)) {
      const planned = curve.points[curve.points.length - 1].step;
      const truth = endValue(curve.points);
      const ending = curve.points.filter(({ step }) => step >= 0.9 * planned).length;
      for (const share of SHOWN) {
        const points = curve.points.filter(({ step }) => step <= share * planned * (1 + 1e-9));
        const seen = { ...curve, points };
        const found = forecast({ curve: seen, planned, table });
        const middle = centre(seen, planned);
        if (!found.ok || !middle) continue;
        const { now, final, advice } = found.value;
        judged.push({
          id,
          class: kind,
          share,
          truth,
          now,
          se: Math.sqrt(middle.variance / Math.min(points.length, 4) + middle.variance / ending),
          ...final,
          advice: advice.kind,
          rivals: {
            last: points[points.length - 1].rate,
            sigmoid: leastSquares(binned(points, planned), "sigmoid"),
          },
        });
      }
    }
  }
  return judged;
}

/** What a stop rule does when it is asked at every share in turn. */
export interface Stops {
  readonly runs: number;
  readonly stopped: number;
  /** Share of the stopped runs that would have gained more than a point beyond noise. */
  readonly lost: number;
  /** Compute saved, as a share of what a rule that knows the end saves. */
  readonly saved: number;
  /** Mean of truth − now over stopped runs, in rates. */
  readonly signed: number;
}

const POINT = 0.01;

export function stops(judged: readonly Judged[]): Stops {
  const runs = new Map<string, Judged[]>();
  for (const each of judged) runs.set(each.id, [...(runs.get(each.id) ?? []), each]);
  let stopped = 0;
  let lost = 0;
  let saved = 0;
  let best = 0;
  let signed = 0;
  for (const asked of runs.values()) {
    const perfect = asked.find(({ truth, now }) => truth - now <= POINT);
    if (perfect) best += 1 - perfect.share;
    const stop = asked.find(({ advice }) => advice === "stop");
    if (!stop) continue;
    stopped++;
    saved += 1 - stop.share;
    signed += stop.truth - stop.now;
    if (stop.truth - stop.now > POINT + 1.64 * stop.se) lost++;
  }
  return {
    runs: runs.size,
    stopped,
    lost: stopped > 0 ? lost / stopped : 0,
    saved: best > 0 ? saved / best : 0,
    signed: stopped > 0 ? signed / stopped : 0,
  };
}
