import type { TableNote } from "../core/table";
import type { DuplicateRule } from "./duplicates";

/** A share of synthetic units on an axis: counts of the axis' own units, and how many came from each method. */
export interface SyntheticCount {
  readonly real: number;
  readonly synthetic: number;
  readonly methods: Readonly<Record<string, number>>;
}

export interface PassRates {
  /** Groups of two or more rollouts of one task (within one step, where steps are stated). */
  readonly groups: number;
  /** Groups whose rewards are all equal: no signal for a group-relative estimator. */
  readonly withoutSignal: number;
  readonly shareWithoutSignal: number | null;
  readonly meanGroupSize: number | null;
  /** Tasks by their pass rate over all their rollouts; `from` is exclusive, and 0 and 1 stand apart. */
  readonly histogram: readonly { readonly from: number; readonly to: number; readonly tasks: number }[];
}

/** What a set of rollouts is, in the terms of the model. An amount that cannot be told is null, with its reason. */
export interface RolloutMeasure {
  readonly rollouts: number;
  readonly files: readonly string[];
  readonly tasks: number | null;
  /** Templates that the tasks are instances of: texts that differ in numbers alone share one. Null where ids alone tell tasks. */
  readonly templates: number | null;
  readonly environments: number | null;
  readonly worlds: number | null;
  readonly structures: number | null;
  /** D_τ: mean rollouts per covered cell. */
  readonly trajectories: number | null;
  readonly coveredCells: number | null;
  /** Covered cells / (tasks × environments), in (0, 1]. */
  readonly coverage: number | null;
  /** D_R, at the first step of training that the rows state. */
  readonly rewardDensity: number | null;
  readonly duplicates: {
    readonly rule: DuplicateRule;
    readonly threshold: number;
    readonly pairs: number;
    readonly complete: boolean;
    readonly exact: boolean;
  };
  readonly reasons: Readonly<
    Partial<
      Record<
        | "tasks"
        | "environments"
        | "worlds"
        | "structures"
        | "trajectories"
        | "coveredCells"
        | "coverage"
        | "rewardDensity"
        | "passRates",
        string
      >
    >
  >;
  readonly synthesis: Readonly<Partial<Record<"tasks" | "environments" | "trajectories", SyntheticCount>>>;
  readonly passRates: PassRates | null;
  readonly neverSolved: { readonly tasks: readonly string[]; readonly environments: readonly string[] };
  readonly alwaysSolved: { readonly tasks: readonly string[]; readonly environments: readonly string[] };
  readonly notes: readonly TableNote[];
}
