import { cholesky } from "../numerics/linear";
import { random, seedOf, type Random } from "../numerics/random";
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
 * covariance, until the weights are even enough. The proposal is found with a third of the points; the last one takes all. Seeded.
 */
export function importanceSample(problem: PosteriorProblem, mode: Mode, count: number, seed: number): WeightedSample {
  const stream = random(seedOf(seed, `importance ${problem.model.law} ${problem.model.variant ?? ""}`));
  const target = logPosterior(problem);
  const widths = logWidths(problem);
  const few = Math.ceil(count / 3);
  let centre: Float64Array = mode.z,
    covariance: readonly (readonly number[])[] = mode.covariance,
    best: WeightedSample | null = null;
  for (let round = 0; round < ROUNDS; round++) {
    const factor = cholesky(covariance.map((row, i) => row.map((v, j) => (i === j ? v * 1.02 + 1e-10 : v))));
    if (!factor) break;
    const proposal: Proposal = { centre, factor, points: [], logs: [] };
    extend(proposal, target, round < ROUNDS - 1 ? few : count, stream);
    let found = weighted(proposal, widths);
    if (!found) break;
    const good = found.size > GOOD * found.points.length;
    if (good && found.points.length < count) {
      extend(proposal, target, count, stream);
      found = weighted(proposal, widths)!;
    }
    if (!best || found.size > best.size) best = found;
    if (good) break;
    [centre, covariance] = moments(found, covariance);
  }
  return best ?? { points: [mode.z], weights: Float64Array.of(1), evidence: mode.evidence, size: 1 };
}

interface Proposal {
  readonly centre: Float64Array;
  readonly factor: readonly (readonly number[])[];
  readonly points: Float64Array[];
  /** ln (posterior ÷ proposal) of each point, up to a constant. */
  readonly logs: number[];
}

/** Draws from the proposal until there are `count`. */
function extend(
  { centre, factor, points, logs }: Proposal,
  target: (z: ArrayLike<number>) => number,
  count: number,
  stream: Random,
): void {
  const d = centre.length;
  const normal = new Float64Array(d);
  // Views into one buffer: thousands of small arrays of their own would keep the garbage collector busy.
  const buffer = new Float64Array(d * Math.max(0, count - points.length));
  for (let at = 0; points.length < count; at += d) {
    const scale = Math.sqrt(TAILS / (2 * stream.gamma(TAILS / 2)));
    let square = 0;
    for (let j = 0; j < d; j++) {
      normal[j] = stream.normal() * scale;
      square += normal[j] * normal[j];
    }
    const z = buffer.subarray(at, at + d);
    for (let i = 0; i < d; i++) {
      const row = factor[i];
      let sum = centre[i];
      for (let j = 0; j <= i; j++) sum += row[j] * normal[j];
      z[i] = sum;
    }
    points.push(z);
    logs.push(target(z) + 0.5 * (TAILS + d) * Math.log1p(square / TAILS));
  }
}

/** Null where no point has any posterior density. */
function weighted({ factor, points, logs }: Proposal, widths: number): WeightedSample | null {
  const count = points.length;
  const top = logs.reduce((a, b) => Math.max(a, b), -Infinity);
  if (top === -Infinity) return null;
  const weights = Float64Array.from(logs);
  let total = 0,
    squares = 0;
  for (let s = 0; s < count; s++) total += weights[s] = Math.exp(weights[s] - top);
  for (let s = 0; s < count; s++) {
    weights[s] /= total;
    squares += weights[s] ** 2;
  }
  const logDeterminant = factor.reduce((sum, row, i) => sum + Math.log(row[i]), 0);
  return {
    points,
    weights,
    // The t density's constant against the prior's (2π)^(−d/2).
    evidence: top + Math.log(total / count) + logDeterminant + tConstant(factor.length) - widths,
    size: 1 / squares,
  };
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
  const mean = new Float64Array(d),
    off = new Float64Array(d),
    sums = new Float64Array(d * d);
  points.forEach((z, s) => {
    for (let j = 0; j < d; j++) mean[j] += weights[s] * z[j];
  });
  points.forEach((z, s) => {
    const weight = weights[s];
    if (weight === 0) return;
    for (let j = 0; j < d; j++) off[j] = z[j] - mean[j];
    for (let a = 0; a < d; a++) for (let b = 0; b <= a; b++) sums[a * d + b] += weight * off[a] * off[b];
  });
  // Few effective points give a poor covariance: it keeps a part of the one before.
  const trust = size / (size + 4 * d);
  return [
    mean,
    before.map((row, a) => row.map((old, b) => trust * sums[a > b ? a * d + b : b * d + a] + (1 - trust) * old)),
  ];
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
