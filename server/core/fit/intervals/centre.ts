import type { Model } from "../../laws/model";
import { softError, softSlope } from "../../laws/soft";
import { solver } from "../../solve/levenberg";
import { gaussian, type Observed } from "../../solve/likelihood";
import type { Candidate } from "../explore/plan";

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
  soft = false,
): Float64Array {
  const coefficients = model.parameters.flatMap((one, j) => (one.role === "log-coefficient" ? [j] : []));
  // A logistic law has one intercept instead, with which the error falls.
  const moved =
    coefficients.length > 0 ? coefficients : model.parameters.flatMap((one, j) => (one.name === "a" ? [j] : []));
  const sign = coefficients.length > 0 ? 1 : -1;
  if (moved.length === 0 || draws.length === 0) return theta;
  const e = new Float64Array(m);
  const mean = (at: Float64Array): number => {
    model.evaluate(at, u, m, e, null);
    return e.reduce((sum, one) => sum + (soft ? softError(one) : one), 0) / m;
  };
  const wanted = draws.reduce((sum, draw) => sum + mean(draw), 0) / draws.length;
  const at = (shift: number): Float64Array =>
    theta.map((value, j) =>
      moved.includes(j)
        ? Math.min(Math.max(value + sign * shift, model.parameters[j].low), model.parameters[j].high)
        : value,
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

/**
 * The θ that stands for draws of a posterior: the law nearest to the draws' mean success, over the runs, and about twice beyond them.
 * (The mean of each parameter lies off the curved ridges along which they trade, and predicts what no draw predicts.)
 */
export function centreOf({ model, parts }: Candidate, draws: readonly Float64Array[], seen: Observed): Float64Array {
  const { coordinates, response } = parts![0].problem;
  const soft = response === "success";
  const first = Float64Array.from(coordinates, (c, j) => {
    const { role, low } = model.parameters[j];
    if (role === "exponent") return draws.reduce((sum, draw) => sum + draw[j], 0) / draws.length;
    const told = draws.filter((draw) => role !== "log-coefficient" || draw[j] > low);
    return told.length === 0 ? low : c.theta(told.reduce((sum, draw) => sum + c.z(draw[j]), 0) / told.length);
  });
  const start = centred(model, first, draws, seen.u, seen.m, soft);
  if (model.bound) return start;
  const wide = beyond(model.axes.length, seen);
  const e = new Float64Array(wide.m);
  for (const draw of draws) {
    model.evaluate(draw, wide.u, wide.m, e, null);
    for (let i = 0; i < wide.m; i++) wide.y[i] += (soft ? softError(e[i]) : e[i]) / draws.length;
  }
  const free: Model = {
    ...model,
    parameters: model.parameters.map((one) => (one.role === "exponent" ? { ...one, low: 0 } : one)),
    evaluate(theta, u, m, e, jacobian, byLevel) {
      model.evaluate(theta, u, m, e, jacobian, byLevel);
      if (!soft) return;
      for (let i = 0; i < m; i++) {
        const slope = softSlope(e[i]);
        if (jacobian && slope < 1) for (let j = 0; j < model.parameters.length; j++) jacobian[j * m + i] *= slope;
        e[i] = softError(e[i]);
      }
    },
  };
  return solver(free, wide).solve(start, new Float64Array(wide.m).fill(1), gaussian("identity"), {
    tolerance: 1e-6,
    maxIterations: 12,
  }).theta;
}

/** At most so many of the runs' levels, then each axis at twice its ends and all together, the others at their centre. */
function beyond(axes: number, { u, m }: Observed): { m: number; u: Float64Array; y: Float64Array; n: Float64Array } {
  const kept = Math.min(m, 48),
    total = kept + 2 * axes + 2;
  const out = new Float64Array(axes * total);
  for (let a = 0; a < axes; a++) {
    const column = u.subarray(a * m, (a + 1) * m);
    const low = column.reduce((x, y) => Math.min(x, y)) - Math.LN2,
      high = column.reduce((x, y) => Math.max(x, y)) + Math.LN2;
    for (let i = 0; i < kept; i++) out[a * total + i] = column[Math.floor((i * m) / kept)];
    out[a * total + kept + 2 * a] = low;
    out[a * total + kept + 2 * a + 1] = high;
    out[a * total + total - 2] = low;
    out[a * total + total - 1] = high;
  }
  return { m: total, u: out, y: new Float64Array(total), n: new Float64Array(total).fill(1) };
}
