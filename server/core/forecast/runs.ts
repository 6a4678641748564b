import type { Estimate } from "../estimate";
import { isTrainingReward, type RunRow, type RunState, type RunTable, type UnmeasuredRun } from "../table";
import type { Advice, Reason } from "./advice";
import { residualsOf } from "./calibration";
import { type Curve, endValue, END_SHARE, noiseVariance } from "./curve";
import { forecast, type Forecast } from "./forecast";
import { rewardAdvice } from "./reward";
import { leftOf, NOTHING_LEFT_KNOWN, type Left } from "./left";
import type { LawPrior } from "./outlook";

/** What is known beside the runs. Rates in [0, 1]. */
export interface RunForecastOptions {
  /** What a fit says of a run's levels; undefined where it says nothing. */
  readonly law?: (row: RunRow | UnmeasuredRun) => LawPrior | undefined;
  readonly target?: number;
  /** What a GPU-hour costs; undefined where that is not known. */
  readonly usdPerGpuHour?: number;
}

/** Where one run stands and where it will end. Rates in [0, 1]; null is unknown, and `advice` says why. */
export interface RunForecast extends Left {
  readonly run: string;
  readonly state: RunState;
  readonly stateReason: string | null;
  readonly step: number | null;
  readonly plannedSteps: number | null;
  readonly metric: string | null;
  /** What the metric is: of a training reward `now`, `final` and `gainLeft` are no success, and `pReach` is not known. */
  readonly measures: "success" | "training-reward" | null;
  /** True where the log was simulated from a stated law. */
  readonly simulated: boolean;
  readonly now: number | null;
  /** Of a finished run: what was measured, with the noise of its points. */
  readonly final: Estimate | null;
  readonly pReach: { readonly law: number | null; readonly target: number | null; readonly best: number | null };
  readonly gainLeft: Estimate | null;
  readonly gainStep: number | null;
  /** Standard deviation of `final`. */
  readonly sd: number | null;
  /** Spent so far. */
  readonly gpuHours: number | null;
  readonly advice: Advice;
  /** Share of rollout groups without gradient lately, as logged. */
  readonly deadGroups: number | null;
  readonly law: LawPrior | null;
  readonly best: number | null;
  /** Own finished runs whose forecasts, made again, went into the interval. */
  readonly ownRuns: number;
  readonly points: Curve["points"];
  readonly fan: Forecast["fan"];
}

/** Own runs that are forecast again at most; the latest of the table. */
const MOST_OWN = 60;
/** An own run of fewer points says little about forecasts. */
const FEWEST_OWN = 8;

/** Forecasts of all runs of a table that were logged step by step, in its order. */
export function forecastRuns(table: RunTable, options: RunForecastOptions = {}): RunForecast[] {
  const measured = table.rows.filter(({ curve }) => curve !== undefined && curve.length > 0);
  const finished = measured.filter(isFinished);
  const own = ownErrors(finished);
  return [
    ...measured.map((row) => ofRow(row, finished, own, options)),
    ...(table.unmeasured ?? []).map((row) => ofUnmeasured(row, options)),
  ];
}

/** The forecast of one row among others; null for one that has no curve. */
export type Forecaster = (row: RunRow, options?: RunForecastOptions) => RunForecast | null;

/** Forecasts of single rows among others, whose errors are made once for all of them. */
export function forecaster(others: readonly RunRow[]): Forecaster {
  const finished = others.filter((other) => other.curve && other.curve.length > 0 && isFinished(other));
  const own = ownErrors(finished);
  return (row, options = {}) => (row.curve && row.curve.length > 0 ? ofRow(row, finished, own, options) : null);
}

function isFinished({ state, unplanned }: RunRow): boolean {
  return unplanned !== "growing" && (state === undefined || state === "finished");
}

/** The curve of a row; what it was measured on where that is known. */
function curveOf(row: RunRow): Curve {
  const samples = row.outcome.kind === "loss" ? undefined : row.outcome.trials;
  return {
    points: row.curve ?? [],
    kind: isTraining(row) ? "training" : "evaluation",
    ...(samples !== undefined && { samples }),
  };
}

