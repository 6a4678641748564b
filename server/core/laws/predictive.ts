import type { Estimate } from "../estimate";
import { normalQuantile, quantile } from "../numerics/special";
import type { FittedLaw } from "./law";

/**
 * A prediction with its 95 % interval: the draws with the law's discrepancy added in quadrature, within [0, 1] for success.
 * @param estimate and `draws`: the response at levels `x` (success rate or loss), the draws in the law's own order
 */
export function predictive(law: FittedLaw, x: readonly number[], estimate: number, draws: readonly number[]): Estimate {
  const usable = draws.filter((one) => Number.isFinite(one));
  if (usable.length === 0) return { estimate, low: NaN, high: NaN };
  const off = law.discrepancy?.(x) ?? 0;
  const spread = off > 0 ? usable.map((one, i) => one + off * jitter(i)) : usable;
  const inside = (value: number): number => (law.response === "success" ? Math.min(1, Math.max(0, value)) : value);
  return {
    estimate,
    low: Math.min(estimate, inside(quantile(spread, 0.025))),
    high: Math.max(estimate, inside(quantile(spread, 0.975))),
  };
}

const JITTERS: number[] = [];

/** Standard normal deviates that do not follow the draws' order: quantiles at the golden-ratio sequence. */
function jitter(i: number): number {
  while (JITTERS.length <= i)
    JITTERS.push(normalQuantile((((JITTERS.length + 0.5) * 0.6180339887498949) % 1) * 0.9998 + 0.0001));
  return JITTERS[i];
}
