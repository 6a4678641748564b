import type { AxisName } from "../core/axes";
import type { RunRow, RunState, UnmeasuredRun } from "../core/table";
import { AlikeNames } from "./alike";
import type { FinalRule, RunFacts } from "./options";
import { finalValue } from "./final";
import type { RunMetrics } from "./series";
import { mergeRestarts } from "./series";
import { settingOf } from "./setting";
import { samplingOf } from "./sampling";
import { signsOf } from "./signs";
import { timingOf } from "./timing";
import { STEP_TIME_KEYS, TOKEN_KEYS, TRAJECTORY_TOKEN_KEYS } from "./successKeys";
import type { SuccessChoice } from "./successMetric";
import { plainName } from "./successMetric";
import { defined } from "../records/defined";
import { type StatedState, unitOfPlan } from "./state";

/** Points of a curve that a table keeps: enough for a convergence check, however long the run. */
const CURVE_POINTS = 400;

export interface RowParts {
  readonly id: string;
  readonly facts: RunFacts;
  readonly metrics: RunMetrics;
  readonly choice: SuccessChoice;
  readonly base: number | undefined;
  /** Undefined: the default, which differs for evaluations and training rollouts. */
  readonly rule: FinalRule | undefined;
  readonly files: readonly string[];
  readonly state: StatedState;
}

export function rowOf({ choice, base, rule, ...parts }: RowParts): RunRow {
  const { facts } = parts;
  const final = finalValue(choice, rule, { ...facts, tasks: facts.axes?.tasks });
  const { steps, values } = choice.series;
  const { keys, on, tells, reason, scale, others } = choice;
  return {
    ...partsOf(parts),
    outcome: final.outcome,
    curve: thinned(steps, values),
    ...defined({ base }),
    metric: { keys, on, tells, reason, window: final.window, ...defined({ scale }), others },
    finalRule: final.rule,
  };
}

/** All that is known of a run but its value. */
export function partsOf({
  id,
  facts,
  metrics,
  files,
  state,
}: Omit<RowParts, "choice" | "base" | "rule">): UnmeasuredRun {
  const { axes, levels, taken } = rolledOut(facts, metrics, state.state);
  return {
    id,
    axes,
    setting: facts.setting ?? settingOf(facts.model, facts.algorithm, facts.domain),
    ...defined({
      model: facts.model,
      algorithm: facts.algorithm,
      domain: facts.domain,
      seed: facts.seed,
      synthesis: facts.synthesis,
      rewardDensity: facts.rewardDensity,
      rewardScheme: facts.rewardScheme,
      tokens: tokensOf(metrics),
      tokensPerTrajectory: facts.tokensPerTrajectory ?? trajectoryTokensOf(metrics),
      steps: taken,
      gpuHours: gpuHoursOf(metrics, facts.gpus),
      simulated: facts.simulated,
      timing: timingOf((name) => seriesNamed(metrics, name), facts),
      sampling: samplingOf(metrics.series.keys(), (name) => seriesNamed(metrics, name), facts.groupSize),
      signs: signsOf((name) => seriesNamed(metrics, name)),
      plannedSteps: planOf(facts, metrics),
      levels: Object.keys(levels).length > 0 ? levels : undefined,
    }),
    state: state.state,
    stateReason: state.reason,
    ...(state.unplanned && { unplanned: state.unplanned }),
    files,
  };
}

/**
 * Tasks and trajectories as rolled out. A plan is what a run that did not reach its end would have done: its trajectories are
 * those of the steps that it took, and its tasks those that were drawn in them.
 */
function rolledOut(facts: RunFacts, metrics: RunMetrics, state: RunState) {
  const axes: Partial<Record<AxisName, number>> = { ...facts.axes };
  const levels: Partial<Record<AxisName, string>> = { ...facts.levels };
  const last = metrics.lastStep;
  const taken = last === undefined || last <= 0 ? undefined : last;
  const planned = planOf(facts, metrics);
  const { promptsPerStep, groupSize } = facts;
  const { tasks, trajectories } = axes;
  const isCut =
    state !== "finished" && state !== "planned" && taken !== undefined && planned !== undefined && taken < planned;
  const of = `${taken ?? 0} of ${planned ?? 0} steps`;
  if (taken === undefined && (state === "crashed" || state === "stopped")) {
    // It ended before its first step: nothing of the plan was rolled out.
    delete axes.trajectories;
    delete levels.trajectories;
  } else if (
    isCut &&
    promptsPerStep !== undefined &&
    groupSize !== undefined &&
    tasks !== undefined &&
    trajectories !== undefined
  ) {
    const drawn = Math.min(tasks, promptsPerStep * taken);
    if (drawn < tasks) [axes.tasks, levels.tasks] = [drawn, `${levels.tasks ?? "the plan"}, drawn in ${of}`];
    axes.trajectories = (promptsPerStep * groupSize * taken) / drawn;
    levels.trajectories = `rolled out in ${of}`;
  } else if (isCut && trajectories !== undefined) {
    axes.trajectories = (trajectories * taken) / planned;
    levels.trajectories = `${levels.trajectories ?? "the plan"}, rolled out in ${of}`;
  } else if (trajectories === undefined && groupSize !== undefined && tasks !== undefined) {
    const drawn = promptsPerStep !== undefined && taken !== undefined ? promptsPerStep * taken : undefined;
    if (drawn !== undefined) {
      axes.trajectories = (groupSize * drawn) / Math.min(tasks, drawn);
      levels.trajectories = "group size × prompts drawn / tasks";
    } else if (facts.epochs !== undefined && state === "finished") {
      axes.trajectories = groupSize * facts.epochs;
      levels.trajectories = "group size × epochs";
    }
  }
  return { axes, levels, taken };
}

