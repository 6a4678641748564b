import type { Problem } from "../../result";
import { incompleteBeta } from "../../numerics/special";
import { softError, softSlope } from "../../laws/soft";
import type { Discrepancy } from "../file/file";
import { thetaAt } from "./believe";
import { weightsOf } from "./choose";
import type { Candidate, Explored } from "./plan";
import { heldOutErrors } from "./scores";

/** Below this the runs are said not to follow the law. In simulation it fires on 2 to 4 % of tables whose law is right. */
const LEVEL = 0.03;

/** Laws are off by this much at least, within the runs and at twice their ends: a test of a dozen runs hardly ever fires. */
const DISCREPANCY_FLOOR: Discrepancy = { inside: 0.01, beyond: 0.02 };
/** Where the test was made and passed, what it could not have seen. */
const PASSED: Discrepancy = { inside: 0.006, beyond: 0.012 };

/** Share of what the law misses beyond the runs that it may miss within them: corners of the runs are nearly outside. */
const INSIDE = 0.7;

/** Degrees of freedom that make the test a test. */
const ENOUGH = 20;

export interface LackOfFit {
  /** Of the F-test; null where too few runs are left for it. */
  readonly probability: number | null;
  readonly discrepancy: Discrepancy;
  readonly warnings: readonly Problem[];
}

/**
 * Regresses what the chosen law leaves over on quadratics, interactions and cubes of log levels, beside the law's own directions
 * (so that only what the law cannot follow counts), each run weighted by its evaluation and run noise: an F-test. Where it fires, or
 * where selection and held-out runs disagree, intervals gain √(RMSE² of the held-out largest runs − noise²).
 */
export function lackOfFit(explored: Explored, chosen: Candidate, disagree: boolean): LackOfFit {
  const { seen, plan, identified } = explored;
  const none = { probability: null, discrepancy: DISCREPANCY_FLOOR, warnings: [] };
  if (plan.response !== "success" || !chosen.parts || chosen.model.bound) return none;
  const { model } = chosen;
  const { problem, mode } = chosen.parts[0];
  const { m } = seen,
    p = model.parameters.length;
  const theta = thetaAt(problem, mode.z);
  const e = new Float64Array(m),
    jacobian = new Float64Array(p * m);
  model.evaluate(theta, seen.u, m, e, jacobian);
  const variance = Math.exp(2 * mode.z[p]);
  const residual = new Float64Array(m),
    scale = new Float64Array(m);
  for (let i = 0; i < m; i++) {
    const q = softError(e[i]);
    scale[i] = 1 / Math.sqrt(variance + (problem.trials[i] > 0 ? (q * (1 - q)) / problem.trials[i] : 0));
    residual[i] = (seen.y[i] - q) * scale[i];
  }
  // The law's directions first, then what it may lack.
  const basis: Float64Array[] = [];
  for (let j = 0; j < p; j++)
    append(
      basis,
      Float64Array.from({ length: m }, (_, i) => jacobian[j * m + i] * softSlope(e[i]) * scale[i]),
    );
  const directions = basis.length;
  const terms = termsOf(identified.axes, seen.u, m, scale);
  const added = terms.filter(({ column }) => append(basis, column)).map(({ name }) => name);
  const freedom = m - basis.length;
  const sumOf = (columns: readonly Float64Array[]): number =>
    columns.reduce((sum, column) => sum + dot(column, residual) ** 2, 0);
  const extra = basis.slice(directions);
  const explainedByLaw = sumOf(basis.slice(0, directions));
  const left = Math.max(dot(residual, residual) - explainedByLaw - sumOf(extra), 1e-12);
  const F = added.length > 0 && freedom >= 3 ? sumOf(extra) / added.length / (left / freedom) : null;
  // All terms together, or the strongest alone by Bonferroni: a plateau along one axis is one term of nine.
  const joint = F === null ? null : upperTail(F, added.length, freedom);
  const strongest = extra.reduce((most, column) => Math.max(most, dot(column, residual) ** 2), 0);
  const single =
    F === null
      ? 1
      : added.length *
        upperTail(
          strongest / ((left + sumOf(extra) - strongest) / (freedom + added.length - 1)),
          1,
          freedom + added.length - 1,
        );
  const probability = joint === null ? null : Math.min(1, joint, single);
  const misfit = probability !== null && probability < LEVEL;
  if (!misfit && !disagree)
    return { probability, discrepancy: freedom >= ENOUGH ? PASSED : DISCREPANCY_FLOOR, warnings: [] };
  // Noise as the enriched regression leaves it: the law's own misfit is not in it.
  const noise = F === null ? variance : Math.min(variance, (variance * left) / freedom);
  const full = Math.sqrt(Math.max(0, heldOutSquare(explored) - noise));
  const worst = extra.reduce(
    (best, column, i) => (Math.abs(dot(column, residual)) > Math.abs(dot(extra[best], residual)) ? i : best),
    0,
  );
  return {
    probability,
    discrepancy: {
      inside: Math.hypot(DISCREPANCY_FLOOR.inside, misfit ? INSIDE * full : 0),
      beyond: Math.hypot(DISCREPANCY_FLOOR.beyond, full),
    },
    warnings: misfit
      ? [
          {
            code: "law.misfit",
            message: `The runs do not follow the ${chosen.base.law} law: what it leaves over bends ${added[worst] ?? "with the axes"}, most at ${corner(explored, residual)} (F-test, p ${probability < 0.001 ? "< 0.001" : `= ${probability.toPrecision(1)}`}). Intervals are ${(100 * full).toFixed(1)} points wider for it.`,
          },
        ]
      : [],
  };
}

