import { sigmoid } from "../laws/sigmoid";
import type { CurvePoint } from "../table";
import { manyStarts } from "../solve/manyStarts";
import { gaussian } from "../solve/likelihood";
import { fittedErrors } from "../solve/scale";

/** A run expected to gain more than this at twice its steps has not converged. */
export const UNCONVERGED_GAIN = 0.02;

/**
 * Success rate that the run's own curve still gains from its last step to twice as many: a sigmoid in ln(step) by least
 * squares. Null where fewer than five evaluations, or a gain within the curve's own noise, say nothing.
 */
export function expectedGain(curve: readonly CurvePoint[], seed: number): number | null {
  const points = curve.filter(({ step, rate }) => step > 0 && rate >= 0 && rate <= 1 && Number.isFinite(step));
  if (points.length < 5) return null;
  const m = points.length,
    logs = points.map(({ step }) => Math.log(step)),
    centre = logs.reduce((a, b) => a + b, 0) / m;
  const last = Math.max(...logs);
  const range = { min: Math.exp(Math.min(...logs)), max: Math.exp(last), centre: Math.exp(centre) };
  const model = sigmoid.members(["compute"], { response: "success", top: 1, ranges: { compute: range } })[0];
  const seen = {
    m,
    u: Float64Array.from(logs, (v) => v - centre),
    y: Float64Array.from(points, ({ rate }) => 1 - rate),
    n: new Float64Array(m).fill(1),
  };
  const fit = manyStarts(model, seen, gaussian("identity"), 16, seed);
  const e = new Float64Array(2);
  model.evaluate(fit.theta, Float64Array.of(last - centre, last - centre + Math.LN2), 2, e, null);
  const noise = Math.sqrt(
    fittedErrors(model, fit.theta, seen).reduce((sum, v, i) => sum + (v - seen.y[i]) ** 2, 0) / Math.max(1, m - 4),
  );
  const gain = e[0] - e[1];
  return gain > (2 * noise) / Math.sqrt(m) ? gain : null;
}
