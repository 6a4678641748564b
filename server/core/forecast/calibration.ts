import { centre } from "./centre";
import { type Curve, endValue } from "./curve";

/**
 * Errors of earlier forecasts, (truth − end)/scale, as quantiles: `quantiles[k][i]` belongs to `shares[k]` of the planned
 * steps and to `levels[i]`. They rise from left to right.
 */
export interface ResidualTable {
  readonly shares: readonly number[];
  readonly levels: readonly number[];
  readonly quantiles: readonly (readonly number[])[];
}

/** The error of one forecast on a curve whose end is known. `group` is its source: what must not judge itself. */
export interface Residual {
  readonly share: number;
  readonly error: number;
  readonly group: string;
}

/** Shares at which finished curves are forecast again. */
export const SHARES = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];

/** Closer in the tails, which make the interval. */
export const LEVELS = [
  0, 0.005, 0.01, 0.015, 0.02, 0.025, 0.03, 0.04, 0.05, 0.075, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55,
  0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.925, 0.95, 0.96, 0.97, 0.975, 0.98, 0.985, 0.99, 0.995, 1,
];

/** Errors of a finished curve at every share; none where too little would have been seen. */
export function residualsOf(curve: Curve, group: string, shares: readonly number[] = SHARES): Residual[] {
  const { points } = curve;
  if (points.length < 4) return [];
  const planned = points[points.length - 1].step;
  const truth = endValue(points);
  return shares.flatMap((share) => {
    const seen = points.filter(({ step }) => step <= share * planned * (1 + 1e-9));
    const found = centre({ ...curve, points: seen }, planned);
    return found ? [{ share, error: (truth - found.end) / found.scale, group }] : [];
  });
}

/** A neighbouring share's residuals count half; they lie within this distance. */
const NEIGHBOUR = 0.11;
/** Curves of one group are alike: a group of m counts as m^(1 − this). */
const ALIKE = 0.25;

/** The table of many finished curves' residuals. */
export function tableOf(residuals: readonly Residual[], shares: readonly number[] = SHARES): ResidualTable {
  const size = new Map<string, number>();
  const key = ({ group, share }: Residual) => `${share} ${group}`;
  for (const residual of residuals) size.set(key(residual), (size.get(key(residual)) ?? 0) + 1);
  const quantiles = shares.map((share) => {
    const near = residuals
      .filter((residual) => Math.abs(residual.share - share) < NEIGHBOUR)
      .map((residual) => ({
        error: residual.error,
        weight: (size.get(key(residual)) ?? 1) ** -ALIKE * (Math.abs(residual.share - share) < 1e-9 ? 1 : 0.5),
      }))
      .sort((a, b) => a.error - b.error);
    const total = near.reduce((sum, { weight }) => sum + weight, 0);
    let at = 0;
    let below = 0;
    return LEVELS.map((level) => {
      while (at < near.length - 1 && below + near[at].weight < level * total) below += near[at++].weight;
      return near[at].error;
    });
  });
  return { shares, levels: LEVELS, quantiles };
}

/** The table's quantiles at a share between its own. */
export function quantilesAt({ shares, quantiles }: ResidualTable, share: number): readonly number[] {
  const above = shares.findIndex((each) => each >= share);
  if (above < 0) return quantiles[shares.length - 1];
  if (above === 0) return quantiles[0];
  const weight = (share - shares[above - 1]) / (shares[above] - shares[above - 1]);
  return quantiles[above].map((value, i) => weight * value + (1 - weight) * quantiles[above - 1][i]);
}
