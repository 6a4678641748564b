import type { Estimate } from "../estimate";

/** Quantile of sorted values by linear interpolation (type 7). */
export function quantileOf(sorted: readonly number[], probability: number): number {
  const position = probability * (sorted.length - 1);
  const below = Math.floor(position);
  const low = sorted[below] ?? NaN;
  const high = sorted[Math.min(below + 1, sorted.length - 1)] ?? NaN;
  return low + (position - below) * (high - low);
}

/**
 * A point estimate with the central 95 % of the draws, widened where needed to hold the estimate. Without draws the ends
 * are NaN: no interval can be shown.
 */
export function estimate(point: number, draws: readonly number[]): Estimate {
  const usable = draws.filter((draw) => !Number.isNaN(draw));
  if (usable.length === 0) return { estimate: point, low: NaN, high: NaN };
  const sorted = [...usable].sort((a, b) => a - b);
  return { estimate: point, low: Math.min(point, quantileOf(sorted, 0.025)), high: Math.max(point, quantileOf(sorted, 0.975)) };
}

/** At most `count` of a list, evenly spread. */
export function thin<Item>(items: readonly Item[], count: number): readonly Item[] {
  if (items.length <= count) return items;
  return Array.from({ length: count }, (_, i) => items[Math.floor(((i + 0.5) * items.length) / count)] as Item);
}
