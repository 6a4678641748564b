import { cholesky } from "../numerics/linear";
import { random, seedOf } from "../numerics/random";
import { lnGamma } from "../numerics/special";
import { logPosterior, logWidths, type Mode, type PosteriorProblem } from "./posteriorMode";

/** A weighted sample of one law's posterior. */
export interface WeightedSample {
  /** Coordinates z (ln σ last). */
  readonly points: readonly Float64Array[];
  /** Normalised to sum to 1. */
  readonly weights: Float64Array;
  /** ln p(y | law), up to a constant common to all laws over the same runs. */
  readonly evidence: number;
  /** 1/Σ w²: how many independent draws the sample is worth. */
  readonly size: number;
}

/** Degrees of freedom of the proposal: tails heavier than a posterior's. */
const TAILS = 5;
/** A sample worth this share of its points is good enough. */
const GOOD = 0.35;
const ROUNDS = 3;

/**
 * Evidence and weighted draws by importance sampling: multivariate t about the mode, then about the weighted mean with the weighted
 * covariance, until the weights are even enough. Seeded.
 */
export function importanceSample(problem: PosteriorProblem, mode: Mode, count: number, seed: number): WeightedSample {
  const stream = random(seedOf(seed, `importance ${problem.model.law} ${problem.model.variant ?? ""}`));
  const target = logPosterior(problem);
  const d = mode.z.length;
  let centre: Float64Array = mode.z,
    covariance: readonly (readonly number[])[] = mode.covariance,
    best: WeightedSample | null = null;
  for (let round = 0; round < ROUNDS; round++) {
    const factor = cholesky(covariance.map((row, i) => row.map((v, j) => (i === j ? v * 1.02 + 1e-10 : v))));
    if (!factor) break;
    const logDeterminant = factor.reduce((sum, row, i) => sum + Math.log(row[i]), 0);
    const points: Float64Array[] = [],
      logs = new Float64Array(count);
    const normal = new Float64Array(d);
    for (let s = 0; s < count; s++) {
      const scale = Math.sqrt(TAILS / (2 * stream.gamma(TAILS / 2)));
      let square = 0;
      for (let j = 0; j < d; j++) {
        normal[j] = stream.normal() * scale;
        square += normal[j] * normal[j];
      }
      const z = new Float64Array(d);
      for (let i = 0; i < d; i++) {
        let sum = centre[i];
        for (let j = 0; j <= i; j++) sum += factor[i][j] * normal[j];
        z[i] = sum;
      }
      points.push(z);
      logs[s] = target(z) + 0.5 * (TAILS + d) * Math.log1p(square / TAILS);
    }
    const top = logs.reduce((a, b) => Math.max(a, b), -Infinity);
    if (top === -Infinity) break;
    const weights = logs.map((value) => Math.exp(value - top)),
      total = weights.reduce((a, b) => a + b, 0);
    let squares = 0;
    for (let s = 0; s < count; s++) {
      weights[s] /= total;
      squares += weights[s] ** 2;
    }
    const found: WeightedSample = {
      points,
      weights,
      // The t density's constant against the prior's (2π)^(−d/2).
      evidence: top + Math.log(total / count) + logDeterminant + tConstant(d) - logWidths(problem),
      size: 1 / squares,
    };
    if (!best || found.size > best.size) best = found;
    if (found.size > GOOD * count) break;
    [centre, covariance] = moments(found, covariance);
  }
  return best ?? { points: [mode.z], weights: Float64Array.of(1), evidence: mode.evidence, size: 1 };
}

/** ln of Γ(ν/2)(νπ)^(d/2)/Γ((ν + d)/2), less (d/2) ln 2π. */
function tConstant(d: number): number {
  const upper = (TAILS + d) / 2;
  return lnGamma(TAILS / 2) - lnGamma(upper) + (d / 2) * Math.log(TAILS / 2);
}

function moments(
  { points, weights, size }: WeightedSample,
  before: readonly (readonly number[])[],
): [Float64Array, number[][]] {
  const d = points[0].length;
  const mean = new Float64Array(d);
  points.forEach((z, s) => {
    for (let j = 0; j < d; j++) mean[j] += weights[s] * z[j];
  });
  // Few effective points give a poor covariance: it keeps a part of the one before.
  const trust = size / (size + 4 * d);
  const covariance = before.map((row, a) =>
    row.map((old, b) => {
      let sum = 0;
      for (let s = 0; s < points.length; s++) sum += weights[s] * (points[s][a] - mean[a]) * (points[s][b] - mean[b]);
      return trust * sum + (1 - trust) * old;
    }),
  );
  return [mean, covariance];
}

/** `count` draws from a weighted sample, evenly through its cumulated weights (systematic resampling), in a mixed order. */
export function resampled(sample: WeightedSample, count: number, seed: number): Float64Array[] {
  const stream = random(seedOf(seed, "resample"));
  const offset = stream.next();
  const out: Float64Array[] = [];
  let at = 0,
    sum = sample.weights[0];
  for (let i = 0; i < count; i++) {
    const wanted = (i + offset) / count;
    while (sum < wanted && at < sample.points.length - 1) sum += sample.weights[++at];
    out.push(sample.points[at]);
  }
  for (let i = count - 1; i > 0; i--) {
    const j = stream.below(i + 1);
    [out[i], out[j]] = [out[j], out[i]];
  }
  return out;
}
