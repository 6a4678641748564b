import type { Model } from "../../laws/model";
import { random, seedOf, type Random } from "../../numerics/random";
import { solver } from "../../solve/levenberg";
import { cholesky, invert } from "../../numerics/linear";
import { CLAMP, gaussian, type Observed } from "../../solve/likelihood";
import { within, type Coordinate } from "../../solve/priors";
import { lnGamma } from "../../numerics/special";

export interface PosteriorProblem {
  readonly model: Model;
  readonly seen: Observed;
  readonly coordinates: readonly Coordinate[];
  readonly response: "success" | "loss";
  /** Evaluation tasks per run; 0 where unknown (the noise is then the run's alone). */
  readonly trials: Float64Array;
  /** Prior of ln σ, the run-to-run noise. */
  readonly noise: { readonly mean: number; readonly sd: number };
}

export interface Mode {
  /** Coordinates of the mode; the last is ln σ. */
  readonly z: Float64Array;
  /** Gauss–Newton covariance of z there. */
  readonly covariance: number[][];
  /** Laplace approximation of the log evidence, for choosing between laws. */
  readonly evidence: number;
}

export interface Posterior {
  /** Draws of θ. */
  readonly draws: Float64Array[];
  /** Draws of z, ln σ last. */
  readonly coordinates: Float64Array[];
  /** Largest split-chain R̂ over coordinates: above 1.05 the chains disagree. */
  readonly disagreement: number;
}

/** log posterior of z (ln σ last), up to a constant; −∞ outside the law's bounds. */
export function logPosterior({
  model,
  seen,
  coordinates,
  response,
  trials,
  noise,
}: PosteriorProblem): (z: ArrayLike<number>) => number {
  const p = model.parameters.length,
    m = seen.m;
  const theta = new Float64Array(p),
    e = new Float64Array(m);
  // A handful of expected successes or failures is far from normal: such rows take the beta-binomial.
  const discrete = Array.from(
    { length: m },
    (_, i) =>
      response === "success" &&
      trials[i] > 0 &&
      trials[i] * smooth(seen.y[i], trials[i]) * (1 - smooth(seen.y[i], trials[i])) < 8,
  );
  return (z) => {
    let total = 0;
    for (let j = 0; j < p; j++) {
      theta[j] = coordinates[j].theta(z[j]);
      const d = (z[j] - coordinates[j].mean) / coordinates[j].sd;
      total -= 0.5 * d * d;
    }
    if (!within(model.parameters, theta)) return -Infinity;
    const d = (z[p] - noise.mean) / noise.sd;
    total -= 0.5 * d * d;
    const variance = Math.exp(2 * z[p]);
    model.evaluate(theta, seen.u, m, e, null);
    for (let i = 0; i < m; i++) {
      const y = seen.y[i];
      if (response === "loss") {
        if (!(e[i] > 0)) return -Infinity;
        const r = Math.log(e[i] / y);
        total -= 0.5 * ((r * r) / variance) + z[p];
        continue;
      }
      const q = Math.min(Math.max(e[i], CLAMP), 1 - CLAMP),
        n = trials[i];
      if (discrete[i]) {
        const rho = Math.min(0.9, variance / (q * (1 - q))),
          s = (1 - rho) / rho,
          a = q * s,
          b = (1 - q) * s,
          f = y * n;
        total += lnGamma(f + a) - lnGamma(a) + lnGamma(n - f + b) - lnGamma(b) - lnGamma(n + s) + lnGamma(s);
      } else {
        const v = variance + (n > 0 ? (q * (1 - q)) / n : 0),
          r = y - e[i];
        total -= 0.5 * ((r * r) / v + Math.log(v));
      }
    }
    return Number.isFinite(total) ? total : -Infinity;
  };
}

function smooth(y: number, n: number): number {
  return (y * n + 0.5) / (n + 1);
}

/** The law over z with one pseudo-row per prior, so that the least-squares solver finds the posterior mode. */
function penalised({ model, coordinates, response }: PosteriorProblem): Model {
  const p = model.parameters.length,
    theta = new Float64Array(p);
  let rows = new Float64Array(0),
    jacobianRows = new Float64Array(0);
  return {
    ...model,
    projection: null,
    bound: true,
    parameters: model.parameters.map((one, j) => {
      const ends = [coordinates[j].z(one.low), coordinates[j].z(one.high)];
      return {
        ...one,
        low: Math.max(ends[0], coordinates[j].mean - 8 * coordinates[j].sd),
        high: Math.min(ends[1], coordinates[j].mean + 8 * coordinates[j].sd),
      };
    }),
    evaluate(z, u, count, e, jacobian) {
      const m = count - p;
      if (rows.length < m) {
        rows = new Float64Array(m);
        jacobianRows = new Float64Array(p * m);
      }
      for (let j = 0; j < p; j++) theta[j] = coordinates[j].theta(z[j]);
      model.evaluate(theta, u, m, rows, jacobian ? jacobianRows : null);
      for (let i = 0; i < m; i++) e[i] = response === "loss" ? Math.log(Math.max(rows[i], 1e-12)) : rows[i];
      for (let j = 0; j < p; j++) e[m + j] = z[j];
      if (!jacobian) return;
      for (let j = 0; j < p; j++) {
        const slope = coordinates[j].slope(z[j]);
        for (let i = 0; i < m; i++)
          jacobian[j * count + i] =
            (jacobianRows[j * m + i] * slope) / (response === "loss" ? Math.max(rows[i], 1e-12) : 1);
        for (let l = 0; l < p; l++) jacobian[j * count + m + l] = l === j ? 1 : 0;
      }
    },
  };
}

