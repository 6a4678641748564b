import { binned, type Curve, noiseVariance } from "./curve";
import { clamp, ensemble, mixture } from "./ensemble";
import { leastSquares } from "./rivals";

/** Where a curve is and where it heads, before its interval is calibrated. Rates in [0, 1]. */
export interface Centre {
  /** Share of the planned steps that has been seen, in (0, 1]. */
  readonly share: number;
  /** The level reached: noise of single points taken out. */
  readonly now: number;
  /** Standard deviation of `now`. */
  readonly nowSd: number;
  readonly end: number;
  /** By which the error of `end` is measured: calibrated intervals are multiples of it. */
  readonly scale: number;
  /** The highest bin so far. */
  readonly peak: number;
  /** Variance of one measured point. */
  readonly variance: number;
  /** From `share` to 1: the curve that leads to `end`. */
  readonly path: readonly { readonly u: number; readonly rate: number }[];
}

/** Fewest points that a forecast rests on. */
export const FEWEST_POINTS = 2;

/** Places on the way to the end. */
const PLACES = 24;

/** How much the plain fits count beside the ensemble: early, when few points leave it to its priors, the most. */
function boldness(share: number): number {
  return 0.6 * (1 - share) ** 3;
}

/**
 * The centre and the scale of a forecast.
 * @param planned step of the planned end, at least the last step seen
 */
export function centre(curve: Curve, planned: number): Centre | null {
  const points = curve.points.filter(({ step, rate }) => step >= 0 && step <= planned && rate >= 0 && rate <= 1);
  if (points.length < FEWEST_POINTS || !(planned > 0)) return null;
  const variance = noiseVariance({ ...curve, points });
  const bins = binned(points, planned);
  const share = Math.min(1, points[points.length - 1].step / planned);
  const places = [1, share, ...Array.from({ length: PLACES }, (_, i) => share + ((1 - share) * (i + 1)) / PLACES)];
  const members = ensemble(bins, variance, places);
  const { mean, sd } = mixture(members, 0);
  const level = mixture(members, 1);
  const now = level.mean;
  const bold = (now + leastSquares(bins, "sigmoid") + leastSquares(bins, "power")) / 3;
  const weight = boldness(share);
  const end = (1 - weight) * mean + weight * bold;
  const peak = Math.max(...bins.map(({ rate }) => rate));
  const scale = 0.01 + sd + 0.5 * Math.abs(bold - mean) + 0.5 * Math.abs(now - end) + 0.3 * Math.max(0, peak - now);
  const way = places.slice(1).map((u, i) => ({ u, rate: mixture(members, i + 1).mean }));
  return {
    share,
    now,
    nowSd: level.sd,
    end,
    scale,
    peak,
    variance,
    path: way.map(({ u, rate }) => ({
      u,
      rate: clamp(rate + (end - mean) * (share < 1 ? (u - share) / (1 - share) : 1)),
    })),
  };
}
