import type { Model } from "../../laws/model";
import { solver } from "../../solve/levenberg";
import type { Loss, Observed } from "../../solve/likelihood";
import { manyStarts, type ManyStarts } from "../../solve/manyStarts";
import { posteriorMode, type Mode, type PosteriorProblem } from "../../solve/posteriorMode";
import { fittedErrors, residualsOf } from "../../solve/scale";
import { softError } from "../../laws/soft";
import type { Candidate } from "./plan";

/** The fifth of the runs with the largest scale: the sum over axes of the position within the axis's range. */
export function largest(seen: Observed, axes: number): boolean[] {
  const { m, u } = seen;
  const score = new Float64Array(m);
  for (let a = 0; a < axes; a++) {
    const column = u.subarray(a * m, (a + 1) * m);
    const low = Math.min(...column),
      high = Math.max(...column);
    for (let i = 0; i < m; i++) score[i] += (column[i] - low) / (high - low || 1);
  }
  const order = Array.from(score.keys()).sort((a, b) => score[b] - score[a] || a - b);
  const out = new Array<boolean>(m).fill(false);
  for (const i of order.slice(0, heldOutOf(m))) out[i] = true;
  return out;
}

function heldOutOf(runs: number): number {
  return Math.max(1, Math.round(runs / 5));
}

export function heldOutRmse(
  model: Model,
  seen: Observed,
  loss: Loss,
  heldOut: readonly boolean[],
  fit: ManyStarts,
  seed: number,
): number | null {
  const train = heldOut.filter((out) => !out).length;
  if (train < model.parameters.length + 2) return null;
  const weight = Float64Array.from(heldOut, (out) => (out ? 0 : 1));
  const solve = solver(model, seen);
  // The starts must not know the held-out runs, or flat directions would remember them.
  const starts =
    model.projection && seen.m <= 2000
      ? manyStarts(model, subset(seen, model.axes.length, heldOut), loss, 12, seed).theta
      : fit.theta;
  const { theta } = solve.solve(starts, weight, loss, { tolerance: 1e-9 });
  const residuals = residualsOf(loss, model, theta, seen);
  let sum = 0,
    count = 0;
  for (let i = 0; i < seen.m; i++) {
    if (!heldOut[i]) continue;
    sum += residuals[i] ** 2;
    count++;
  }
  return Math.sqrt(sum / count);
}

function subset(seen: Observed, axes: number, drop: readonly boolean[]): Observed {
  const keep = drop.flatMap((out, i) => (out ? [] : [i]));
  const m = keep.length,
    u = new Float64Array(axes * m);
  for (let a = 0; a < axes; a++) keep.forEach((i, j) => (u[a * m + j] = seen.u[a * seen.m + i]));
  return { m, u, y: Float64Array.from(keep, (i) => seen.y[i]), n: Float64Array.from(keep, (i) => seen.n[i]) };
}

/**
 * QAICc: 2·objective/φ + 2K + 2K(K + 1)/(m − K − 1), K the law's parameters and, for counts, φ; plain least squares has the usual m·ln(RSS/m) in place of the first term. Null where too few runs are left.
 */
export function aicc(loss: Loss, objective: number, model: Model, m: number, dispersion: number): number | null {
  const K = parametersOf(loss, model);
  if (m - K - 1 <= 0) return null;
  const fit =
    loss.name === "gaussian" ? m * Math.log(Math.max((2 * objective) / m, 1e-300)) : (2 * objective) / dispersion;
  return fit + 2 * K + (2 * K * (K + 1)) / (m - K - 1);
}

/** What a law is charged for: its parameters and, for counts, φ. */
function parametersOf(loss: Loss, model: Model): number {
  return model.parameters.length + (loss.name === "binomial" ? 1 : 0);
}

/**
 * AICc of a posterior fit: −2 ln L where the posterior is highest, and the usual charge for the K parameters that the runs determine:
 * those that rest on their priors bend to no noise. (Charged in full, no law of six parameters could be compared at nine runs.)
 */
export function informationOf({ seen: { m } }: PosteriorProblem, mode: Mode): number | null {
  const K = mode.effective;
  return m - K - 1 < 2 ? null : -2 * mode.likelihood + 2 * K + (2 * K * (K + 1)) / (m - K - 1);
}

/** Runs that a law under priors is fitted to, at least, to judge it by the others. */
const LEAST_TRAINED = 4;

/** Errors of the held-out runs by the law fitted to the others under the same priors; null where the others are too few. */
export function heldOutErrors(
  problem: PosteriorProblem,
  heldOut: readonly boolean[],
  start: ArrayLike<number>,
): Float64Array | null {
  const { model, seen, trials, coordinates } = problem;
  const train = heldOut.filter((out) => !out).length;
  if (train < LEAST_TRAINED || (model.bound ?? false)) return null;
  const k = model.axes.length;
  const mode = posteriorMode(
    {
      ...problem,
      seen: subset(seen, k, heldOut),
      trials: trials.filter((_, i) => !heldOut[i]),
    },
    [start],
  );
  const theta = Float64Array.from(coordinates, (c, j) => c.theta(mode.z[j]));
  const rest = subset(
    seen,
    k,
    heldOut.map((out) => !out),
  );
  return fittedErrors(model, theta, rest).map(problem.response === "success" ? softError : (e) => e);
}

/** What the runs are too few for, in a few words: fits by least squares or likelihood. */
export function missing(model: Model, loss: Loss, m: number, control: boolean): Candidate["missing"] {
  const forAicc = parametersOf(loss, model) + 2,
    forHeldOut = runsFor(model.parameters.length + 2);
  return {
    ...(m < forAicc ? { aicc: needs(forAicc, m) } : {}),
    ...(control
      ? { heldOut: "none, since reward density enters" }
      : m < forHeldOut
        ? { heldOut: needs(forHeldOut, m) }
        : {}),
  };
}

/** The same under priors, where a law is weighed by its evidence and needs neither. */
export function missingUnderPriors({ model, seen: { m } }: PosteriorProblem, mode: Mode): Candidate["missing"] {
  const forAicc = Math.ceil(mode.effective + 3),
    forHeldOut = runsFor(LEAST_TRAINED);
  return {
    ...(m < forAicc ? { aicc: `${needs(forAicc, m)}; its weight does not` } : {}),
    ...(model.bound
      ? { heldOut: "none, since reward density enters" }
      : m < forHeldOut
        ? { heldOut: needs(forHeldOut, m) }
        : {}),
  };
}

function needs(runs: number, has: number): string {
  return `needs ${runs} runs, has ${has}`;
}

/** Runs of which so many are left when the largest fifth is held out. */
function runsFor(trained: number): number {
  let runs = trained + 1;
  while (runs - heldOutOf(runs) < trained) runs++;
  return runs;
}
