import type { SynthesisEstimate } from "../../synthesis/drawn";
import type { AxisRange } from "../../axes";
import type { PackedDraws } from "../../numerics/packed";
import type { AxisName } from "../../axes";
import type { Estimate } from "../../estimate";
import type { CustomLaw } from "../../laws/forms/custom";
import type { Problem } from "../../result";
import type { SyntheticShare } from "../../table";

export const FIT_FORMAT = "scaling-lens.fit";
export const FIT_VERSION = 1;

export type LossName = "binomial" | "beta-binomial" | "gaussian" | "huber" | "mse";

/** A parameter in raw units; `atBound` says that the fit pressed against one of its bounds. */
export interface ParameterEstimate extends Estimate {
  readonly atBound: boolean;
}

/** An exponent with its standing. A refused one has no numbers: null, and the reason. */
export interface ExponentEstimate {
  readonly estimate: number | null;
  readonly low: number | null;
  readonly high: number | null;
  readonly status: "fitted" | "prior" | "refused";
  readonly reason?: string;
  /** Posterior fits: how much of the exponent's information is data and how much prior; the two sum to 1. */
  readonly shares?: { readonly data: number; readonly prior: number };
  /** Probability that the axis has no effect at all, over every law. Absent where it was not asked (bootstrap fits, a single axis). */
  readonly noEffect?: number;
}

/** E. Null numbers and a reason where the data cannot tell it from a term of an axis with one level. */
export interface FloorEstimate {
  readonly estimate: number | null;
  readonly low: number | null;
  readonly high: number | null;
  readonly reason?: string;
}

/** How one candidate law did. Sorted by `aicc`, best first. */
export interface SelectionEntry {
  readonly law: string;
  /** Which member of the family, such as `environments leads`. */
  readonly variant?: string;
  /** Number of fitted parameters. */
  readonly parameters: number;
  /** Share of belief, 0 to 1, in the reference setting: what predictions give it. Absent where the runs tell none. */
  readonly weight?: number;
  /** AICc; with a run-level dispersion, QAICc. Null where too few runs carry it. */
  readonly aicc: number | null;
  /** Error of the success rate (or of the log loss) on the held-out largest runs; null where none could be held out. */
  readonly heldOutRmse: number | null;
  /** Why there is no AICc or no held-out error, in a few words: `needs 10 runs, has 8`. */
  readonly aiccReason?: string;
  readonly heldOutReason?: string;
}

/** A run as charts and notebooks need it. Exactly one of `rate` and `loss` is there. */
export interface FitRun {
  readonly id: string;
  readonly axes: Readonly<Record<string, number>>;
  /** Success rate with its 95 % evaluation interval (Wilson; absent where the trials are unknown). */
  readonly rate?: number;
  readonly low?: number;
  readonly high?: number;
  readonly trials?: number;
  readonly loss?: number;
  readonly setting: string;
  readonly seed?: string;
  /** Among the largest runs that selection held out. */
  readonly heldOut: boolean;
  readonly synthesis?: Readonly<Record<string, SyntheticShare>>;
  readonly simulated?: boolean;
}

export interface RefusedAxis {
  readonly axis: AxisName;
  /** Predictions hold the axis here. */
  readonly level: number;
  /** Stable: `one-level`, `co-scaled`, `unbounded`. */
  readonly code: string;
  readonly reason: string;
  /** The axes it moves with, where that is the reason. */
  readonly with?: readonly AxisName[];
  /** Change of the axis's logarithm per unit step along the line that it and `with` share, where they share one. */
  readonly ray?: number;
}

/** One setting's own fit, without its draws. */
export interface SettingFit {
  readonly setting: string;
  readonly rows: number;
  readonly exponents: Readonly<Record<string, ExponentEstimate>>;
  readonly floor: FloorEstimate;
  /** φ; null where nothing was fitted. */
  readonly dispersion: number | null;
  /** Why the setting has no fit of its own. */
  readonly refused?: Problem;
  /** θ and draws, so that predictions can be made for this setting too; absent for the reference setting (the file's own) and refused ones. */
  readonly model?: FittedModel;
}

/** Another law that the runs do not rule out: its draws are mixed into predictions by its weight. */
export interface RivalLaw {
  readonly law: string;
  readonly variant: string | null;
  /** Share of belief, 0 to 1; the chosen law has the rest. */
  readonly weight: number;
  /** Its centre; absent in older files: the mean of the draws. */
  readonly theta?: readonly number[];
  readonly draws: PackedDraws;
}

/** Standard deviation, in the response, by which the laws may be off within the runs' ranges and beyond twice their ends. */
export interface Discrepancy {
  readonly inside: number;
  readonly beyond: number;
}

