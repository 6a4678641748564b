/** One measured point of a run: `step` in any unit that rises from 0, `rate` in [0, 1]. */
export interface Measured {
  readonly step: number;
  readonly rate: number;
}

/** Held-out evaluations, or the success of the training rollouts themselves: the second is noisier. */
type CurveKind = "evaluation" | "training";

/** A learning curve as far as it has been seen. */
export interface Curve {
  /** Steps rise strictly. */
  readonly points: readonly Measured[];
  readonly kind: CurveKind;
  /** Rollouts or tasks behind each point; absent when unknown. */
  readonly samples?: number;
}

/** Points taken together: mean share of the planned steps, mean rate, and how many. */
export interface Bin {
  readonly u: number;
  readonly rate: number;
  readonly count: number;
}

/** More bins do not tell more about a curve of four parameters. */
const MOST_BINS = 16;

/** Points within [0, planned] as bins of equally many points, steps as shares of `planned`. */
export function binned(points: readonly Measured[], planned: number): Bin[] {
  const bins = Math.min(MOST_BINS, points.length);
  return Array.from({ length: bins }, (_, i) => {
    const part = points.slice(Math.floor((i * points.length) / bins), Math.floor(((i + 1) * points.length) / bins));
    return {
      u: mean(part.map(({ step }) => step)) / planned,
      rate: mean(part.map(({ rate }) => rate)),
      count: part.length,
    };
  });
}

/** Rollouts of one prompt are alike, so a point holds less than its count says: variance over the binomial one. */
const OVERDISPERSION = { evaluation: 1.5, training: 3 };
/** Standard deviation of a point whose count is unknown. */
const UNCOUNTED = { evaluation: 0.02, training: 0.04 };
/** Points that the binomial variance counts for beside the second differences. */
const PRIOR_POINTS = 4;

/**
 * Variance of one point about the curve: second differences of the curve itself (each has six times that variance where the
 * curve is smooth), drawn towards the binomial variance of its samples.
 */
export function noiseVariance({ points, kind, samples }: Curve): number {
  const p = Math.min(0.98, Math.max(0.02, mean(points.map(({ rate }) => rate))));
  const binomial =
    samples !== undefined && samples > 0 ? (OVERDISPERSION[kind] * p * (1 - p)) / samples : UNCOUNTED[kind] ** 2;
  const differences = points.length - 2;
  if (differences < 1) return binomial;
  let squares = 0;
  for (let i = 2; i < points.length; i++)
    squares += (points[i].rate - 2 * points[i - 1].rate + points[i - 2].rate) ** 2 / 6;
  return (PRIOR_POINTS * binomial + squares) / (PRIOR_POINTS + differences);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The end value that forecasts are scored by: the mean of the last tenth of the planned steps. */
export const END_SHARE = 0.1;

/** Mean rate over the last tenth of the steps, the last point at least. */
export function endValue(points: readonly Measured[]): number {
  const last = points[points.length - 1].step;
  return mean(points.filter(({ step }) => step >= last * (1 - END_SHARE)).map(({ rate }) => rate));
}
