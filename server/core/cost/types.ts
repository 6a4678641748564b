import type { AxisName } from "../axes";
import type { Hardware } from "./hardware";
import type { Result } from "../result";

/** Amounts by axis, raw (not logs): real and synthetic units together. */
export type Levels = Readonly<Partial<Record<AxisName, number>>>;
/** Synthetic ÷ real units by axis; absent: all real. */
export type Ratios = Readonly<Partial<Record<AxisName, number>>>;

/** `rollouts`: nothing is priced and the compute of a rollout is unknown, so that only their number counts. */
export type CostUnit = "FLOPs" | "GPUh" | "USD" | "rollouts";

export interface Money {
  readonly value: number;
  readonly unit: Exclude<CostUnit, "rollouts">;
  readonly source?: string;
}

/** A number with where it comes from. A bare number counts as "stated". */
export type Stated = number | { readonly value: number; readonly source: string };

export interface Assumption {
  readonly name: string;
  readonly value: number | string;
  readonly unit: string;
  readonly source: string;
}

/** Which units a term counts: those of a real pool, synthetic ones, or both. */
type TermPart = "all" | "real" | "synthetic";

/**
 * One term of the cost: coefficient · max(0, ∏ x_i^exponents_i − owned), in the model's unit. `axis` is what a making term
 * makes; null for rollouts and for terms of no single axis.
 */
export interface CostTerm {
  /** Stable: `environments`, `environments:synthetic`, `rollouts`. */
  readonly id: string;
  readonly label: string;
  readonly axis: AxisName | null;
  readonly part: TermPart;
  readonly coefficient: number;
  readonly exponents: Levels;
  /** Units already made, which are free. 0: none. */
  readonly owned: number;
  /** True where no price was stated for this part and that of the other part stands in. */
  readonly assumed?: boolean;
}

export interface CostPart {
  readonly id: string;
  readonly label: string;
  readonly axis: AxisName | null;
  /** In the model's unit. */
  readonly cost: number;
  /** In [0, 1]. */
  readonly share: number;
}

/** What a run does, whatever it is priced in. Unknown figures are null, with the reason in `unknown`. */
export interface Footprint {
  readonly cells: number;
  readonly rollouts: number;
  readonly tokens: number | null;
  readonly flops: number | null;
  readonly gpuHours: number | null;
  readonly usd: number | null;
  readonly unknown: readonly string[];
}

export interface CostModel {
  readonly unit: CostUnit;
  readonly terms: readonly CostTerm[];
  /** Levels that stand in where the caller gives none (the parameters of the model). */
  readonly defaults: Levels;
  /** One sentence: `nested: each task in its own environment`. */
  readonly design: string;
  readonly assumptions: readonly Assumption[];
  /** Codes: `cost.level-unknown`, `cost.level-invalid`. */
  cost(levels: Levels, ratios?: Ratios): Result<number>;
  /** Same codes as `cost`. */
  breakdown(levels: Levels, ratios?: Ratios): Result<readonly CostPart[]>;
  /** Code `cost.no-conversion` where the hardware, its price or the FLOPs of a rollout are unknown. */
  convert(value: number, from: CostUnit, to: CostUnit): Result<number>;
  /** Rollouts, tokens, FLOPs, GPU-hours and USD of the rollouts alone (no making of data). */
  footprint(levels: Levels): Result<Footprint>;
}

type Design =
  /** Every task is rolled out in `environmentsPerTask` environments of its own (default 1). */
  | { readonly kind: "nested"; readonly environmentsPerTask?: Stated; readonly source?: string }
  /** Tasks crossed with environments; `coverage` is the share of cells that are covered (default 1). */
  | { readonly kind: "factorial"; readonly coverage?: Stated; readonly source?: string };

/** How many passes over the tokens of a trajectory are made: generated and reference 2·N·L each, trained 6·N·L. */
interface Passes {
  readonly generated?: number;
  readonly reference?: number;
  readonly trained?: number;
  readonly source?: string;
}

export interface CostInputs {
  /** The common unit. Default: USD where anything is priced, else FLOPs where they are known, else rollouts. */
  readonly unit?: CostUnit;
  /** Price of making one unit on an axis. */
  readonly prices?: Readonly<Partial<Record<AxisName, { readonly real?: Money; readonly synthetic?: Money }>>>;
  readonly hardware?: Hardware;
  /** Parameters; null or absent: unknown. */
  readonly parameters?: Stated | null;
  /** Active parameters of a mixture of experts. Default: all. */
  readonly activeParameters?: Stated | null;
  readonly tokensPerTrajectory?: Stated | null;
  readonly passes?: Passes;
  /** k_N: FLOPs of a rollout grow as N^k. Default 1. */
  readonly parameterExponent?: Stated;
  readonly design: Design;
  /** How the law counts environments: as one axis, or as worlds × structures with the share of pairs that exist. */
  readonly environmentAxes?:
    { readonly kind: "environments" } | { readonly kind: "worlds-structures"; readonly pairShare?: Stated };
  /** Units already made. A number counts as real ones. */
  readonly owned?: Readonly<
    Partial<Record<AxisName, number | { readonly real?: number; readonly synthetic?: number }>>
  >;
  /** GPU-hours of one rollout, its training included, from logs: wins over FLOPs ÷ utilisation. */
  readonly gpuHoursPerRollout?: Stated;
}
