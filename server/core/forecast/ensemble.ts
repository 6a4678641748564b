import { normalCdf } from "../numerics/special";
import type { Bin } from "./curve";
import { type Family, SHAPES } from "./shapes";

/** What one shape says of a curve: its weight among the shapes, and mean and variance at each place asked for. */
export interface Member {
  readonly family: Family;
  readonly weight: number;
  readonly at: readonly { readonly mean: number; readonly variance: number }[];
}

/** y = a + b·g(u): where curves begin and how far they rise, as published curves do (mean, standard deviation). */
const START = { mean: 0.25, sd: 0.3 };
const RISE = { mean: 0.4, sd: 0.4 };
/** No shape is exact: a curve wanders about it by this much (standard deviation), over this share of the run. */
const WANDER = { sd: 0.05, reach: 1.5 };
/** What neither noise nor wandering explains, a bin. */
const MISFIT = 0.01;
/** The likelihood's power: below 1 since shapes are wrong in ways that more points do not mend. */
const POWER = 0.7;

/**
 * The shapes' posterior for a curve, each in closed form: a and b have normal priors, and what is left is a Gaussian process
 * (exponential kernel) with noise. Weights are the evidence times the probability that the curve ends within [0, 1].
 * @param bins the curve so far, at least one
 * @param variance of one point
 * @param places shares of the planned steps at which the curve is wanted; the first is the end
 */
export function ensemble(bins: readonly Bin[], variance: number, places: readonly number[]): Member[] {
  const n = bins.length;
  const seen = bins[n - 1].u;
  const whiten = whitener(bins, variance);
  const y = whiten(bins.map(({ rate }) => rate));
  const ones = whiten(bins.map(() => 1));
  const kernels = places.map((u) => whiten(bins.map((bin) => wander(u - bin.u) / POWER)));
  const onesOnes = dot(ones, ones) + 1 / START.sd ** 2;
  const right1 = dot(ones, y) + START.mean / START.sd ** 2;
  const kernelOnes = kernels.map((kernel) => dot(kernel, ones));
  const kernelY = kernels.map((kernel) => dot(kernel, y));
  const kernelKernel = kernels.map((kernel) => dot(kernel, kernel));
  const found: { family: Family; log: number; at: { mean: number; variance: number }[] }[] = [];
  for (const shape of SHAPES) {
    if (shape.turns !== undefined && shape.turns >= seen) continue;
    const x = whiten(bins.map(({ u }) => shape.at(u)));
    const cross = dot(ones, x);
    const xx = dot(x, x) + 1 / RISE.sd ** 2;
    const right2 = dot(x, y) + RISE.mean / RISE.sd ** 2;
    const determinant = onesOnes * xx - cross * cross;
    const a = (xx * right1 - cross * right2) / determinant;
    const b = (onesOnes * right2 - cross * right1) / determinant;
    const at = places.map((u, i) => {
      const c1 = 1 - kernelOnes[i];
      const c2 = shape.at(u) - dot(kernels[i], x);
      return {
        mean: a * c1 + b * c2 + kernelY[i],
        variance: Math.max(
          1e-8,
          (xx * c1 * c1 - 2 * cross * c1 * c2 + onesOnes * c2 * c2) / determinant +
            WANDER.sd ** 2 -
            kernelKernel[i] * POWER,
        ),
      };
    });
    const sd = Math.sqrt(at[0].variance);
    const within = Math.max(1e-9, normalCdf((1 - at[0].mean) / sd) - normalCdf(-at[0].mean / sd));
    const log = Math.log(shape.prior * within) + (a * right1 + b * right2 - Math.log(determinant)) / 2;
    found.push({ family: shape.family, log, at });
  }
  const top = Math.max(...found.map(({ log }) => log));
  const total = found.reduce((sum, { log }) => sum + Math.exp(log - top), 0);
  return found
    .map(({ family, log, at }) => ({ family, weight: Math.exp(log - top) / total, at }))
    .filter(({ weight }) => weight > 1e-5);
}

/** Mean of the mixture at a place, and its standard deviation; a rate outside [0, 1] counts as its edge. */
export function mixture(members: readonly Member[], place: number): { readonly mean: number; readonly sd: number } {
  let weight = 0;
  let first = 0;
  let second = 0;
  for (const { weight: w, at } of members) {
    const m = clamp(at[place].mean);
    weight += w;
    first += w * m;
    second += w * (m * m + at[place].variance);
  }
  const mean = first / weight;
  return { mean, sd: Math.sqrt(Math.max(0, second / weight - mean * mean)) };
}

export function clamp(value: number): number {
  return Math.min(1, Math.max(0, value));
}

function wander(distance: number): number {
  return WANDER.sd ** 2 * Math.exp(-Math.abs(distance) / WANDER.reach);
}

/** Applies the inverse Cholesky factor of the bins' covariance, so that products are likelihoods. */
function whitener(bins: readonly Bin[], variance: number): (values: readonly number[]) => Float64Array {
  const n = bins.length;
  const factor = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = wander(bins[i].u - bins[j].u);
      if (i === j) sum += variance / bins[i].count + MISFIT ** 2;
      sum /= POWER;
      for (let k = 0; k < j; k++) sum -= factor[i * n + k] * factor[j * n + k];
      factor[i * n + j] = i === j ? Math.sqrt(Math.max(sum, 1e-12)) : sum / factor[j * n + j];
    }
  }
  return (values) => {
    const out = new Float64Array(n);
    for (let i = 0; i < n; i++) {
      let sum = values[i];
      for (let k = 0; k < i; k++) sum -= factor[i * n + k] * out[k];
      out[i] = sum / factor[i * n + i];
    }
    return out;
  };
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}