/** Posterior mode by reweighted least squares from several starts, with ln σ profiled on a line. */
export function posteriorMode(problem: PosteriorProblem, starts: readonly ArrayLike<number>[]): Mode {
  const { model, seen, coordinates, response, trials, noise } = problem;
  const p = model.parameters.length,
    m = seen.m;
  const inner = penalised(problem);
  const y = new Float64Array(m + p),
    n = new Float64Array(m + p).fill(1),
    weight = new Float64Array(m + p);
  for (let i = 0; i < m; i++) y[i] = response === "loss" ? Math.log(seen.y[i]) : seen.y[i];
  for (let j = 0; j < p; j++) {
    y[m + j] = coordinates[j].mean;
    weight[m + j] = 1 / coordinates[j].sd ** 2;
  }
  const solve = solver(inner, { m: m + p, u: seen.u, y, n });
  const target = logPosterior(problem);
  const loss = gaussian("identity");
  const e = new Float64Array(m + p);
  const reweight = (z: ArrayLike<number>, logNoise: number): void => {
    inner.evaluate(z, seen.u, m + p, e, null);
    for (let i = 0; i < m; i++) {
      const q = Math.min(Math.max(e[i], 0.003), 0.997);
      weight[i] =
        1 / (Math.exp(2 * logNoise) + (response === "success" && trials[i] > 0 ? (q * (1 - q)) / trials[i] : 0));
    }
  };
  const prior = coordinates.map((c) => c.mean);
  let best: { z: Float64Array; value: number } | null = null;
  for (const start of [prior, ...starts]) {
    let z: Float64Array = Float64Array.from(start),
      logNoise = noise.mean;
    for (let round = 0; round < 4; round++) {
      reweight(z, logNoise);
      z = solve.solve(z, weight, loss, { tolerance: 1e-7, maxIterations: 40 }).theta;
      const line = Float64Array.from([...z, logNoise]);
      let top = -Infinity;
      for (let step = -6; step <= 6; step++) {
        const trial = noise.mean + step * 0.25 * noise.sd * (1 + Math.abs(step) * 0.15);
        line[p] = trial;
        const value = target(line);
        if (value > top) [top, logNoise] = [value, trial];
      }
    }
    const whole = Float64Array.from([...z, logNoise]),
      value = target(whole);
    if (!best || value > best.value) best = { z: whole, value };
  }
  const { z, value } = best!;
  reweight(z.subarray(0, p), z[p]);
  const jacobian = new Float64Array(p * (m + p));
  inner.evaluate(z, seen.u, m + p, e, jacobian);
  const information = coordinates.map((_, a) =>
    coordinates.map((_, b) => {
      let sum = 0;
      for (let i = 0; i < m + p; i++) sum += weight[i] * jacobian[a * (m + p) + i] * jacobian[b * (m + p) + i];
      return sum;
    }),
  );
  const inverse =
    invert(information) ?? coordinates.map((c, a) => coordinates.map((_, b) => (a === b ? c.sd ** 2 : 0)));
  const noiseVariance = 1 / (1 / noise.sd ** 2 + 0.5 * m);
  const covariance = [...inverse.map((row) => [...row, 0]), [...coordinates.map(() => 0), noiseVariance]];
  const factor = cholesky(inverse);
  // Normal priors are scaled by their own widths: subtract them so that laws with more parameters pay for them.
  const evidence =
    value +
    (factor ? factor.reduce((sum, row, i) => sum + Math.log(row[i]), 0) : 0) -
    coordinates.reduce((sum, c) => sum + Math.log(c.sd), 0);
  return { z, covariance, evidence };
}

/**
 * A population of Metropolis chains over z (differential evolution, ter Braak 2006, mixed with random-walk steps in the
 * mode's covariance), started wide around the mode; after burn-in, `count` thinned draws. Seeded. Null when cancelled.
 */
