import type { AxisName } from "../../axes";
import type { CostModel, CostPart, CostUnit, Levels, Ratios } from "../../cost";
import type { Estimate } from "../../estimate";
import type { DrawnDiscount, FittedLaw } from "../../laws/law";
import type { Problem } from "../../result";
import type { MixShape } from "../../synthesis/mix";

export type { Levels, Ratios } from "../../cost";

/** What the budget is held to. */
export type Mode =
  /** As much as the current split costs. */
  | { readonly kind: "same-compute" }
  /** The current success (or `success`, in [0, 1]) as cheaply as possible. */
  | { readonly kind: "same-success"; readonly success?: number }
  /** So many times what the present split costs. */
  | { readonly kind: "scale"; readonly factor: number }
  /** An amount, by default in the unit of the cost model. */
  | { readonly kind: "budget"; readonly amount: number; readonly unit?: CostUnit };

/** Synthetic data on one axis: how much it counts, and what limits it. */
export interface SynthesisMix {
  readonly axis: AxisName;
  readonly method?: string;
  readonly shape: MixShape;
  /** Synthetic ÷ real units now. */
  readonly ratio: number;
  /** May the ratio move in [0, r*]? Default: false, the ratio stays. */
  readonly optimise?: boolean;
  /** No more real units than this can be had. */
  readonly pool?: number;
  /** Highest ratio to consider where the shape has no r*. Default 10. */
  readonly maxRatio?: number;
  /** Where κ and r* come from. */
  readonly source?: string;
  /** What is unknown of them where they are stated: one per draw of the law, used in turn. Without, the fit's own draws of the method. */
  readonly draws?: readonly DrawnDiscount[];
}

/** A whole-number rule of the training framework. */
export interface IntegerRule {
  readonly id: string;
  /** One sentence for a person. */
  readonly message: string;
  /** Null: cannot be judged, and then it does not forbid. */
  holds(levels: Readonly<Record<string, number>>): boolean | null;
}

export interface WholeNumbers {
  /** Multiples that an axis must have: `{ trajectories: 8 }`. Default 1. */
  readonly steps?: Readonly<Partial<Record<AxisName, number>>>;
  /** Axes that may also stay at their present amount, whatever `steps` says: it stands in the file already. */
  readonly present?: readonly AxisName[];
  /** The only values that an axis can take: model sizes. */
  readonly choices?: Readonly<Partial<Record<AxisName, readonly number[]>>>;
  readonly rules?: readonly IntegerRule[];
}

export interface AllocationProblem {
  readonly law: FittedLaw;
  readonly cost: CostModel;
  /** What the config says now: raw amounts, real and synthetic together. */
  readonly current: Levels;
  /** Default: same compute. */
  readonly mode?: Mode;
  /** Bounds on raw amounts; null on a side: none. Default: at least 1 (2 rollouts for group estimators is a limit to give). */
  readonly limits?: Readonly<Partial<Record<AxisName, readonly [number | null, number | null]>>>;
  /** Budgets beside the first, each with a cost of its own: they hold together. */
  readonly constraints?: readonly Cap[];
  /** What people call the first budget, where there are several. */
  readonly budgetName?: string;
  readonly pins?: readonly AxisName[];
  /** Axes freed that are pinned by default (the parameters of the model). */
  readonly free?: readonly AxisName[];
  /** Whole numbers for the recommendation; absent: continuous. */
  readonly whole?: WholeNumbers;
  readonly mixes?: readonly SynthesisMix[];
  /**
   * Which split is recommended, and so compared: `robust`, the largest mean success over laws and draws (the same as the least
   * expected regret), or `optimum`, the fitted law's own. Default: robust where there are draws; at equal success always the law's own.
   */
  readonly recommend?: "optimum" | "robust";
  /** No axis moves further than this factor beyond the fitted runs, but where a stated limit allows it. Null or absent: anywhere. */
  readonly trust?: number | null;
  readonly options?: AllocationOptions;
}

/** A budget in a cost of its own: GPU-hours cannot buy data, nor money time. */
export interface Cap {
  /** `GPU-hours`, `deadline`. */
  readonly name: string;
  readonly cost: CostModel;
  /** In the cost's unit. */
  readonly amount: number;
  /** How people count it, and how many of that are one of the cost's unit; default the cost's own. */
  readonly unit?: string;
  readonly scale?: number;
  /** True where it is part of what the same cost means, so that the regret keeps it too; `regret` where nothing else does. */
  readonly lasting?: boolean | "regret";
}

/** One of several budgets at the recommended split. */
export interface ConstraintReport {
  readonly name: string;
  readonly unit: string;
  readonly amount: number;
  /** By the split that is recommended, and by the present one. */
  readonly used: number;
  readonly now: number;
  readonly binding: boolean;
  /** Points of success (or loss) that 10 % more of it would gain; null where that cannot be solved. */
  readonly relaxed: number | null;
}

interface AllocationOptions {
  /** Starts that must agree. Default 6. */
  readonly starts?: number;
  /** Draws that the robust allocation averages over. Default 200 (100 for laws that are no posynomial); 0: no robust allocation. */
  readonly robustDraws?: number;
  /** Whether each draw's own best split is solved for. Default true. */
  readonly large?: boolean;
  /** Default true. */
  readonly sensitivity?: boolean;
  readonly seed?: number;
}

/** An allocation with what it costs and is expected to reach. */
export interface Split {
  /** Raw amounts: what is made and run. */
  readonly levels: Levels;
  /** What they are worth in real units, where data are synthetic. */
  readonly effective: Levels;
  /** Synthetic ÷ real, for axes with a mix. */
  readonly ratios: Ratios;
  readonly cost: number;
  readonly parts: readonly CostPart[];
  /** Success rate in [0, 1], or the loss where the law is one. Without draws `low` and `high` are NaN. */
  readonly predicted: Estimate;
  /** True where the law leaves [0, 1]: the value is shown as it is, and said to be out of range. */
  readonly outOfRange: boolean;
  /** Factor outside the fitted range by axis; 1 inside. */
  readonly extrapolation: Levels;
}

