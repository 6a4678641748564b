import type { Bin } from "./curve";
import { clamp } from "./ensemble";
import { type Family, SHAPES } from "./shapes";

/**
 * End value of the least-squares curve of one family, without priors: bold where the ensemble is careful. The mean rate
 * where no curve can be drawn.
 */
export function leastSquares(bins: readonly Bin[], family: Family): number {
  const total = bins.reduce((sum, { count }) => sum + count, 0);
  const my = bins.reduce((sum, { rate, count }) => sum + count * rate, 0) / total;
  let best = { squares: Infinity, end: my };
  for (const shape of SHAPES) {
    if (shape.family !== family) continue;
    const xs = bins.map(({ u }) => shape.at(u));
    const mx = bins.reduce((sum, { count }, i) => sum + count * xs[i], 0) / total;
    let xx = 0;
    let xy = 0;
    for (const [i, { rate, count }] of bins.entries()) {
      xx += count * (xs[i] - mx) ** 2;
      xy += count * (xs[i] - mx) * (rate - my);
    }
    if (!(xx > 1e-12)) continue;
    const b = xy / xx;
    const squares = -b * xy;
    if (squares < best.squares - 1e-12) best = { squares, end: my + b * (shape.at(1) - mx) };
  }
  return clamp(best.end);
}
