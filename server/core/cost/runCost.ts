import type { Estimate } from "../estimate";
import { random } from "../numerics/random";
import { quantile } from "../numerics/special";
import { COEFFICIENTS } from "./coefficients";
import type { FittedCoefficients } from "./fitted";
import { ASSUMED_GPU } from "./gpus";
import { isStated, NO_FACTORS, STAND_INS, stepSeconds, type CoefficientValues, type StepSeconds } from "./phases";
import type { RunShape } from "./shape";
import { COEFFICIENT_GROUPS, uncertainInputs, type KnownOfRun } from "./uncertain";
import type { Moves, Uncertain } from "./unstated";

/** Where the time of a run goes. */
export const COST_PARTS = ["generation", "passes", "update", "evaluation", "environment", "other"] as const;
export type CostPartName = (typeof COST_PARTS)[number];

/** One assumption behind the interval. */
export interface IntervalShare {
  readonly name: string;
  /** What is assumed, with its unit. */
  readonly text: string;
  /** Share of the variance of ln hours, in [0, 1]. */
  readonly share: number;
}

/** What a run takes; intervals are 80 %. Null: unknown, with the reason in `missing`. */
export interface RunCost {
  readonly basis: "measured" | "modelled";
  /** Of a training step on the wall, evaluations apart. */
  readonly secondsPerStep: Estimate;
  readonly gpuHours: Estimate | null;
  readonly usd: Estimate | null;
  readonly wallClockHours: Estimate | null;
  /** GPU-hours; they add up to the estimate. */
  readonly parts: Readonly<Record<CostPartName, number>> | null;
  /** On the wall; null without any. */
  readonly secondsPerEvaluation: number | null;
  readonly evaluations: number;
  readonly missing: string | null;
  /** The largest first. */
  readonly assumptions: readonly IntervalShare[];
  /** What was measured behind it; null: nothing. */
  readonly measuredFrom: string | null;
}

export interface RunCostOptions extends Partial<KnownOfRun> {
  readonly coefficients?: FittedCoefficients;
}

interface Outcome {
  readonly seconds: StepSeconds;
  readonly hours: number | null;
  readonly gpuHours: number | null;
  readonly usd: number | null;
}

/** Draws behind an interval: its ends move by about 3 % from seed to seed. */
const DRAWS = 500;
const SEED = 13;
/** Seconds until the first step: loading, engines, compilation. */
const START_SECONDS = 180;
const START_SECONDS_PER_BILLION = 2;

/**
 * Seconds per step, hours and money of a run with 80 % intervals. Uncertain are the fitted coefficients (drawn together),
 * how published runs stray from them (Student t), and whatever the run does not state.
 */
export function runCost(shape: RunShape, options: RunCostOptions = {}): RunCost {
  const fitted = options.coefficients ?? COEFFICIENTS;
  const known: KnownOfRun = {
    calibration: options.calibration ?? null,
    team: options.team ?? null,
    priceStated: options.priceStated ?? false,
  };
  const uncertain = uncertainInputs(shape, fitted, known);
  const centre = fitted.names.map((name) =>
    fitted.linear.includes(name) ? fitted.values[name] : Math.log(fitted.values[name]),
  );
  const outcome = (theta: readonly number[], moves: Moves): Outcome =>
    outcomeOf(shape, valuesAt(fitted, theta), moves, known);
  const point = outcome(centre, {});
  const draws = drawn(fitted, uncertain, known.calibration === null ? centre : null).map(({ theta, moves }) =>
    outcome(theta ?? centre, moves),
  );
  const over = (pick: (one: Outcome) => number | null): Estimate | null => {
    const at = pick(point);
    return at === null
      ? null
      : interval(
          at,
          draws.map((one) => pick(one) ?? NaN),
        );
  };
  return {
    basis: known.calibration ? "measured" : "modelled",
    secondsPerStep: interval(
      point.seconds.step,
      draws.map(({ seconds }) => seconds.step),
    ),
    gpuHours: over((one) => one.gpuHours),
    usd: over((one) => one.usd),
    wallClockHours: over((one) => one.hours),
    parts: partsOf(shape, point),
    secondsPerEvaluation: shape.evaluation === null ? null : point.seconds.evaluation,
    evaluations: evaluationCount(shape),
    missing: shape.steps === null ? "the number of training steps is unknown" : null,
    assumptions: shares(fitted, uncertain, outcome, centre, known.calibration !== null),
    measuredFrom: known.calibration?.from ?? (known.team ? `${known.team.runs} other runs of this workspace` : null),
  };
}

/** Evaluations of the whole run; 0 where the steps or the evaluations are unknown. */
export function evaluationCount({ evaluation, steps }: RunShape): number {
  if (evaluation === null || steps === null) return 0;
  const during = evaluation.every === null ? 0 : Math.floor(steps / evaluation.every);
  const last = evaluation.every !== null && steps % evaluation.every === 0;
  return during + (evaluation.beforeTraining ? 1 : 0) + (evaluation.atEnd && !last ? 1 : 0);
}