export function samplePosterior(
  problem: PosteriorProblem,
  mode: Mode,
  count: number,
  seed: number,
  progress: (share: number) => boolean,
): Posterior | null {
  const stream = random(seedOf(seed, "posterior"));
  const target = logPosterior(problem);
  const d = mode.z.length,
    p = d - 1,
    chains = 24;
  let factor: readonly (readonly number[])[] =
    cholesky(mode.covariance) ??
    mode.covariance.map((row, i) => row.map((_, j) => (i === j ? Math.sqrt(Math.max(row[i], 1e-6)) : 0)));
  const states = Array.from({ length: chains }, () => {
    for (let attempt = 0; attempt < 50; attempt++) {
      const z = walk(mode.z, factor, 1.3, stream),
        value = target(z);
      if (value > -Infinity) return { z, value };
    }
    return { z: Float64Array.from(mode.z), value: target(mode.z) };
  });
  const sweep = (): void => {
    for (let c = 0; c < chains; c++) {
      const state = states[c];
      const kind = stream.next();
      let z: Float64Array;
      if (kind < 0.6) {
        const a = states[(c + 1 + stream.below(chains - 1)) % chains].z,
          b = states[(c + 1 + stream.below(chains - 1)) % chains].z;
        // γ = 1 jumps between modes; 2.38/√(2d) suits one mode.
        const gamma = kind < 0.06 ? 1 : (2.38 / Math.sqrt(2 * d)) * (0.5 + stream.next());
        z = Float64Array.from(state.z, (v, j) => v + gamma * (a[j] - b[j]) + 1e-4 * stream.normal());
      } else z = walk(state.z, factor, (kind < 0.7 ? 2.5 : kind > 0.9 ? 0.2 : 1) * (2.38 / Math.sqrt(d)), stream);
      const value = target(z);
      if (Math.log(1 - stream.next()) >= value - state.value) continue;
      state.z = z;
      state.value = value;
    }
  };
  for (let round = 0; round < 3; round++) {
    const kept: Float64Array[] = [];
    for (let i = 0; i < 120; i++) {
      sweep();
      if (i >= 40) for (const state of states) kept.push(state.z);
    }
    factor = cholesky(covarianceOf(kept, 1e-8)) ?? factor;
    if (!progress(0.08 * (round + 1))) return null;
  }
  const perChain = Math.ceil(count / chains),
    thin = 25;
  const runs: Float64Array[][] = states.map(() => []);
  for (let i = 0; i < perChain; i++) {
    for (let t = 0; t < thin; t++) sweep();
    states.forEach((state, c) => runs[c].push(state.z));
    if (!progress(0.25 + (0.75 * (i + 1)) / perChain)) return null;
  }
  const zs = runs.flat().slice(0, count);
  return {
    coordinates: zs,
    draws: zs.map((z) => Float64Array.from({ length: p }, (_, j) => problem.coordinates[j].theta(z[j]))),
    disagreement: splitRhat(runs, d),
  };
}

function walk(from: Float64Array, factor: readonly (readonly number[])[], scale: number, stream: Random): Float64Array {
  const d = from.length,
    normal = Float64Array.from({ length: d }, () => stream.normal()),
    to = Float64Array.from(from);
  for (let i = 0; i < d; i++) for (let j = 0; j <= i; j++) to[i] += scale * factor[i][j] * normal[j];
  return to;
}

function covarianceOf(rows: readonly Float64Array[], ridge: number): number[][] {
  const d = rows[0].length;
  const centre = Array.from({ length: d }, (_, j) => rows.reduce((sum, row) => sum + row[j], 0) / rows.length);
  return centre.map((_, a) =>
    centre.map(
      (_, b) =>
        rows.reduce((sum, row) => sum + (row[a] - centre[a]) * (row[b] - centre[b]), 0) / (rows.length - 1) +
        (a === b ? ridge : 0),
    ),
  );
}

/** Gelman and Rubin's R̂ over half-chains; chains are pooled by sixes, since each alone is short. */
function splitRhat(chains: readonly (readonly Float64Array[])[], d: number): number {
  const pooled = [0, 1, 2, 3].map((g) => chains.filter((_, c) => c % 4 === g).flat());
  const halves = pooled
    .flatMap((chain) => [chain.slice(0, chain.length >> 1), chain.slice(chain.length >> 1)])
    .filter((half) => half.length > 3);
  let worst = 1;
  for (let j = 0; j < d && halves.length > 1; j++) {
    const n = Math.min(...halves.map((half) => half.length));
    const means = halves.map((half) => half.reduce((sum, z) => sum + z[j], 0) / half.length);
    const within =
      halves.reduce(
        (sum, half, h) => sum + half.reduce((s, z) => s + (z[j] - means[h]) ** 2, 0) / (half.length - 1),
        0,
      ) / halves.length;
    const grand = means.reduce((a, b) => a + b, 0) / means.length;
    const between = (n * means.reduce((sum, one) => sum + (one - grand) ** 2, 0)) / (means.length - 1);
    if (within > 0) worst = Math.max(worst, Math.sqrt((((n - 1) / n) * within + between / n) / within));
  }
  return worst;
}
