import type { AxisName } from "../../axes";
import { EXPONENT_BOUNDS } from "../../laws/model";
import type { Estimate } from "../../estimate";
import { random, seedOf } from "../../numerics/random";
import type { AxisSummary, Ordering } from "../file/file";
import { quantile, studentQuantile } from "../../numerics/special";

/** One setting's exponent on the scale it is pooled on, with its standard error. */
export interface Effect {
  readonly value: number;
  readonly error: number;
}

export interface Pooled {
  readonly mean: number;
  /** Hartung–Knapp standard error; use with `freedom` degrees of freedom. */
  readonly error: number;
  readonly freedom: number;
  readonly low: number;
  readonly high: number;
  readonly prediction: { readonly low: number; readonly high: number };
  readonly tau: number;
  /** I², the share of variance that lies between settings. */
  readonly heterogeneity: number;
}

/**
 * Random-effects mean: DerSimonian and Laird's variance between settings, Hartung and Knapp's interval, and Higgins'
 * prediction interval for a setting not yet seen (t with k − 2 degrees of freedom). Needs two effects; null otherwise.
 */
export function randomEffects(effects: readonly Effect[]): Pooled | null {
  const k = effects.length;
  if (k < 2) return null;
  const fixed = effects.map(({ error }) => 1 / error ** 2),
    sum = fixed.reduce((a, b) => a + b, 0);
  const common = effects.reduce((total, { value }, i) => total + fixed[i] * value, 0) / sum;
  const q = effects.reduce((total, { value }, i) => total + fixed[i] * (value - common) ** 2, 0);
  const c = sum - fixed.reduce((total, w) => total + w * w, 0) / sum;
  const tau2 = Math.max(0, (q - (k - 1)) / c);
  const weight = effects.map(({ error }) => 1 / (error ** 2 + tau2)),
    total = weight.reduce((a, b) => a + b, 0);
  const mean = effects.reduce((s, { value }, i) => s + weight[i] * value, 0) / total;
  const error = Math.sqrt(
    effects.reduce((s, { value }, i) => s + weight[i] * (value - mean) ** 2, 0) / ((k - 1) * total),
  );
  const t = studentQuantile(0.975, k - 1);
  const spread = studentQuantile(0.975, Math.max(1, k - 2)) * Math.sqrt(tau2 + error ** 2);
  return {
    mean,
    error,
    freedom: k - 1,
    low: mean - t * error,
    high: mean + t * error,
    prediction: { low: mean - spread, high: mean + spread },
    tau: Math.sqrt(tau2),
    heterogeneity: q > 0 ? Math.max(0, (q - (k - 1)) / q) : 0,
  };
}

/**
 * A posterior contains its prior; pooling several would count the prior once per setting. This takes the prior back out of
 * a normal posterior on ln α. Null where hardly anything but the prior is left.
 */
export function withoutPrior(posterior: Effect, prior: Effect): Effect | null {
  const precision = 1 / posterior.error ** 2 - 1 / prior.error ** 2;
  if (precision < 0.2 / prior.error ** 2) return null;
  return {
    value: (posterior.value / posterior.error ** 2 - prior.value / prior.error ** 2) / precision,
    error: 1 / Math.sqrt(precision),
  };
}

export function summarise(
  axis: AxisName,
  effects: readonly Effect[],
  logarithmic: boolean,
): { summary: AxisSummary; pooled: Pooled } | null {
  const pooled = randomEffects(effects);
  if (!pooled) return null;
  const { low: least, high: most } = EXPONENT_BOUNDS;
  // With two or three settings Student's t reaches far beyond what an exponent can be.
  const out = (x: number): number => Math.min(Math.max(logarithmic ? Math.exp(x) : x, least), most);
  const mean: Estimate = { estimate: out(pooled.mean), low: out(pooled.low), high: out(pooled.high) };
  return {
    pooled,
    summary: {
      axis,
      settings: effects.length,
      mean,
      prediction: { low: out(pooled.prediction.low), high: out(pooled.prediction.high) },
      tau: logarithmic ? pooled.tau * mean.estimate : pooled.tau,
      heterogeneity: pooled.heterogeneity,
    },
  };
}

/** Largest exponent first, as published: environments (by their worlds) before structures and tasks, trajectories last. */
const HYPOTHESIS: readonly AxisName[] = ["environments", "worlds", "structures", "tasks", "trajectories"];

/** The order to be judged: the published one over these axes, or for other axes the order of the estimates. */
export function hypothesis(axes: readonly AxisName[], estimate: (axis: AxisName) => number): AxisName[] {
  const known = HYPOTHESIS.filter((axis) => axes.includes(axis));
  return known.length >= 2 ? known : [...axes].sort((a, b) => estimate(b) - estimate(a));
}

/** Share of draws in which the exponents fall strictly in this order; `columns` holds each axis's draws. Null for fewer than two axes. */
export function ordering(axes: readonly AxisName[], columns: ReadonlyMap<AxisName, ArrayLike<number>>): Ordering {
  const rows = axes.map((axis) => columns.get(axis)!);
  if (axes.length < 2 || rows[0].length === 0) return { axes, probability: null };
  let hits = 0;
  for (let b = 0; b < rows[0].length; b++) if (rows.every((row, i) => i === 0 || rows[i - 1][b] > row[b])) hits++;
  return { axes, probability: hits / rows[0].length };
}

export function pairsOf(
  axes: readonly AxisName[],
  columns: ReadonlyMap<AxisName, ArrayLike<number>>,
): { larger: AxisName; smaller: AxisName; probability: number }[] {
  return axes.flatMap((larger, i) =>
    axes
      .slice(i + 1)
      .map((smaller) => ({ larger, smaller, probability: ordering([larger, smaller], columns).probability ?? NaN })),
  );
}

/** Draws of a pooled mean: Student's t about it, seeded. */
export function pooledDraws(pooled: Pooled, count: number, seed: number, label: string): Float64Array {
  const stream = random(seedOf(seed, `pooled ${label}`));
  return Float64Array.from(
    { length: count },
    () =>
      pooled.mean +
      (pooled.error * stream.normal()) / Math.sqrt((2 * stream.gamma(pooled.freedom / 2)) / pooled.freedom),
  );
}

/** Centre and spread of draws: the mean of the quartile range, in which a long tail does not count. */
export function effectOf(draws: readonly number[], centre: number): Effect {
  return { value: centre, error: Math.max((quantile(draws, 0.841) - quantile(draws, 0.159)) / 2, 1e-4) };
}
