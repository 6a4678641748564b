import type { Estimate } from "../estimate";
import { quantile } from "./special";

/** Stands in for infinity inside a quantile, which would otherwise interpolate between two infinities. */
const BEYOND = 1e300;

/**
 * A point estimate with the central 95 % of the draws, widened where needed to hold the estimate. Without draws the ends
 * are NaN: no interval can be shown. A draw may be infinite (a baseline that never gets there).
 */
export function estimate(point: number, draws: readonly number[]): Estimate {
  const usable = draws.filter((draw) => !Number.isNaN(draw)).map((draw) => Math.min(draw, BEYOND));
  if (usable.length === 0) return { estimate: point, low: NaN, high: NaN };
  const [low, high] = [0.025, 0.975].map((probability) => {
    const at = quantile(usable, probability);
    return at > BEYOND / 1e10 ? Infinity : at;
  });
  return { estimate: point, low: Math.min(point, low), high: Math.max(point, high) };
}

/** At most `count` of a list, evenly spread. */
export function thin<Item>(items: readonly Item[], count: number): readonly Item[] {
  if (items.length <= count) return items;
  return Array.from({ length: count }, (_, i) => items[Math.floor(((i + 0.5) * items.length) / count)] as Item);
}
