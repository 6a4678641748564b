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
  const spread = spreadBy(off, usable);
  const inside = (value: number): number => (law.response === "success" ? Math.min(1, Math.max(0, value)) : value);
  return {
    estimate,
    low: Math.min(estimate, inside(quantile(spread, 0.025))),
    high: Math.max(estimate, inside(quantile(spread, 0.975))),
  };
}

/** Distance in ln level at which what a law misses at one split says little of another: a factor of four on one axis. */
const REACH = Math.log(4);

/**
 * Standard deviation by which the laws may be off in the *difference* of the response between two splits: what they miss is smooth in ln
 * level, so it cancels between near ones. 0 for laws without a discrepancy.
 */
export function discrepancyBetween(law: FittedLaw, a: readonly number[], b: readonly number[]): number {
  const [one, other] = [law.discrepancy?.(a) ?? 0, law.discrepancy?.(b) ?? 0];
  const square = a.reduce((sum, level, i) => sum + Math.log(level / b[i]) ** 2, 0);
  const shared = Math.exp(-0.5 * (square / REACH ** 2));
  return Math.sqrt(Math.max(0, one * one + other * other - 2 * shared * one * other));
}

/** Differences of draws with the laws' own discrepancy added in quadrature, in the unit of the draws. */
export function spreadBy(off: number, draws: readonly number[]): readonly number[] {
  return off > 0 ? draws.map((one, i) => one + off * jitter(i)) : draws;
}

const JITTERS: number[] = [];

/** Standard normal deviates that do not follow the draws' order: quantiles at the golden-ratio sequence. */
function jitter(i: number): number {
  while (JITTERS.length <= i)
    JITTERS.push(normalQuantile((((JITTERS.length + 0.5) * 0.6180339887498949) % 1) * 0.9998 + 0.0001));
  return JITTERS[i];
}
