import type { FittedLaw, LawInstance } from "../laws/law";
import type { Estimate } from "../estimate";

/** Linear-interpolated quantile of a sorted array; NaN when it is empty. */
export function quantile(sorted: readonly number[], q: number): number {
  if (sorted.length === 0) return NaN;
  const at = (sorted.length - 1) * q;
  const below = Math.floor(at);
  const above = Math.min(below + 1, sorted.length - 1);
  return sorted[below] + (at - below) * (sorted[above] - sorted[below]);
}

/** The point value with the central 95 % of the draws. Without draws the interval is NaN: nothing is shown for it. */
export function overDraws(law: FittedLaw, value: (instance: LawInstance) => number): Estimate {
  const drawn = law.draws
    .map(value)
    .filter(Number.isFinite)
    .sort((a, b) => a - b);
  return { estimate: value(law.point), low: quantile(drawn, 0.025), high: quantile(drawn, 0.975) };
}

/** `n` levels from `low` to `high`, evenly spaced in the logarithm. Both ends are exact. */
export function logSpace(low: number, high: number, n: number): number[] {
  if (n < 2 || low === high) return [low];
  const step = Math.log(high / low) / (n - 1);
  return Array.from({ length: n }, (_, i) => (i === 0 ? low : i === n - 1 ? high : low * Math.exp(step * i)));
}

/** The fitted centre of every axis, in the law's order: where a one-axis curve holds the others. */
export function centre(law: FittedLaw): number[] {
  return law.axes.map(
    (axis) => law.refused.find((entry) => entry.axis === axis)?.level ?? law.ranges[axis]?.centre ?? 1,
  );
}

/** Steps within a decade, the sparsest first. */
const DECADES = [[1], [1, 3], [1, 2, 5], [1, 2, 3, 5, 7], [1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9]];

/** Ticks of a log scale that a reader can name (1, 2, 5 × 10^k and the like) within [low, high]: the most that are no more than `most`. */
export function logTicks(low: number, high: number, most = 7): number[] {
  if (!(low > 0) || !(high > low) || !Number.isFinite(high))
    return [low, high].filter((value) => value > 0 && Number.isFinite(value));
  const within = (steps: readonly number[], every = 1): number[] => {
    const ticks: number[] = [];
    for (let k = Math.floor(Math.log10(low)); k <= Math.ceil(Math.log10(high)); k++) {
      if (k % every !== 0) continue;
      for (const step of steps) {
        const tick = Number(`${step}e${k}`);
        if (tick >= low * (1 - 1e-9) && tick <= high * (1 + 1e-9)) ticks.push(tick);
      }
    }
    return ticks;
  };
  const fitting = DECADES.map((steps) => within(steps)).filter((ticks) => ticks.length >= 2 && ticks.length <= most);
  if (fitting.length > 0) return fitting[fitting.length - 1];
  for (let every = 2; every <= Math.log10(high / low); every++) {
    const wide = within(DECADES[0], every);
    if (wide.length >= 2 && wide.length <= most) return wide;
  }
  return [Number(low.toPrecision(2)), Number(high.toPrecision(2))];
}

/** [low, high] stretched by `factor` at both ends, for log scales. */
export function logMargin(values: readonly number[], factor = 1.15): [number, number] {
  const positive = values.filter((value) => value > 0 && Number.isFinite(value));
  if (positive.length === 0) return [0.1, 1];
  return [Math.min(...positive) / factor, Math.max(...positive) * factor];
}
