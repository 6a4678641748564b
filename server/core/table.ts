import type { AxisName } from "./axes";

/** How a run ended: counts when known, a rate otherwise, or a loss for pre-training style tables. */
export type Outcome =
  /** `trials` counts distinct evaluation tasks; repeats of a task are not independent. */
  | { readonly kind: "counts"; readonly successes: number; readonly trials: number }
  /** A success rate in [0, 1]; `trials` is absent when unknown. */
  | { readonly kind: "rate"; readonly rate: number; readonly trials?: number }
  | { readonly kind: "loss"; readonly loss: number };

/** How much of an axis is synthetic, and by which method. Counts, not shares. */
export interface SyntheticShare {
  readonly real: number;
  readonly synthetic: number;
  readonly method: string;
}

/** One evaluation of a run, for convergence checks. `step` is in training steps, `rate` in [0, 1]. */
export interface CurvePoint {
  readonly step: number;
  readonly rate: number;
}

export type RewardScheme = "terminal" | "per-step" | "process" | "shaped" | (string & {});

/** Whether the log of a run without a plan was still being written when it was read. */
export type Unplanned = "growing" | "still";

/**
 * How far a run came. Only a finished run is a result, and a stopped one by what it reached, with its own steps; a running
 * one enters a fit by its forecast alone.
 */
export type RunState = "planned" | "running" | "finished" | "stopped" | "crashed";

/** Which metric gave a run its value, why that one, and over what. */
export interface RunMetric {
  /** As logged; several of one kind (a dataset each) whose mean is taken. */
  readonly keys: readonly string[];
  readonly on: "evaluation" | "training" | "stated";
  readonly tells: "success" | "score" | "reward";
  readonly reason: string;
  /** The values behind the outcome: how many, at which steps, and of how many rollouts where that is known. */
  readonly window: {
    readonly values: number;
    readonly from: number;
    readonly to: number;
    readonly rollouts?: number;
  };
  /** How values were brought to 0–1, where they were not written so: `percent`, `plus-minus-one`, `0…500`. */
  readonly scale?: string;
  /** The other metrics that could have been it, and why they were not. */
  readonly others: readonly { readonly keys: readonly string[]; readonly value: number | null; readonly why: string }[];
}

/** One run of the table that fits read: its axes, its outcome, and where both came from. */
export interface RunRow {
  /** Stable label, unique in the table: a folder's path relative to the source, or `file.csv:12`. */
  readonly id: string;
  /** Level per axis, as declared. Absent: unknown. */
  readonly axes: Readonly<Partial<Record<AxisName, number>>>;
  readonly outcome: Outcome;
  /** Model family, algorithm and domain in one label; runs of one setting are pooled. `""` when none is stated. */
  readonly setting: string;
  readonly model?: string;
  readonly algorithm?: string;
  readonly domain?: string;
  readonly seed?: string;
  readonly synthesis?: Readonly<Partial<Record<AxisName, SyntheticShare>>>;
  /** D_R: share of environment steps that carry a graded reward, in (0, 1]. */
  readonly rewardDensity?: number;
  readonly rewardScheme?: RewardScheme;
  /** Tokens processed in the whole run. */
  readonly tokens?: number;
  /** Mean tokens per rollout. */
  readonly tokensPerTrajectory?: number;
  readonly steps?: number;
  readonly gpuHours?: number;
  readonly curve?: readonly CurvePoint[];
  /** True where the logs were simulated from a stated law; shown wherever the run is. */
  readonly simulated?: boolean;
  /** Which rule gave the outcome: `last3`, `last`, `table`, … */
  readonly finalRule?: string;
  /** Absent (a row of a results table): finished. */
  readonly state?: RunState;
  /** Why, in a few words: `step 20 of 300; “CUDA out of memory”`. */
  readonly stateReason?: string;
  /** Counted as finished only because no plan is known. */
  readonly unplanned?: Unplanned;
  /** Training steps that the config or run.json plans. `steps` are those taken. */
  readonly plannedSteps?: number;
  readonly metric?: RunMetric;
  /** The outcome is a forecast of a run that is on, with this standard deviation; its trials are those that give it. */
  readonly forecastSd?: number;
  /** Success rate before the first training step. */
  readonly base?: number;
  /** Where each axis level comes from: `run.json`, `config.yaml`, `facts in scaling.yaml`, … */
  readonly levels?: Readonly<Partial<Record<AxisName, string>>>;
  /** What the log says of why a run learns or does not. */
  readonly signs?: RunSigns;
  /** What the log says of the time that its steps take. */
  readonly timing?: RunTiming;
  /** What the log says of how many of its rollouts carry signal. */
  readonly sampling?: RunSampling;
  /** Files that the row was read from. */
  readonly files: readonly string[];
}

