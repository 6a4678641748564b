import type { Estimate } from "../estimate";
import { ok, refused, type Result } from "../result";
import type { RunSigns } from "../table";
import { type Advice, adviceOf } from "./advice";
import type { ResidualTable } from "./calibration";
import { centre, FEWEST_POINTS } from "./centre";
import type { Curve } from "./curve";
import { finalOf, type LawPrior, outlook, reaches, spreadOf } from "./outlook";
import { SHIPPED_RESIDUALS } from "./residuals";

/** What a forecast is made of. Rates in [0, 1]. */
export interface ForecastInput {
  readonly curve: Curve;
  /** Step of the planned end, in the curve's own steps. */
  readonly planned: number;
  /** What the fit says of this config. */
  readonly law?: LawPrior;
  /** A success rate that is wanted. */
  readonly target?: number;
  /** The best finished run so far. */
  readonly best?: number;
  /** Errors of this workspace's finished runs at about this share; see `residualsOf`. */
  readonly own?: readonly number[];
  readonly signs?: RunSigns;
  /** Default: the one that is shipped. */
  readonly table?: ResidualTable;
}

/** Where a run will end. Rates in [0, 1], steps in the curve's own. */
export interface Forecast {
  readonly step: number;
  readonly planned: number;
  readonly share: number;
  /** The level now, noise of single points taken out. */
  readonly now: number;
  readonly final: Estimate;
  /** Standard deviation of the end value. */
  readonly sd: number;
  /** Probability to end at or above each; null where it is not given. */
  readonly reach: { readonly law: number | null; readonly target: number | null; readonly best: number | null };
  /** End value less the level now. */
  readonly gain: Estimate;
  /** Step by which 95 % of the gain is reached; null where less than a point is to be gained. */
  readonly gainStep: number | null;
  readonly advice: Advice;
  /** From the last step seen to the planned end. The interval is calibrated at the end, and interpolated on the way. */
  readonly fan: readonly (Estimate & { readonly step: number })[];
}

/** 95 % of the gain, for the step by which nearly all of it is reached. */
const NEARLY_ALL = 0.95;
const POINT = 0.01;

export function forecast(input: ForecastInput): Result<Forecast> {
  const { curve, planned } = input;
  const found = centre(curve, planned);
  if (!found)
    return refused(
      "forecast.few-points",
      `A forecast needs at least ${FEWEST_POINTS} measured points within the planned steps; there are ${curve.points.length}.`,
    );
  const ahead = outlook(found, input.table ?? SHIPPED_RESIDUALS, input.own, input.law);
  const final = finalOf(ahead);
  const { now, share, nowSd } = found;
  const shift = final.estimate - found.end;
  const path = found.path.map(({ u, rate }) => ({
    u,
    rate: Math.min(1, Math.max(0, rate + shift * progress(u, share))),
  }));
  const gain = final.estimate - now;
  const reached = path.find(({ rate }) => Math.abs(rate - now) >= NEARLY_ALL * Math.abs(gain));
  const reach = (rate: number | undefined) => (rate === undefined ? null : reaches(ahead, rate));
  return ok({
    step: curve.points[curve.points.length - 1].step,
    planned,
    share,
    now,
    final,
    sd: spreadOf(ahead),
    reach: { law: reach(input.law?.success), target: reach(input.target), best: reach(input.best) },
    gain: { estimate: gain, low: final.low - now, high: final.high - now },
    gainStep: gain > POINT && reached ? reached.u * planned : null,
    advice: adviceOf(found, ahead, curve.points.length, input.signs),
    fan: path.map(({ u, rate }) => {
      const t = progress(u, share);
      const near = 1.96 * nowSd * (1 - t);
      return {
        step: u * planned,
        estimate: rate,
        low: Math.max(0, rate - near - Math.sqrt(t) * (final.estimate - final.low)),
        high: Math.min(1, rate + near + Math.sqrt(t) * (final.high - final.estimate)),
      };
    }),
  });
}

function progress(u: number, share: number): number {
  return share < 1 ? Math.max(0, (u - share) / (1 - share)) : 1;
}