/** Whether the success is that of the training rollouts; of a metric that a user named, its name tells. */
function isTraining({ metric }: RunRow): boolean {
  if (metric?.on !== "stated") return metric?.on === "training";
  return metric.keys.every(
    (key) => /(^|[/_.])(train|rollout|critic|batch|env)([/_.]|$)/i.test(key) && !/eval|val|test/i.test(key),
  );
}

type OwnErrors = (share: number, kind: Curve["kind"], except: string) => readonly number[];

/** Errors of the finished runs' forecasts at a share, made once per share and kind. */
function ownErrors(finished: readonly RunRow[]): OwnErrors {
  const usable = finished.filter(({ curve }) => (curve?.length ?? 0) >= FEWEST_OWN).slice(-MOST_OWN);
  const made = new Map<number, { readonly id: string; readonly kind: Curve["kind"]; readonly error: number }[]>();
  return (share, kind, except) => {
    const near = Math.min(0.95, Math.max(0.05, Math.round(share * 20) / 20));
    let errors = made.get(near);
    if (!errors) {
      errors = usable.flatMap((row) => {
        const curve = curveOf(row);
        return residualsOf(curve, row.id, [near]).map(({ error }) => ({ id: row.id, kind: curve.kind, error }));
      });
      made.set(near, errors);
    }
    return errors.filter((each) => each.kind === kind && each.id !== except).map(({ error }) => error);
  };
}

/** What is asked of a success has no answer where only a training reward is logged. */
function ofRow(row: RunRow, finished: readonly RunRow[], own: OwnErrors, options: RunForecastOptions): RunForecast {
  if (!isTrainingReward(row.metric)) return ofSuccess(row, finished, own, options);
  const { usdPerGpuHour } = options;
  const found = ofSuccess(row, [], own, { ...(usdPerGpuHour !== undefined && { usdPerGpuHour }) });
  return {
    ...found,
    measures: "training-reward",
    advice: rewardAdvice(found.advice, found.metric ?? "What is logged"),
  };
}

function ofSuccess(
  row: RunRow,
  finished: readonly RunRow[],
  own: OwnErrors,
  { law: lawOf, target, usdPerGpuHour }: RunForecastOptions,
): RunForecast {
  const curve = curveOf(row);
  const { points } = curve;
  const measured = points[points.length - 1].step;
  const step = Math.max(row.steps ?? 0, measured);
  const others = finished.filter(
    (other) => other.id !== row.id && isTraining(other) === isTraining(row) && !isTrainingReward(other.metric),
  );
  const law = lawOf?.(row);
  const best = others.reduce<number | undefined>((most, { curve: other }) => {
    const end = other && other.length > 0 ? endValue(other) : undefined;
    return end === undefined || (most !== undefined && most >= end) ? most : end;
  }, undefined);
  const common = {
    run: row.id,
    state: row.unplanned === "growing" ? ("running" as const) : (row.state ?? "finished"),
    simulated: row.simulated ?? false,
    stateReason: row.stateReason ?? null,
    step,
    plannedSteps: row.plannedSteps ?? null,
    metric: row.metric?.keys.join(", ") ?? null,
    measures: "success" as const,
    gpuHours: row.gpuHours ?? null,
    deadGroups: row.signs?.deadGroups ?? null,
    law: law ?? null,
    best: best ?? null,
    points,
  };
  if (isFinished(row)) {
    const came = { ...common, ...ended(curve, law?.success, target, best) };
    return row.unplanned ? { ...came, advice: UNPLANNED } : came;
  }
  if (row.plannedSteps === undefined || row.plannedSteps <= step)
    return {
      ...common,
      ...nothing,
      now: endValue(points),
      advice: unknown(
        "forecast.no-plan",
        row.plannedSteps === undefined
          ? "No planned steps are known, so there is no end to forecast: give `steps` in the config or run.json."
          : `${row.plannedSteps} steps are planned and ${step} are logged, so there is no end to forecast.`,
      ),
    };
  const errors = own(measured / row.plannedSteps, curve.kind, row.id);
  const found = forecast({
    curve,
    planned: row.plannedSteps,
    ...(law && { law }),
    ...(target !== undefined && { target }),
    ...(best !== undefined && { best }),
    own: errors,
    ...(row.signs && { signs: row.signs }),
  });
  if (!found.ok)
    return { ...common, ...nothing, now: endValue(points), advice: unknown(found.problem.code, found.problem.message) };
  const { now, final, sd, reach, gain, gainStep, advice, fan } = found.value;
  return {
    ...common,
    now,
    final,
    sd,
    pReach: reach,
    gainLeft: gain,
    gainStep,
    ...leftOf(row, step, usdPerGpuHour),
    advice: crashed(row) ?? late(row, step, measured) ?? advice,
    ownRuns: errors.length,
    fan,
  };
}