export interface Certificate {
  /** `local`: the problem is not known to be convex, and a better split elsewhere cannot be excluded. */
  readonly kind: "global" | "local";
  /**
   * How far the optimum can lie below: duality gap of ln e (of ln cost at equal success). Null where there is no dual.
   */
  readonly gap: number | null;
  readonly starts: number;
  /** Share of the starts whose ln e agrees within 1e-8. */
  readonly agreement: number;
  readonly reason?: string;
}

export interface Corner {
  readonly axis: AxisName;
  readonly bound: "lower" | "upper" | "ratio" | "pool" | "owned" | "trust";
  readonly value: number;
}

export interface Pinned {
  readonly axis: AxisName;
  readonly level: number;
  readonly code: "user" | "default" | "refused" | "zero-marginal-cost" | "not-in-law" | "not-wanted";
  readonly reason: string;
}

/** Points of success between two splits at the same cost (or of loss, in its own unit). The median of the draws, where there are any. */
export interface Regret extends Estimate {
  readonly unit: "points" | "loss";
  /** Probability over laws and draws that the recommended split is better, by more than `allowance`; null without draws. */
  readonly probability: number | null;
  /** What a claim takes off the gain, since the split was picked for looking best (`gain.ts`). 0 without draws. */
  readonly allowance: number;
  /**
   * Probability that each draw's own best split at this cost gains more than 3 points (of loss: 3 % of it). Null without draws,
   * or where it was not asked for.
   */
  readonly large: number | null;
  /** The interval includes 0, or the estimate is below half a point. */
  readonly withinNoise: boolean;
}

/** What one axis is worth, at one split. */
export interface AxisValue {
  readonly axis: AxisName;
  /** −∂e/∂ln x: success gained per e-fold of the axis. */
  readonly perLog: number;
  /** −∂ln e/∂ln x: percent of the error removed by one percent more. */
  readonly elasticity: number;
  /** Points of success for twice as much. */
  readonly doubling: Estimate;
  /** ∂ln cost/∂ln x: percent of the whole cost for one percent more. */
  readonly costElasticity: number;
  /** −∂e/∂ln x ÷ ∂cost/∂ln x: success per unit of cost; null where more of the axis costs nothing. */
  readonly marginalValue: number | null;
  /** Points of success per 1 % of the whole cost spent on the axis; null as above. */
  readonly pointsPerPercent: number | null;
}

export interface Rounding {
  /** Points of success (or loss) that whole numbers and rules cost. */
  readonly cost: number;
  readonly rules: readonly { readonly id: string; readonly message: string; readonly holds: boolean | null }[];
}

export interface Sensitivity {
  /** `price of environments`, `exponent of tasks`. */
  readonly parameter: string;
  readonly kind: "price" | "exponent";
  /** ∂ln x_i/∂ln parameter at the optimum, by axis. */
  readonly levels: Levels;
  /** Points of predicted success at the optimum for 1 % more of the parameter. */
  readonly points: number;
}

export interface Allocation {
  readonly mode: Mode["kind"];
  readonly response: "success" | "loss";
  readonly unit: CostUnit;
  /** What the optimum may cost. At equal success: what it costs. */
  readonly budget: number;
  readonly current: Split;
  /** What is recommended: `robust` or `optimum`. */
  readonly best: Split;
  /** The continuous optimum of the fitted law. */
  readonly continuous: Split;
  /** The optimum of the fitted law in whole numbers where those are asked for, else the continuous one. */
  readonly optimum: Split;
  /**
   * Where the trust region holds the recommendation back: the best split without it, and the points that the region costs by the
   * fitted law. Null where it binds nowhere.
   */
  readonly unlimited: { readonly split: Split; readonly points: number } | null;
  /** Least expected regret over the draws, in whole numbers where asked for; null without draws. */
  readonly robust: Split | null;
  readonly recommended: "optimum" | "robust";
  /** Points below the recommendation at the current cost. The recommendation is held fixed over the draws. */
  readonly regret: Regret;
  /** Recommended minus current in the mode asked for: points of success, or of loss. */
  readonly change: Estimate;
  /** Current cost ÷ the least cost of the same success, ≥ 1 (its interval holds the recommended path fixed). */
  readonly computeMultiplier: Estimate;
  /** 1 − 1/computeMultiplier. */
  readonly wastedShare: Estimate;
  /** Share of the cost by term, at the current split and the recommended one. */
  readonly spendShares: { readonly current: Levels; readonly optimum: Levels };
  readonly values: { readonly current: readonly AxisValue[]; readonly optimum: readonly AxisValue[] };
  /** `values.current[].marginalValue` by axis. */
  readonly marginalValues: Readonly<Record<string, number | null>>;
  readonly elasticities: Levels;
  readonly certificate: Certificate;
  readonly corners: readonly Corner[];
  readonly pinned: readonly Pinned[];
  readonly rounding: Rounding | null;
  /** Where several budgets hold together: each of them. */
  readonly constraints: readonly ConstraintReport[];
  /** Probability over laws and draws that the recommended split reaches the success that was asked for; null where none was. */
  readonly reaches: number | null;
  readonly sensitivity: readonly Sensitivity[];
  readonly intervals: "bootstrap" | "posterior" | "none";
  /** Axes whose exponent rests on the prior alone. */
  readonly priorOnly: readonly AxisName[];
  readonly notes: readonly Problem[];
}
