import type { AxisName } from "../axes";
import type { Estimate } from "../estimate";

export interface PathPoint {
  readonly cost: number;
  readonly success: Estimate;
  /** Outside the fitted range on any axis. */
  readonly beyond: boolean;
}

export interface FrontierInput {
  readonly experiment: string;
  readonly unit: string;
  /** The current split, scaled to each budget. Rising cost. */
  readonly current: readonly PathPoint[];
  /** The best split at each budget. Rising cost. */
  readonly optimum: readonly PathPoint[];
  readonly here: PathPoint;
  /** The optimum at the cost of `here`. */
  readonly best: PathPoint;
  /** Compute at which the best split reaches the success of `here`; null where the curve does not reach it. */
  readonly equalSuccessCost: number | null;
  /** here.cost / equalSuccessCost, with its interval. */
  readonly gain: Estimate | null;
  readonly simulated: boolean;
  readonly prior: boolean;
}

export interface GrowthPoint {
  readonly cost: number;
  readonly levels: Readonly<Partial<Record<AxisName, number>>>;
  /** Shares of spend in [0, 1] by what is paid for: an axis, or `rollouts`. */
  readonly shares: Readonly<Record<string, number>>;
  readonly beyond: boolean;
}

export interface GrowthInput {
  readonly experiment: string;
  readonly unit: string;
  /** Optima at rising budgets. */
  readonly points: readonly GrowthPoint[];
  /** The experiment's own cost. */
  readonly here: number;
  readonly simulated: boolean;
  readonly prior: boolean;
}

export interface SplitAxis {
  readonly axis: AxisName;
  /** Amounts in units of the axis. */
  readonly current: number;
  readonly optimum: number;
  /** Shares of spend in [0, 1]; absent where nothing is paid for this axis alone. */
  readonly currentShare?: number;
  readonly optimumShare?: number;
  /** 95 % of the optimal share, and of the optimal amount, over the draws. */
  readonly shareInterval?: { readonly low: number; readonly high: number };
  readonly amountInterval?: { readonly low: number; readonly high: number };
  /** Why the axis does not move. */
  readonly pinned?: string;
}

export interface SplitInput {
  readonly experiment: string;
  readonly axes: readonly SplitAxis[];
  /** The verdict in words. */
  readonly worth: string;
  readonly multiplier: Estimate;
  readonly cost: { readonly current: number; readonly optimum: number; readonly unit: string };
  /** Names of what the shares on an axis' row pay for, where it is not the axis itself. */
  readonly paidFor: Readonly<Partial<Record<AxisName, string>>>;
  readonly prices: readonly string[];
  readonly design: string;
  readonly certificate: { readonly kind: "global" | "local"; readonly gap: number | null };
  readonly simulated: boolean;
  /** True where the law is the published prior, calibrated by one run. */
  readonly prior: boolean;
}