/** The plan, where it counts what the log counts. */
function planOf(facts: RunFacts, metrics: RunMetrics): number | undefined {
  const plannedSteps = facts.plannedSteps ?? metrics.plannedSteps;
  return unitOfPlan({ ...metrics, plannedSteps }) === undefined ? plannedSteps : undefined;
}

/** Seconds from one logged row to the next, where the log times its steps. */
export function secondsPerRow(metrics: RunMetrics, facts: RunFacts): number | undefined {
  const timing = timingOf((name) => seriesNamed(metrics, name), facts);
  return timing && timing.secondsPerStep * Math.max(1, metrics.gap ?? 1);
}

function seriesNamed(metrics: RunMetrics, name: string) {
  const direct = metrics.series.get(name);
  if (direct) return mergeRestarts(direct);
  const { plain, alike } = otherNames(metrics);
  const other = metrics.series.get(plain.get(name) ?? alike.of(name) ?? "");
  return other && mergeRestarts(other);
}

interface OtherNames {
  /** The first metric that is called so but for what a framework puts before it. */
  readonly plain: ReadonlyMap<string, string>;
  readonly alike: AlikeNames;
  readonly size: number;
}

const otherNamesOf = new WeakMap<RunMetrics, OtherNames>();

/** Other names of a run's metrics, worked out once: a dozen quantities are asked for by many names each. */
function otherNames(metrics: RunMetrics): OtherNames {
  const before = otherNamesOf.get(metrics);
  if (before?.size === metrics.series.size) return before;
  const plain = new Map<string, string>();
  for (const key of metrics.series.keys()) if (!plain.has(plainName(key))) plain.set(plainName(key), key);
  const names = { plain, alike: new AlikeNames(metrics.series.keys()), size: metrics.series.size };
  otherNamesOf.set(metrics, names);
  return names;
}

function tokensOf(metrics: RunMetrics): number | undefined {
  for (const { key, rule } of TOKEN_KEYS) {
    const series = seriesNamed(metrics, key);
    if (!series || series.values.length === 0) continue;
    const total =
      rule === "sum" ? series.values.reduce((sum, value) => sum + value, 0) : series.values[series.values.length - 1];
    if (total > 0) return total;
  }
  return undefined;
}

function trajectoryTokensOf(metrics: RunMetrics): number | undefined {
  for (const keys of TRAJECTORY_TOKEN_KEYS) {
    const all = keys.map((key) => seriesNamed(metrics, key));
    if (!all.every((series) => series !== undefined && series.values.length > 0)) continue;
    const total = all.reduce(
      (sum, series) => sum + (series ? series.values.reduce((a, b) => a + b, 0) / series.values.length : 0),
      0,
    );
    if (total > 0) return total;
  }
  return undefined;
}

/** Measured step time × steps × GPUs; unknown where the log states no times or the config no GPUs. */
function gpuHoursOf(metrics: RunMetrics, gpus: number | undefined): number | undefined {
  if (gpus === undefined) return undefined;
  for (const key of STEP_TIME_KEYS) {
    const series = seriesNamed(metrics, key);
    if (!series || series.values.length === 0) continue;
    const { steps, values } = series;
    const seconds = values.reduce((sum, value) => sum + value, 0);
    // A log may state the time of every tenth step only.
    const gap = steps.length > 1 ? (steps[steps.length - 1] - steps[0]) / (steps.length - 1) : 1;
    if (seconds > 0) return (seconds * Math.max(1, gap) * gpus) / 3600;
  }
  return undefined;
}

/** Evenly spaced points of a long curve, its last ones always among them. */
function thinned(steps: readonly number[], values: readonly number[]): { step: number; rate: number }[] {
  const every = Math.ceil(steps.length / CURVE_POINTS);
  const points: { step: number; rate: number }[] = [];
  for (let i = 0; i < steps.length; i++) {
    if (i % every === 0 || i >= steps.length - 10) points.push({ step: steps[i], rate: values[i] });
  }
  return points;
}