function outcomeOf(
  shape: RunShape,
  k: CoefficientValues,
  moves: Moves,
  { calibration, team, priceStated }: KnownOfRun,
): Outcome {
  const residual = (moves.residual ?? 1) * Math.exp(team?.shift ?? 0);
  const factors = { ...NO_FACTORS, ...moves, residual };
  const modelled = stepSeconds(shape, k, factors);
  const corrected = calibration ? calibration.apply(modelled) : modelled;
  const seconds = { ...corrected, evaluation: corrected.evaluation * (moves.evaluation ?? 1) };
  if (shape.steps === null) return { seconds, hours: null, gpuHours: null, usd: null };
  const start = startSeconds(shape) * (moves.start ?? 1);
  const hours = (shape.steps * seconds.step + evaluationCount(shape) * seconds.evaluation + start) / 3600;
  const gpuHours = hours * (shape.gpus ?? STAND_INS.gpus * factors.gpus);
  const price = (shape.gpu ?? ASSUMED_GPU).usdPerHour * (priceStated ? 1 : (moves.price ?? 1));
  return { seconds, hours, gpuHours, usd: gpuHours * price };
}

function startSeconds(shape: RunShape): number {
  return isStated(shape) ? 0 : START_SECONDS + (START_SECONDS_PER_BILLION * shape.parameters) / 1e9;
}

/** Phases that overlap are scaled to what passes, so that the parts add up to the whole. */
function partsOf(shape: RunShape, { seconds, gpuHours }: Outcome): RunCost["parts"] {
  if (shape.steps === null || gpuHours === null) return null;
  const { generation, passes, update, environment, other, step } = seconds;
  const hour = (shape.gpus ?? STAND_INS.gpus) / 3600;
  const training = (hour * shape.steps * step) / (generation + passes + update + environment + other);
  return {
    generation: training * generation,
    passes: training * passes,
    update: training * update,
    evaluation: hour * evaluationCount(shape) * seconds.evaluation,
    environment: training * environment,
    other: training * other + hour * startSeconds(shape),
  };
}

/** Draws of the coefficients (null: they are measured, and stay) and of what moves beside them. */
function drawn(
  fitted: FittedCoefficients,
  uncertain: readonly Uncertain[],
  centre: readonly number[] | null,
): readonly { readonly theta: readonly number[] | null; readonly moves: Moves }[] {
  const source = random(SEED);
  return Array.from({ length: DRAWS }, () => {
    const z = fitted.names.map(() => source.normal());
    const theta =
      centre?.map((at, i) => at + fitted.cholesky[i].reduce((sum, entry, j) => sum + entry * z[j], 0)) ?? null;
    const moves: Partial<Record<keyof Moves, number>> = {};
    for (const { on, spread, heavy } of uncertain) {
      const normal = source.normal();
      const tail = heavy ? Math.sqrt(fitted.degrees / (2 * source.gamma(fitted.degrees / 2))) : 1;
      moves[on] = Math.exp(spread * normal * tail);
    }
    return { theta, moves };
  });
}

/** Shares of the variance of ln hours (of ln seconds without steps): its slope along each input × the input's spread. */
function shares(
  fitted: FittedCoefficients,
  uncertain: readonly Uncertain[],
  outcome: (theta: readonly number[], moves: Moves) => Outcome,
  centre: readonly number[],
  measured: boolean,
): readonly IntervalShare[] {
  const size = ({ gpuHours, seconds }: Outcome): number => Math.log(gpuHours ?? seconds.step);
  const base = size(outcome(centre, {}));
  const found = uncertain
    .filter(({ on }) => on !== "price")
    .map(({ name, text, spread, on, heavy }) => {
      const slope = size(outcome(centre, { [on]: Math.exp(spread) })) - base;
      return { name, text, variance: slope ** 2 * (heavy ? fitted.degrees / (fitted.degrees - 2) : 1) };
    });
  if (!measured) {
    const step = 0.01;
    const gradient = centre.map(
      (_, i) =>
        (size(
          outcome(
            centre.map((x, j) => (j === i ? x + step : x)),
            {},
          ),
        ) -
          base) /
        step,
    );
    const carried = covarianceTimes(fitted.cholesky, gradient);
    for (const { name, members } of COEFFICIENT_GROUPS) {
      const variance = fitted.names.reduce(
        (sum, one, i) => sum + (members.includes(one) ? gradient[i] * carried[i] : 0),
        0,
      );
      const same = found.find((one) => one.name === name);
      if (same) same.variance += Math.max(0, variance);
      else found.push({ name, text: "fitted to published runs", variance: Math.max(0, variance) });
    }
  }
  const total = found.reduce((sum, { variance }) => sum + variance, 0);
  return found
    .map(({ name, text, variance }) => ({ name, text, share: total > 0 ? variance / total : 0 }))
    .filter(({ share }) => share >= 0.005)
    .sort((a, b) => b.share - a.share);
}

/** L·(Lᵀ·g), L the lower Cholesky factor of the coefficients' covariance. */
function covarianceTimes(cholesky: readonly (readonly number[])[], g: readonly number[]): number[] {
  const first = g.map((_, column) => cholesky.reduce((sum, row, i) => sum + (row[column] ?? 0) * g[i], 0));
  return cholesky.map((row) => row.reduce((sum, entry, j) => sum + entry * first[j], 0));
}

/** Coefficients are moved as logarithms, exponents as they are. */
function valuesAt({ names, linear, values }: FittedCoefficients, theta: readonly number[]): CoefficientValues {
  const moved = names.map((name, i) => [name, linear.includes(name) ? theta[i] : Math.exp(theta[i])]);
  return { ...values, ...Object.fromEntries(moved) } as CoefficientValues;
}

function interval(point: number, draws: readonly number[]): Estimate {
  const [low, high] = [0.1, 0.9].map((probability) => quantile(draws, probability));
  return { estimate: point, low: Math.min(point, low), high: Math.max(point, high) };
}
