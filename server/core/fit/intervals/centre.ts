import type { Model } from "../../laws/model";

/** Widest correction of the logarithm of a coefficient. */
const WIDEST = 2;

/**
 * The point that stands for a posterior: its mean `theta`, with the coefficients moved by one common factor until the law's
 * mean error over the runs is that of the draws. Floor and coefficients lie along a curved ridge, so that the mean of each
 * alone is off it, and would predict what no draw predicts.
 */
export function centred(
  model: Model,
  theta: Float64Array,
  draws: readonly Float64Array[],
  u: Float64Array,
  m: number,
): Float64Array {
  const moved = model.parameters.flatMap((one, j) => (one.role === "log-coefficient" ? [j] : []));
  if (moved.length === 0 || draws.length === 0) return theta;
  const e = new Float64Array(m);
  const mean = (at: Float64Array): number => {
    model.evaluate(at, u, m, e, null);
    return e.reduce((sum, one) => sum + one, 0) / m;
  };
  const wanted = draws.reduce((sum, draw) => sum + mean(draw), 0) / draws.length;
  const at = (shift: number): Float64Array =>
    theta.map((value, j) =>
      moved.includes(j) ? Math.min(Math.max(value + shift, model.parameters[j].low), model.parameters[j].high) : value,
    );
  let [low, high] = [-WIDEST, WIDEST];
  if (!(mean(at(low)) <= wanted && mean(at(high)) >= wanted)) return theta;
  for (let round = 0; round < 50; round++) {
    const middle = (low + high) / 2;
    if (mean(at(middle)) < wanted) low = middle;
    else high = middle;
  }
  return at((low + high) / 2);
}
