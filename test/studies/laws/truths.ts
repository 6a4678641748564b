import { GRID, TRUTHS, type Levels, type Truth } from "../../core/fit/simulate";
import { random } from "../../../server/core/numerics/random";

/** One true law of the study: error at given levels, and whether a law of ours contains it. */
export interface StudyTruth {
  readonly error: Truth;
  readonly contained: boolean;
}

const logistic = (z: number): number => 1 / (1 + Math.exp(-z));
const E = (x: Levels): number => Math.log(x.environments / 32);
const T = (x: Levels): number => Math.log(x.tasks / 800);
const R = (x: Levels): number => Math.log(x.trajectories / 5.66);

/** Standard normal distribution (Abramowitz and Stegun 26.2.17, to 1e-7). */
function normal(z: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(z));
  const tail =
    0.3989422804 *
    Math.exp(-0.5 * z * z) *
    t *
    (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  return z > 0 ? 1 - tail : tail;
}

/** Six truths that a law of ours contains, six that none does. */
export const STUDY_TRUTHS: Readonly<Record<string, StudyTruth>> = {
  multiplicative: { error: TRUTHS.multiplicative.error, contained: true },
  additive: { error: TRUTHS.additive.error, contained: true },
  interaction: { error: TRUTHS.interaction.error, contained: true },
  nested: { error: TRUTHS.nested.error, contained: true },
  logistic: {
    error: (x) => 1 - (0.08 + 0.8 * logistic(0.9 * (0.6 * E(x) + 0.35 * T(x) + 0.2 * R(x)))),
    contained: true,
  },
  logit: { error: (x) => 1 - logistic(-0.2 + 0.5 * E(x) + 0.3 * T(x) + 0.25 * R(x)), contained: true },
  /** A normal curve in place of the logistic one, between a floor and a ceiling. */
  probit: { error: (x) => 1 - (0.05 + 0.85 * normal(0.55 * E(x) + 0.35 * T(x) + 0.2 * R(x))), contained: false },
  /** Environments along an S, tasks and rollouts by a power each. */
  mixed: {
    error: (x) =>
      0.05 + 0.45 * (1 - logistic(1.4 * E(x))) + 0.14 * Math.exp(-0.3 * T(x)) + 0.06 * Math.exp(-0.5 * R(x)),
    contained: false,
  },
  /** Nothing happens below some 40 environments, then fast gains. */
  threshold: {
    error: (x) =>
      0.75 - 0.5 * logistic(3 * (E(x) - 0.2)) * (1 - 0.5 * Math.exp(-0.3 * (T(x) + 2.1))) - 0.03 * R(x) * 0.5,
    contained: false,
  },
  /** Tasks beyond about 900 add nothing. */
  plateau: {
    error: (x) => 0.1 + 0.15 * Math.exp(-0.3 * E(x) - 0.45 * Math.min(T(x), 0.1) - 0.12 * R(x)),
    contained: false,
  },
  /** Each axis saturates by itself, and success is their product. */
  product: {
    error: (x) => 1 - 0.95 * logistic(1.2 * (E(x) + 1)) * logistic(0.9 * (T(x) + 2)) * logistic(1.5 * (R(x) + 1.5)),
    contained: false,
  },
  /** Success and log levels trade along a bent path: gains come twice. */
  twice: {
    error: (x) =>
      0.85 - 0.3 * logistic(3 * (E(x) + 1.4)) - 0.35 * logistic(3 * (E(x) - 1.4)) - 0.05 * T(x) * 0.6 - 0.02 * R(x),
    contained: false,
  },
};

/** Twice every level of the runs. */
export const TWICE: Levels = { tasks: 12800, environments: 512, trajectories: 32 };

/** A corner of the runs, their middle, between them, and twice beyond. */
export const STUDY_TARGETS: readonly Levels[] = [
  { tasks: 6400, environments: 256, trajectories: 16 },
  { tasks: 800, environments: 32, trajectories: 6 },
  { tasks: 3000, environments: 10, trajectories: 3 },
  TWICE,
  { tasks: 800, environments: 512, trajectories: 6 },
];

/** The full factorial, or some of its cells at random. */
export function designOf(runs: number, seed: number): readonly Levels[] {
  if (runs === GRID.length) return GRID;
  const stream = random(4000 + 10 * seed + runs);
  const left = [...GRID];
  return Array.from({ length: runs }, () => left.splice(stream.below(left.length), 1)[0]);
}
