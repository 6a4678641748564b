import type { Model } from "../laws/model";
import { softError, softSlope } from "../laws/soft";
import { cholesky, invert } from "../numerics/linear";
import { solver } from "./levenberg";
import { gaussian, type Observed } from "./likelihood";
import { within, type Coordinate } from "./priors";

export interface PosteriorProblem {
  readonly model: Model;
  readonly seen: Observed;
  readonly coordinates: readonly Coordinate[];
  readonly response: "success" | "loss";
  /** Evaluation tasks per run; 0 where unknown (the noise is then the run's alone). */
  readonly trials: Float64Array;
  /** Prior of ln σ, the run-to-run noise. */
  readonly noise: { readonly mean: number; readonly sd: number };
  /** Degrees of freedom of Student's t in place of the normal: a few runs may lie far off. Absent: normal. */
  readonly tails?: number;
}

export interface Mode {
  /** Coordinates of the mode; the last is ln σ. */
  readonly z: Float64Array;
  /** Gauss–Newton covariance of z there. */
  readonly covariance: number[][];
  /** Laplace approximation of the log evidence, for choosing between laws. */
  readonly evidence: number;
  /** Log likelihood there, without the priors. */
  readonly likelihood: number;
  /** Parameters that the runs determine, run noise among them: p − tr(prior precision × covariance). */
  readonly effective: number;
  /** Starts, and the share of them that come within half a unit of log posterior of the best. */
  readonly starts: number;
  readonly agreeing: number;
}

/** ln of what Student's t is divided by, less the normal's ½ ln 2π, which is left out everywhere. */
function tailConstant(nu: number): number {
  return nu === 4 ? Math.log((3 / 8) * Math.sqrt(2 * Math.PI)) : 0;
}

/** Variance of a rate over n tasks; half a task is never resolved, or one task per run would prefer P = 0 and 1 to any other. */
function evaluation(success: number, n: number): number {
  return (success * (1 - success) + 0.25 / n) / n;
}

/** Σ over runs of ln p(y | z), up to a constant common to all laws: y ~ N(P, P(1 − P)/n + σ²), P softly kept above 0. */
function logLikelihood({ seen, response, trials, tails }: PosteriorProblem, e: Float64Array, logNoise: number): number {
  const variance = Math.exp(2 * logNoise);
  let total = 0;
  for (let i = 0; i < seen.m; i++) {
    const y = seen.y[i];
    let r: number, v: number;
    if (response === "loss") {
      if (!(e[i] > 0)) return -Infinity;
      r = Math.log(e[i] / y);
      v = variance;
    } else {
      const q = softError(e[i]);
      r = y - q;
      v = variance + (trials[i] > 0 ? evaluation(q, trials[i]) : 0);
    }
    total -= 0.5 * Math.log(v);
    if (tails === undefined) total -= (0.5 * r * r) / v;
    else total += tailConstant(tails) - 0.5 * (tails + 1) * Math.log1p((r * r) / (v * tails));
  }
  return total;
}

/** log posterior of z (ln σ last), up to a constant; −∞ outside the law's bounds. */
export function logPosterior(problem: PosteriorProblem): (z: ArrayLike<number>) => number {
  const { model, seen, coordinates, noise } = problem;
  const p = model.parameters.length,
    m = seen.m;
  const theta = new Float64Array(p),
    e = new Float64Array(m);
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
    model.evaluate(theta, seen.u, m, e, null);
    total += logLikelihood(problem, e, z[p]);
    return Number.isFinite(total) ? total : -Infinity;
  };
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
      for (let i = 0; i < m; i++) e[i] = response === "loss" ? Math.log(Math.max(rows[i], 1e-12)) : softError(rows[i]);
      for (let j = 0; j < p; j++) e[m + j] = z[j];
      if (!jacobian) return;
      for (let j = 0; j < p; j++) {
        const slope = coordinates[j].slope(z[j]);
        for (let i = 0; i < m; i++)
          jacobian[j * count + i] =
            jacobianRows[j * m + i] * slope * (response === "loss" ? 1 / Math.max(rows[i], 1e-12) : softSlope(rows[i]));
        for (let l = 0; l < p; l++) jacobian[j * count + m + l] = l === j ? 1 : 0;
      }
    },
  };
}

/** Starts that are followed to the end. */
const FOLLOWED = 2;

