import type { Estimate } from "../estimate";
import { quantilesAt, type ResidualTable } from "./calibration";
import type { Centre } from "./centre";
import { clamp } from "./ensemble";

/** Equally likely end values (after weighting): the calibrated distribution of where a run ends, in [0, 1], sorted. */
export interface Outlook {
  readonly values: Float64Array;
  readonly weights: Float64Array;
  readonly estimate: number;
}

/** What a law of other runs says of this config: a success rate and its standard deviation. */
export interface LawPrior {
  readonly success: number;
  readonly sd: number;
  /** Standard deviation of one run's measured success about `success`: the law's own, the noise of runs and of the evaluation. */
  readonly runSd?: number;
}

const ATOMS = 400;

/** A team's own finished runs and the shipped table: so many own runs count as much as the table. */
const TABLE_RUNS = 20;

/** Probability that the law has nothing to do with this run: it can then pull no further. */
const LAW_ASTRAY = 0.1;

/**
 * The distribution of a run's end.
 * @param own errors of this workspace's finished runs, forecast at about the same share
 */
export function outlook(
  { end, scale, share }: Centre,
  table: ResidualTable,
  own: readonly number[] = [],
  law?: LawPrior,
): Outlook {
  const quantiles = quantilesAt(table, share);
  const values: number[] = [];
  const weights: number[] = [];
  for (let i = 0; i < ATOMS; i++) {
    values.push(clamp(end + scale * interpolated(table.levels, quantiles, (i + 0.5) / ATOMS)));
    weights.push(TABLE_RUNS / ATOMS);
  }
  for (const error of own) {
    values.push(clamp(end + scale * error));
    weights.push(1);
  }
  if (!law) return sorted(values, weights, clamp(end));
  const before = meanOf(values, weights);
  const pulled = weights.map((weight, i) => weight * (LAW_ASTRAY + (1 - LAW_ASTRAY) * likeness(values[i], law)));
  return sorted(values, pulled, clamp(end + meanOf(values, pulled) - before));
}

/** Relative to the likeliest value, so that the law weighs by its shape alone. */
function likeness(value: number, { success, sd }: LawPrior): number {
  return Math.exp(-(((value - success) / Math.max(sd, 0.01)) ** 2) / 2);
}

function sorted(values: readonly number[], weights: readonly number[], estimate: number): Outlook {
  const order = values.map((_, i) => i).sort((a, b) => values[a] - values[b]);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return {
    values: Float64Array.from(order, (i) => values[i]),
    weights: Float64Array.from(order, (i) => weights[i] / total),
    estimate,
  };
}

/** What lies outside on each side of the interval: a little less than 2.5 %, as few groups of curves stand behind the tails. */
const TAIL = 0.0225;

/** The end value with its 95 % interval. */
export function finalOf(outlook: Outlook): Estimate {
  const { estimate } = outlook;
  return {
    estimate,
    low: Math.min(estimate, at(outlook, TAIL)),
    high: Math.max(estimate, at(outlook, 1 - TAIL)),
  };
}

/** Probability that the end value is at least `rate`. */
export function reaches({ values, weights }: Outlook, rate: number): number {
  let sum = 0;
  for (let i = values.length - 1; i >= 0 && values[i] >= rate; i--) sum += weights[i];
  return Math.min(1, sum);
}

/** Expected end value. */
export function expected({ values, weights }: Outlook): number {
  return values.reduce((sum, value, i) => sum + weights[i] * value, 0);
}

/** Standard deviation of the end value. */
export function spreadOf(outlook: Outlook): number {
  const mean = expected(outlook);
  return Math.sqrt(outlook.values.reduce((sum, value, i) => sum + outlook.weights[i] * (value - mean) ** 2, 0));
}

/** Quantile of the end value. */
function at({ values, weights }: Outlook, level: number): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) {
    sum += weights[i];
    if (sum >= level) return values[i];
  }
  return values[values.length - 1];
}

function meanOf(values: readonly number[], weights: readonly number[]): number {
  let sum = 0;
  let total = 0;
  for (let i = 0; i < values.length; i++) {
    sum += weights[i] * values[i];
    total += weights[i];
  }
  return sum / total;
}

function interpolated(levels: readonly number[], values: readonly number[], level: number): number {
  const above = levels.findIndex((each) => each >= level);
  if (above <= 0) return values[0];
  const weight = (level - levels[above - 1]) / (levels[above] - levels[above - 1]);
  return weight * values[above] + (1 - weight) * values[above - 1];
}
