import type { ConfigReading, ExperimentBudget, Fact, PlannedEdit, Remainder, Unknown } from "../configs/budget";
import type { Span } from "../configs/text";
import type { AxisName } from "../core/axes";
import type { Estimate } from "../core/estimate";
import type { FittedLaw } from "../core/laws/law";
import type { TableNote } from "../core/table";

/** What a run costs and does. Needs no fit; each figure is known with its source or unknown with its reason. */
export interface RunCosts {
  /** Rollouts in the whole run. */
  readonly rollouts: Fact<number>;
  /** Tokens in the whole run. */
  readonly tokens: Fact<number>;
  readonly tokensPerStep: Fact<number>;
  /** FLOPs of the whole run: declared where declared, else derived. */
  readonly compute: Fact<number>;
  readonly computePerStep: Fact<number>;
  readonly gpuHours: Fact<number>;
  readonly usd: Fact<number>;
  /** Hours on the wall, over the GPUs of the run. */
  readonly wallClockHours: Fact<number>;
}

/** Something a person should know about an experiment: an assumption, a disagreement, a doubt. */
export interface Note {
  readonly severity: "warning" | "information";
  /** Stable and dotted: `fit.extrapolating`, `compute.disagrees`. */
  readonly code: string;
  readonly message: string;
}

/** The fit in force for a folder. Only `ready` allows success rates and optima. */
export type FitState =
  | { readonly kind: "none"; readonly reason: string }
  | { readonly kind: "pending"; readonly reason: string }
  | { readonly kind: "failed"; readonly code: string; readonly reason: string; readonly notes: readonly TableNote[] }
  | { readonly kind: "ready"; readonly fit: LoadedFit };

export interface LoadedFit {
  /** Changes whenever the numbers may have changed: the key of caches. */
  readonly id: string;
  /** For people: `fits/appworld.fit.json`, `runs/**`, `published recipe`. */
  readonly name: string;
  readonly law: FittedLaw;
  readonly runs: number;
  /** True where the runs were simulated, which is shown wherever a figure is. */
  readonly simulated: boolean;
  /** True where every exponent is the published prior, calibrated by one run. */
  readonly prior: boolean;
  readonly warnings: readonly Note[];
  readonly notes: readonly TableNote[];
  /** Share of each exponent that comes from data, where known (few runs). */
  readonly exponents: readonly FitExponent[];
  /** Share of tasks by pass rate, from rollouts, where the logs have them. */
  readonly passRates?: readonly number[];
  /** Last measured success of the run that stands in the same folder as a config, by folder. */
  readonly measured?: Readonly<Record<string, number>>;
}

export interface FitExponent extends Estimate {
  readonly axis: AxisName;
  readonly status: "fitted" | "prior" | "refused";
  readonly reason?: string;
  /** In [0, 1]; absent when unknown. */
  readonly dataShare?: number;
}

export interface Prediction {
  readonly successRate: Estimate;
  /** Factor outside the fitted range per axis; 1 inside. */
  readonly extrapolation: Readonly<Record<AxisName, number>>;
  readonly outOfRange: boolean;
  /** Axes that the fit refused and that were held at their fitted level. */
  readonly held: readonly { readonly axis: AxisName; readonly level: number; readonly reason: string }[];
}

/** Amounts by axis, only those of the law or the config. */
export type Amounts = Readonly<Partial<Record<AxisName, number>>>;

export interface Regret extends Estimate {
  readonly withinNoise: boolean;
}

export interface PriceView {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly source: string;
}

export interface Certificate {
  readonly kind: "global" | "local";
  /** Duality gap, relative. Null where there is no dual (a local optimum). */
  readonly gap: number | null;
}

/** The split of one experiment against the best one. Percentage points for `regret`; shares in [0, 1]. */
export interface AllocationView {
  readonly mode: "same-compute" | "same-success" | "compute";
  readonly current: Amounts;
  /** Whole numbers that obey the framework's rules. */
  readonly optimum: Amounts;
  /** The continuous optimum, before rounding. */
  readonly continuous: Amounts;
  readonly robust: Amounts | null;
  /** What is recommended: `optimum` or `robust`. */
  readonly recommended: "optimum" | "robust";
  readonly successAtOptimum: Estimate;
  readonly regret: Regret;
  readonly computeMultiplier: Estimate;
  readonly cost: { readonly current: number; readonly optimum: number; readonly unit: "FLOPs" | "USD" | "GPUh" };
  readonly prices: readonly PriceView[];
  readonly design: string;
  readonly spendShares: { readonly current: Amounts; readonly optimum: Amounts };
  /** Points of success per 1 % more spend on the axis; null where the axis costs nothing. */
  readonly marginalValues: Readonly<Partial<Record<AxisName, number | null>>>;
  /** Points of success per doubling of the axis. */
  readonly doubling: Readonly<Partial<Record<AxisName, Estimate>>>;
  readonly certificate: Certificate;
  readonly pinned: readonly { readonly axis: AxisName; readonly reason: string }[];
  readonly corners: readonly { readonly axis: AxisName; readonly bound: "lower" | "upper"; readonly value: number }[];
  /** Points lost to whole numbers and rules. */
  readonly roundingCost: number;
  readonly edits: readonly PlannedEdit[];
  readonly remainder: readonly Remainder[];
}

/** "2× rollouts +1.1 pp": the answer that needs a measured success only. */
export interface RelativeAnswer {
  readonly measured: number;
  readonly doublings: readonly { readonly axis: AxisName; readonly points: Estimate }[];
}

/** Synthetic data of one axis against what it may be. */
export interface SynthesisView {
  readonly method: string;
  /** Synthetic to real; infinite where nothing is real. */
  readonly ratio: number;
  /** r*; null where none is known or the shape has none. */
  readonly critical: number | null;
  /** `[paper]`, or the fit and its shape. */
  readonly source: string;
  readonly span?: Span;
}

export interface ExperimentAssessment {
  readonly budget: ExperimentBudget;
  readonly costs: RunCosts;
  readonly prediction: Prediction | Unknown;
  readonly allocation: AllocationView | Unknown;
  readonly relative: RelativeAnswer | null;
  readonly synthesis: Readonly<Partial<Record<AxisName, SynthesisView>>>;
  /** Axes that the fit needs and nothing states. */
  readonly missing: readonly { readonly axis: AxisName; readonly reason: string }[];
  readonly notes: readonly Note[];
}

export interface Assessment {
  readonly uri: string;
  readonly reading: ConfigReading;
  readonly fit: FitState;
  readonly experiments: readonly ExperimentAssessment[];
}

export function isPredicted(prediction: Prediction | Unknown): prediction is Prediction {
  return "successRate" in prediction;
}

export function isAllocated(allocation: AllocationView | Unknown): allocation is AllocationView {
  return "optimum" in allocation;
}