/** Posterior mode by reweighted least squares from several starts, with ln σ profiled on a line. */
export function posteriorMode(problem: PosteriorProblem, starts: readonly ArrayLike<number>[]): Mode {
  const { model, seen, coordinates, response, trials, noise, tails } = problem;
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
      const v = Math.exp(2 * logNoise) + (response === "success" && trials[i] > 0 ? evaluation(q, trials[i]) : 0);
      weight[i] = tails === undefined ? 1 / v : (tails + 1) / (tails * v + (y[i] - e[i]) ** 2);
    }
  };
  interface State {
    readonly z: Float64Array;
    readonly logNoise: number;
    readonly value: number;
  }
  const line = new Float64Array(p + 1);
  const round = ({ z: from, logNoise: before }: State, tolerance: number, maxIterations: number): State => {
    reweight(from, before);
    const z = solve.solve(from, weight, loss, { tolerance, maxIterations }).theta;
    line.set(z);
    let top = -Infinity,
      logNoise = before;
    for (let step = -6; step <= 6; step++) {
      line[p] = noise.mean + step * 0.25 * noise.sd * (1 + Math.abs(step) * 0.15);
      const value = target(line);
      if (value > top) [top, logNoise] = [value, line[p]];
    }
    return { z, logNoise, value: top };
  };
  const prior = coordinates.map((c) => c.mean);
  const tried = [prior, ...starts].map((start) =>
    round(round({ z: Float64Array.from(start), logNoise: noise.mean, value: -Infinity }, 1e-4, 15), 1e-5, 15),
  );
  tried.sort((a, b) => b.value - a.value);
  const followed = tried.slice(0, FOLLOWED).map((first) => {
    let state = first;
    for (let i = 0; i < 3; i++) {
      const next = round(state, 1e-8, 60);
      const still = Math.abs(next.value - state.value) < 1e-6;
      if (next.value >= state.value || i === 0) state = next;
      if (still) break;
    }
    return state;
  });
  const best = followed.reduce((a, b) => (b.value > a.value ? b : a));
  const z = Float64Array.from([...best.z, best.logNoise]);
  reweight(best.z, best.logNoise);
  const jacobian = new Float64Array(p * (m + p));
  inner.evaluate(best.z, seen.u, m + p, e, jacobian);
  const information = coordinates.map((_, a) =>
    coordinates.map((_, b) => {
      let sum = 0;
      for (let i = 0; i < m + p; i++) sum += weight[i] * jacobian[a * (m + p) + i] * jacobian[b * (m + p) + i];
      return sum;
    }),
  );
  const inverse =
    invert(information) ?? coordinates.map((c, a) => coordinates.map((_, b) => (a === b ? c.sd ** 2 : 0)));
  const noiseVariance = 1 / (1 / noise.sd ** 2 + noiseInformation(problem, e, best.logNoise));
  const covariance = [...inverse.map((row) => [...row, 0]), [...coordinates.map(() => 0), noiseVariance]];
  const factor = cholesky(inverse);
  let penalty = 0;
  for (let j = 0; j < p; j++) penalty += 0.5 * ((z[j] - coordinates[j].mean) / coordinates[j].sd) ** 2;
  penalty += 0.5 * ((z[p] - noise.mean) / noise.sd) ** 2;
  const value = Number.isFinite(best.value) ? best.value : -1e9;
  return {
    z,
    covariance,
    // Normal priors are scaled by their own widths: subtract them so that laws with more parameters pay for them.
    evidence:
      value +
      (factor ? factor.reduce((sum, row, i) => sum + Math.log(row[i]), 0) : 0) +
      0.5 * Math.log(noiseVariance) -
      logWidths(problem),
    likelihood: value + penalty,
    effective: 1 + coordinates.reduce((sum, c, j) => sum + 1 - Math.min(1, inverse[j][j] / c.sd ** 2), 0),
    starts: tried.length,
    agreeing: tried.filter((one) => one.value > best.value - 0.5).length / tried.length,
  };
}

/** Σ ln sd of the priors, the noise's among them. */
export function logWidths({ coordinates, noise }: PosteriorProblem): number {
  return coordinates.reduce((sum, c) => sum + Math.log(c.sd), 0) + Math.log(noise.sd);
}

/** Expected information on ln σ: each run's share of σ² in its variance, squared, twice. */
function noiseInformation({ seen, response, trials }: PosteriorProblem, e: Float64Array, logNoise: number): number {
  const variance = Math.exp(2 * logNoise);
  let sum = 0;
  for (let i = 0; i < seen.m; i++) {
    const q = Math.min(Math.max(e[i], 0), 1);
    const own = response === "success" && trials[i] > 0 ? (q * (1 - q)) / trials[i] : 0;
    sum += 2 * (variance / (variance + own)) ** 2;
  }
  return sum;
}
