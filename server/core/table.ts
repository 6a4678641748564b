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
  /** Mean tokens per trajectory. */
  readonly tokensPerTrajectory?: number;
  readonly steps?: number;
  readonly gpuHours?: number;
  readonly curve?: readonly CurvePoint[];
  /** True where the logs were simulated from a stated law; shown wherever the run is. */
  readonly simulated?: boolean;
  /** Which rule gave the outcome: `last3`, `last`, `table`, … */
  readonly finalRule?: string;
  /** Files that the row was read from. */
  readonly files: readonly string[];
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

export interface RunTable {
  readonly rows: readonly RunRow[];
  readonly notes: readonly TableNote[];
}