/** Times of a run's steps, in seconds: means. Evaluations and checkpoints apart. */
export interface RunTiming {
  /** Steps that were timed. */
  readonly steps: number;
  readonly secondsPerStep: number;
  /** How its mean wanders: standard deviation of the means of equal stretches (ten, fewer of a short log), and how many. */
  readonly wander?: { readonly sd: number; readonly stretches: number };
  readonly phases: Readonly<Partial<Record<"generation" | "passes" | "update", number>>>;
  readonly secondsPerEvaluation?: number;
  /** Evaluations and checkpoints as they were logged: seconds of one, and the steps from one to the next. */
  readonly besides?: readonly { readonly seconds: number; readonly every: number }[];
  /** Standard deviation of a step's time, as a share of the mean. */
  readonly variation?: number;
  readonly promptTokens?: number;
  readonly responseTokens?: number;
  readonly promptsPerStep?: number;
  readonly groupSize?: number;
  readonly gpus?: number;
  readonly framework?: string;
}

/** How many rollouts carry signal: means over the steps, each absent where it is not logged. */
export interface RunSampling {
  /** Batches that were generated for each that was trained, under dynamic sampling. */
  readonly generationBatches?: number;
  /** Share of groups whose rollouts all succeed or all fail, in [0, 1]. */
  readonly withoutSignal?: number;
  /** Mean success of training rollouts, in [0, 1]. */
  readonly passRate?: number;
  readonly groupSize?: number;
}

/** Signs of a run's learning; each absent where it is not logged. */
export interface RunSigns {
  /** Share of rollout groups without gradient (all succeed or all fail), in [0, 1], over the last tenth of the steps. */
  readonly deadGroups?: number;
  /** The policy's entropy over the last tenth of the steps, and over the first. */
  readonly entropy?: { readonly now: number; readonly first: number };
}

/** Something that was read, skipped or doubted, with its place. */
export interface TableNote {
  readonly severity: "error" | "warning" | "information";
  /** Stable and dotted, such as `run.no-success-metric`. */
  readonly code: string;
  readonly message: string;
  readonly file?: string;
  /** 1-based. */
  readonly line?: number;
  /** 1-based. */
  readonly column?: number;
}

/** A run without a value: planned, without an evaluation, or with no metric that tells its success. */
export interface UnmeasuredRun extends Omit<RunRow, "outcome" | "metric"> {
  /** Metrics that could have given its value, and why they did not. */
  readonly others?: RunMetric["others"];
}

export interface RunTable {
  readonly rows: readonly RunRow[];
  readonly notes: readonly TableNote[];
  /** Runs that were found and have no value; why is in their notes and in `stateReason`. */
  readonly unmeasured?: readonly UnmeasuredRun[];
}

/** Whether a row may enter a fit: finished, stopped and counted by the steps that it took, or given by its forecast. */
export function isResult({ state, forecastSd }: Pick<RunRow, "state" | "forecastSd">): boolean {
  return state === undefined || state === "finished" || state === "stopped" || forecastSd !== undefined;
}

/**
 * Whether a run's values are a reward or score of its training rollouts. It need not be a success rate: it may pay for form or
 * length, and its tasks are those trained on. A metric that a user named, or gave a scale, is what the user says.
 */
export function isTrainingReward(metric: Pick<RunMetric, "on" | "tells" | "scale"> | undefined): boolean {
  return metric?.on === "training" && metric.tells !== "success" && metric.scale === undefined;
}
