import type { ExperimentBudget, Fact, PlannedEdit, Remainder, Unknown } from "../budget/budget";
import type { ConfigDocument } from "../configs/document";
import type { Span } from "../syntax/text";
import type { AxisName } from "../core/axes";
import type { Allocation, AllocationProblem, Difference } from "../core/allocation";
import type { CostInputs, CostModel } from "../core/cost";
import type { CostView } from "./runCosts";
import type { TimedRun } from "./timedRuns";
import type { Estimate } from "../core/estimate";
import type { FitFile } from "../core/fit";
import type { ExponentEstimate } from "../core/fit/file/file";
import type { FittedLaw } from "../core/laws/law";
import type { TableNote } from "../core/table";
import type { Verdict } from "./verdictTypes";

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
  /** Path of the value that it speaks of, where there is one: `constraints.usd`. */
  readonly at?: string;
}

/** The fit in force for a folder. Only `ready` allows success rates and optima. */
export type FitState =
  | { readonly kind: "none"; readonly reason: string; readonly timed?: readonly TimedRun[] }
  | { readonly kind: "pending"; readonly reason: string }
  | {
      readonly kind: "failed";
      readonly code: string;
      readonly reason: string;
      readonly notes: readonly TableNote[];
      readonly timed?: readonly TimedRun[];
    }
  | { readonly kind: "ready"; readonly fit: LoadedFit };

export interface LoadedFit {
  /** Changes whenever the numbers may have changed: the key of caches. */
  readonly id: string;
  /** For people: `fits/appworld.fit.json`, `runs/**`, `published recipe`. */
  readonly name: string;
  readonly file: FitFile;
  /** Law of the reference setting; `lawFor` gives a setting's own. */
  readonly law: FittedLaw;
  readonly runs: number;
  /** True where the runs were simulated, which is shown wherever a figure is. */
  readonly simulated: boolean;
  /** True where every exponent is the published prior, calibrated by one run. */
  readonly prior: boolean;
  /** What reading the logs found and skipped. */
  readonly notes: readonly TableNote[];
  /** Runs of its logs whose steps are timed. */
  readonly timed?: readonly TimedRun[];
}

/** The law that an experiment is judged by. */
export interface LawInForce {
  readonly law: FittedLaw;
  readonly fit: LoadedFit;
  readonly setting: string;
  /** False where the experiment's own setting has no fit and the reference's stands in. */
  readonly own: boolean;
  /** True where the experiment is of another setting than any that is fitted: what the law says is borrowed. */
  readonly borrowed: boolean;
  /** Axes that never varied in the runs and take part by their prior. */
  readonly unvaried: readonly AxisName[];
  readonly exponents: Readonly<Record<string, ExponentEstimate>>;
}

export interface Prediction {
  readonly successRate: Estimate;
  /** Factor outside the fitted range per axis; 1 inside. */
  readonly extrapolation: Readonly<Record<AxisName, number>>;
  readonly outOfRange: boolean;
  /** Axes that the fit refused and that were held at their fitted level; `moved` where the config asks for another one. */
  readonly held: readonly {
    readonly axis: AxisName;
    readonly level: number;
    readonly reason: string;
    readonly moved: boolean;
  }[];
}

/** The best split with a model of one size. */
export interface ModelChoice {
  /** As scaling.yaml lists it; null: a size of the fitted runs, or the present one. */
  readonly name: string | null;
  readonly parameters: number;
  readonly levels: Readonly<Record<string, number>>;
  readonly success: Estimate;
  /** In the allocation's unit. */
  readonly cost: number;
}

/** The split of one experiment against the best one, and what it asks of the config. */
export interface AllocationView {
  /** Figures and splits: core's own answer. Regret and doublings are in points. */
  readonly result: Allocation;
  readonly cost: CostModel;
  /** What was solved, for figures that follow the optimum over budgets. */
  readonly problem: AllocationProblem;
  /** Edits that stand by themselves: they keep the budget, and the success does not fall. Empty where none would gain, and where the verdict proposes nothing. */
  readonly edits: readonly PlannedEdit[];
  /** What the optimum asks for and this file cannot hold. */
  readonly remainder: readonly Remainder[];
  /** Where a remainder is left: what the edits make of the split without it. Null where they make the optimum. */
  readonly alone: Alone | null;
  /** The model sizes that were chosen among, the best first; empty or absent where the model stays. */
  readonly models?: readonly ModelChoice[];
}

/** The best split that one file can hold by itself, against the present one. */
export interface Alone {
  readonly change: Difference;
  /** Axes that stay as they are because the file cannot move them. */
  readonly held: readonly AxisName[];
  /** This file's part of the whole best split: right only once the remainder is done elsewhere. */
  readonly together: readonly PlannedEdit[];
}

/** "2× rollouts +1.1 points": the answer that needs a measured success only. */
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
  /** Null without a fit. */
  readonly law: LawInForce | null;
  readonly costs: RunCosts;
  /** What the run takes, with intervals and where it goes. */
  readonly cost: CostView;
  /** What the cost of any split of it rests on. */
  readonly inputs: CostInputs;
  readonly prediction: Prediction | Unknown;
  readonly allocation: AllocationView | Unknown;
  readonly verdict: Verdict;
  readonly relative: RelativeAnswer | null;
  readonly synthesis: Readonly<Partial<Record<AxisName, SynthesisView>>>;
  /** Axes that the fit needs and nothing states. */
  readonly missing: readonly { readonly axis: AxisName; readonly reason: string }[];
  readonly notes: readonly Note[];
}

export interface Assessment {
  readonly uri: string;
  /** The parse, with facts of `scaling.yaml` filled in. */
  readonly document: ConfigDocument;
  readonly fit: FitState;
  readonly experiments: readonly ExperimentAssessment[];
}

export function isPredicted(prediction: Prediction | Unknown): prediction is Prediction {
  return "successRate" in prediction;
}

export function isAllocated<View extends Pick<AllocationView, "result">>(
  allocation: View | Unknown,
): allocation is View {
  return "result" in allocation;
}