function crashed({ state, stateReason }: RunRow): Advice | null {
  if (state !== "crashed") return null;
  return {
    kind: "look",
    reasons: [{ code: "forecast.crashed", message: `The run crashed: ${stateReason ?? "why is not logged"}.` }],
  };
}

/** A run that goes on while nothing is measured any more. */
function late(row: RunRow, step: number, measured: number): Advice | null {
  if (row.plannedSteps === undefined || step - measured < 0.25 * row.plannedSteps) return null;
  return {
    kind: "look",
    reasons: [
      {
        code: "forecast.unmeasured",
        message: `Nothing was measured since step ${measured}; the run is at step ${step}.`,
      },
    ],
  };
}

const UNPLANNED = unknown(
  "forecast.finished",
  "No planned steps are known, so the run counts as finished. If it is on, give `steps` in its config or run.json.",
);

const nothing = {
  now: null,
  final: null,
  sd: null,
  pReach: { law: null, target: null, best: null },
  gainLeft: null,
  gainStep: null,
  ...NOTHING_LEFT_KNOWN,
  ownRuns: 0,
  fan: [],
} as const;

/** What a finished run came to, and whether that is what was wanted. */
function ended(
  curve: Curve,
  law: number | undefined,
  target: number | undefined,
  best: number | undefined,
): Omit<
  RunForecast,
  | "run"
  | "state"
  | "stateReason"
  | "step"
  | "plannedSteps"
  | "metric"
  | "measures"
  | "simulated"
  | "gpuHours"
  | "deadGroups"
  | "law"
  | "best"
  | "points"
> {
  const { points } = curve;
  const end = endValue(points);
  const last = points[points.length - 1].step;
  const count = points.filter(({ step }) => step >= last * (1 - END_SHARE)).length;
  const sd = Math.sqrt(noiseVariance(curve) / count);
  const reached = (rate: number | undefined) => (rate === undefined ? null : end >= rate ? 1 : 0);
  return {
    now: end,
    final: { estimate: end, low: Math.max(0, end - 1.96 * sd), high: Math.min(1, end + 1.96 * sd) },
    sd,
    pReach: { law: reached(law), target: reached(target), best: reached(best) },
    gainLeft: { estimate: 0, low: 0, high: 0 },
    gainStep: null,
    ...NOTHING_LEFT_KNOWN,
    gpuHoursLeft: 0,
    advice: unknown("forecast.finished", "The run has finished: nothing is left to decide."),
    ownRuns: 0,
    fan: [],
  };
}

function ofUnmeasured(row: UnmeasuredRun, { law }: RunForecastOptions): RunForecast {
  const state = row.state ?? "planned";
  const step = row.steps ?? null;
  const reason: Reason =
    state === "planned" || step === null
      ? { code: "forecast.not-started", message: "Nothing is logged yet." }
      : whyUnread(row);
  return {
    run: row.id,
    state,
    stateReason: row.stateReason ?? null,
    step,
    plannedSteps: row.plannedSteps ?? null,
    metric: null,
    measures: null,
    simulated: row.simulated ?? false,
    gpuHours: row.gpuHours ?? null,
    deadGroups: row.signs?.deadGroups ?? null,
    ...nothing,
    advice: { kind: state === "running" && step !== null && step > 0 ? "look" : "unknown", reasons: [reason] },
    law: law?.(row) ?? null,
    best: null,
    points: [],
  };
}

/** Why a run that is logged has no value: what is logged cannot be read as a success rate, or nothing of the kind is logged. */
function whyUnread({ others = [] }: UnmeasuredRun): Reason {
  const unread = others.find(({ value }) => value === null);
  return unread
    ? { code: "forecast.unread", message: `${unread.keys.join(", ")} has no known success rate: ${unread.why}.` }
    : { code: "forecast.no-evaluations", message: "No success rate is logged: add evaluations, or name the metric." };
}

function unknown(code: string, message: string): Advice {
  return { kind: "unknown", reasons: [{ code, message }] };
}
