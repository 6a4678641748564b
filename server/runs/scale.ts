import type { MergedSeries } from "./series";

/**
 * How a metric's values are to be read: shares of 100, a reward of −1 or 1, or any two amounts of which the first is no
 * success at all and the second success every time.
 */
export type Scale = "percent" | "plus-minus-one" | readonly [low: number, high: number];

/** What a value may be off a share of 0–1 by rounding. */
export const ROUNDING = 1e-3;

export interface Cleaned {
  readonly series: MergedSeries;
  /** How the values were brought to 0–1; undefined where they were written so. */
  readonly scale?: string;
  /** Values that cannot be one and were left out, and the first of them. */
  readonly left: number;
  readonly first?: { readonly value: number; readonly step: number; readonly line: number };
}

export interface CleanOptions {
  readonly tells: "success" | "score" | "reward";
  /** Whether values above 1 may be taken as percent: a reward may be worth 2. */
  readonly mayBePercent: boolean;
  readonly scale?: Scale;
  /** The least and the greatest single value that the log states beside the means. */
  readonly range?: readonly [number, number];
}

/**
 * The values as shares of 0–1, or why they are none. Rounding is clamped; a lone sentinel (−1 where nothing was measured) or
 * outlier is left out and counted; where many values lie outside, the metric is another one.
 */
export function cleaned(series: MergedSeries, { tells, mayBePercent, scale, range }: CleanOptions): Cleaned | string {
  const { values } = series;
  if (scale !== undefined)
    return within(series, byScale(scale), scaleName(scale), values.length / 2) ?? noScale(scale, values);
  if (range && (range[0] < -ROUNDING || range[1] > 1 + ROUNDING))
    return `single values go from ${shown(range[0])} to ${shown(range[1])}: this is a reward, not a success rate${hint(range)}`;
  const below = values.filter((value) => value < -ROUNDING);
  const above = values.filter((value) => value > 1 + ROUNDING);
  const sentinels = below.filter((value) => value === -1).length;
  if (below.length + above.length === 0) return within(series, (value) => value, undefined, 0) as Cleaned;
  const n = values.length;
  const isPercent =
    above.length >= Math.max(1, n / 10) &&
    above.some((value) => value >= 2) &&
    above.every((value) => value <= 100 + ROUNDING);
  if (mayBePercent && isPercent && (below.length === 0 || below.length === sentinels))
    return within(series, (value) => value / 100, "percent", sentinels) ?? noScale("percent", values);
  const few = tells === "reward" ? Math.floor(n / 1000) : n >= 4 ? Math.max(1, Math.floor(n / 100)) : 0;
  const missing = tells === "success" ? Math.floor(n / 4) : few;
  if (sentinels <= Math.max(few, missing) && below.length - sentinels + above.length <= few)
    return within(series, (value) => value, undefined, below.length + above.length) as Cleaned;
  const [low, high] = values.reduce(
    ([least, most], value) => [Math.min(least, value), Math.max(most, value)],
    [Infinity, -Infinity],
  );
  return tells === "success"
    ? `its values go from ${shown(low)} to ${shown(high)}, and a success rate lies between 0 and 1${hint([low, high])}`
    : `its values go from ${shown(low)} to ${shown(high)}: this is a reward, not a success rate${hint([low, high])}`;
}

/** Undefined where more than `most` values lie outside. */
function within(
  series: MergedSeries,
  to: (value: number) => number,
  scale: string | undefined,
  most: number,
): Cleaned | undefined {
  const keep: number[] = [];
  const values: number[] = [];
  let first: Cleaned["first"];
  for (const [i, raw] of series.values.entries()) {
    const value = to(raw);
    if (value < -ROUNDING || value > 1 + ROUNDING) {
      first ??= { value: raw, step: series.steps[i], line: series.lines[i] };
      continue;
    }
    keep.push(i);
    values.push(Math.min(1, Math.max(0, value)));
  }
  const left = series.values.length - keep.length;
  if (left > most || keep.length === 0) return undefined;
  const whole = left === 0;
  return {
    series: whole
      ? { ...series, values }
      : { ...series, values, steps: keep.map((i) => series.steps[i]), lines: keep.map((i) => series.lines[i]) },
    ...(scale !== undefined && { scale }),
    left,
    ...(first && { first }),
  };
}

function byScale(scale: Scale): (value: number) => number {
  if (scale === "percent") return (value) => value / 100;
  const [low, high] = scale === "plus-minus-one" ? [-1, 1] : scale;
  return (value) => (value - low) / (high - low);
}

function scaleName(scale: Scale): string {
  return typeof scale === "string" ? scale : `${shown(scale[0])}…${shown(scale[1])}`;
}

function noScale(scale: Scale, values: readonly number[]): string {
  return `its values, such as ${shown(values[values.length - 1])}, do not lie on the scale ${scaleName(scale)}`;
}

/** What to write into `scaling.yaml` where the user knows better. */
function hint([low, high]: readonly [number, number]): string {
  if (low >= -1 - ROUNDING && low < -ROUNDING && high <= 1 + ROUNDING)
    return "; where the scorer gives −1 or 1 and nothing else, `scale: plus-minus-one` says so";
  if (low >= -ROUNDING && high > 1 && high <= 100 + ROUNDING)
    return "; `scale: percent` or `scale: [0, 2]` says how to read it";
  return "; `scale: [low, high]` says how to read it";
}

function shown(value: number): string {
  return String(Number(value.toPrecision(4)));
}

/** A scale as written in a file; undefined where it is none. */
export function scaleOf(value: unknown): Scale | undefined {
  if (value === "percent" || value === "plus-minus-one") return value;
  if (value === "±1" || value === "+-1") return "plus-minus-one";
  if (!Array.isArray(value) || value.length !== 2) return undefined;
  const [low, high] = value as unknown[];
  return typeof low === "number" && typeof high === "number" && Number.isFinite(high - low) && high > low
    ? [low, high]
    : undefined;
}