/** Everything needed to evaluate the law again. */
export interface FittedModel {
  readonly law: string;
  readonly variant: string | null;
  /** The law's axes, in its order. An axis with one level is not among them. */
  readonly axes: readonly AxisName[];
  readonly scaleTop: number;
  /** θ in the order of the model's parameters. */
  readonly theta: readonly number[];
  readonly draws: PackedDraws;
  readonly ranges: Readonly<Record<string, AxisRange>>;
  readonly refused: readonly RefusedAxis[];
  /** Share of belief in this law; `rivals` have the rest. Absent in older files: what they leave. */
  readonly weight?: number;
  readonly rivals: readonly RivalLaw[];
  /** Absent in older files. */
  readonly discrepancy?: Discrepancy;
  /** p of the F-test for lack of fit; absent where it was not made. */
  readonly misfit?: number;
  /** Declared by the user where law is `custom`. */
  readonly custom?: CustomLaw;
}

/** Random-effects summary of one axis over settings (DerSimonian–Laird variance, Hartung–Knapp interval). */
export interface AxisSummary {
  readonly axis: AxisName;
  readonly settings: number;
  readonly mean: Estimate;
  /** 95 % for a setting not yet seen. */
  readonly prediction: { readonly low: number; readonly high: number };
  /** Between-setting standard deviation and the share of variance it explains (I²). */
  readonly tau: number;
  readonly heterogeneity: number;
}

export interface Ordering {
  /** The hypothesised order, largest exponent first. */
  readonly axes: readonly AxisName[];
  readonly probability: number | null;
  /**
   * Levels at which the axes were compared by what a little more of each gains (∂P/∂ln x), over all laws: the middle of the runs. Absent:
   * exponents were compared, which under laws of unlike terms is not the same.
   */
  readonly at?: Readonly<Record<string, number>>;
}

/** `*.fit.json`. The first block is the contract of `fit --json`; the second lets charts and notebooks work from the file alone. */
export interface FitFile {
  readonly format: typeof FIT_FORMAT;
  readonly version: typeof FIT_VERSION;

  readonly law: string;
  /** Scale of the residuals: `identity` in the error, `log` in its logarithm. */
  readonly link: "identity" | "log";
  /** Runs used. */
  readonly rows: number;
  readonly settings: readonly SettingFit[];
  readonly parameters: Readonly<Record<string, ParameterEstimate>>;
  readonly exponents: Readonly<Record<string, ExponentEstimate>>;
  readonly floor: FloorEstimate;
  readonly objective: number;
  /** `withinOnePercent`: share of starts, 0 to 1. */
  readonly starts: { readonly count: number; readonly withinOnePercent: number };
  readonly selection: readonly SelectionEntry[];
  readonly ordering: Ordering;
  readonly synthesis: Readonly<Record<string, Readonly<Record<string, SynthesisEstimate>>>>;
  readonly warnings: readonly Problem[];
  readonly provenance: Readonly<Record<string, unknown>>;
  readonly dispersion: number;
  readonly draws: PackedDraws;

  readonly variant: string | null;
  readonly loss: { readonly name: LossName; readonly huberDelta?: number; readonly rho?: number };
  /** Standard deviation of the residuals, in the response (or its logarithm, by `link`). */
  readonly noise: number;
  readonly seed: number;
  readonly response: "success" | "loss";
  readonly axes: readonly AxisName[];
  readonly scaleTop: number;
  readonly theta: readonly number[];
  readonly ranges: Readonly<Record<string, AxisRange>>;
  readonly refused: readonly RefusedAxis[];
  readonly priorOnly: readonly AxisName[];
  readonly weight?: number;
  readonly rivals: readonly RivalLaw[];
  readonly discrepancy?: Discrepancy;
  readonly misfit?: number;
  readonly custom?: CustomLaw;
  /** Setting whose parameters, floor and draws the file carries at its top: the one with most runs. */
  readonly reference: string;
  /** Where there are several settings: what `exponents` then shows. */
  readonly summary: readonly AxisSummary[];
  /** P(α of `larger` > α of `smaller`) for every pair. */
  readonly pairs: readonly { readonly larger: AxisName; readonly smaller: AxisName; readonly probability: number }[];
  /** The same law with worlds and structures in place of environments, where the runs have all three. */
  readonly worldsAndStructures: {
    readonly exponents: Readonly<Record<string, ExponentEstimate>>;
    readonly ordering: Ordering;
  } | null;
  /** True where any run was simulated from a stated law. */
  readonly simulated: boolean;
  readonly runs: readonly FitRun[];
}