/** Mean square of the mixture's errors on the held-out largest runs, beyond their evaluation noise. */
function heldOutSquare(explored: Explored): number {
  const { seen, heldOut, candidates } = explored;
  const weights = weightsOf(explored);
  const out = Array.from(heldOut.keys()).filter((i) => heldOut[i]);
  const mean = new Float64Array(out.length);
  let total = 0;
  for (const candidate of candidates) {
    const weight = weights.get(candidate) ?? 0;
    if (weight < 0.02 || !candidate.parts) continue;
    const { problem, mode } = candidate.parts[0];
    const errors = heldOutErrors(problem, heldOut, mode.z.subarray(0, mode.z.length - 1));
    if (!errors) continue;
    total += weight;
    errors.forEach((one, i) => (mean[i] += weight * one));
  }
  if (total === 0) return 0;
  let sum = 0;
  out.forEach((i, j) => {
    const q = mean[j] / total,
      n = candidates[0].parts?.[0].problem.trials[i] ?? 0;
    sum += (seen.y[i] - q) ** 2 - (n > 0 ? (q * (1 - q)) / n : 0);
  });
  return sum / out.length;
}

function termsOf(
  axes: readonly string[],
  u: Float64Array,
  m: number,
  scale: Float64Array,
): { name: string; column: Float64Array }[] {
  const column = (value: (i: number) => number): Float64Array =>
    Float64Array.from({ length: m }, (_, i) => value(i) * scale[i]);
  const at = (a: number, i: number): number => u[a * m + i];
  return [
    ...axes.map((axis, a) => ({ name: `along ${axis}`, column: column((i) => at(a, i) ** 2) })),
    ...axes.flatMap((axis, a) =>
      axes.slice(a + 1).map((other, b) => ({
        name: `where ${axis} and ${other} change together`,
        column: column((i) => at(a, i) * at(a + 1 + b, i)),
      })),
    ),
    ...axes.map((axis, a) => ({ name: `along ${axis}`, column: column((i) => at(a, i) ** 3) })),
  ];
}

/** Adds a column's part that is new to an orthonormal basis; false where nothing is. */
function append(basis: Float64Array[], column: Float64Array): boolean {
  const rest = Float64Array.from(column),
    size = dot(column, column);
  for (let pass = 0; pass < 2; pass++)
    for (const one of basis) {
      const along = dot(one, rest);
      for (let i = 0; i < rest.length; i++) rest[i] -= along * one[i];
    }
  const left = dot(rest, rest);
  if (!(left > 1e-9 * size) || size === 0) return false;
  const norm = Math.sqrt(left);
  basis.push(rest.map((value) => value / norm));
  return true;
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}

/** P(F(a, b) > f). */
function upperTail(f: number, a: number, b: number): number {
  return incompleteBeta(b / 2, a / 2, b / (b + a * f));
}

/** The corner of the runs with the largest mean residual, in words. */
function corner({ identified: { axes }, seen: { u, m } }: Explored, residual: Float64Array): string {
  const sums = new Map<string, { sum: number; count: number }>();
  for (let i = 0; i < m; i++) {
    const key = axes.map((axis, a) => `${u[a * m + i] < 0 ? "few" : "many"} ${axis}`).join(", ");
    const known = sums.get(key) ?? { sum: 0, count: 0 };
    sums.set(key, { sum: known.sum + residual[i], count: known.count + 1 });
  }
  return [...sums].sort(([, a], [, b]) => b.sum ** 2 / b.count - a.sum ** 2 / a.count)[0][0];
}

/** Runs further than this from the law, in robust standard deviations, are named. */
const FAR = 4;

/** Runs that lie far off the chosen law. */
export function outliersOf({ seen, runs, plan, tails }: Explored, chosen: Candidate): Problem[] {
  if (plan.response !== "success" || !chosen.parts || seen.m < 8) return [];
  const { problem, mode } = chosen.parts[0];
  const e = new Float64Array(seen.m);
  chosen.model.evaluate(thetaAt(problem, mode.z), seen.u, seen.m, e, null);
  const off = Array.from(e, (value, i) => seen.y[i] - softError(value));
  const sizes = off.map(Math.abs).sort((a, b) => a - b);
  const typical = 1.4826 * sizes[Math.floor(sizes.length / 2)];
  const far = off.flatMap((one, i) => {
    const n = problem.trials[i],
      q = softError(e[i]);
    const sd = Math.max(typical, Math.sqrt(0.02 ** 2 + (n > 0 ? (q * (1 - q)) / n : 0)));
    return Math.abs(one) > FAR * sd
      ? [`${runs[i].row.id} (${one > 0 ? "−" : "+"}${(100 * Math.abs(one)).toFixed(0)} points)`]
      : [];
  });
  if (far.length === 0) return [];
  return [
    {
      code: "run.outlier",
      message: `${far.length === 1 ? "1 run lies" : `${far.length} runs lie`} far from the law (${far.slice(0, 4).join(", ")}${far.length > 4 ? ", …" : ""})${tails === undefined ? "" : ": a likelihood with heavy tails keeps them from pulling it"}. Diverged or unfinished trainings should be left out.`,
    },
  ];
}
