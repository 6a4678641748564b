import type { Fact } from "./budget";

export const LAYOUTS = ["colocated", "disaggregated", "async"] as const;
export type LayoutName = (typeof LAYOUTS)[number];

/** What a config says of cost beside its axes. A fact that is absent is neither stated nor known by default. */
export interface CostFacts {
  /** Mean tokens of a prompt. */
  readonly promptTokens?: Fact<number>;
  /** Mean tokens of everything that a trajectory adds to its prompt. */
  readonly responseTokens?: Fact<number>;
  /** Mean turns of a trajectory. */
  readonly turns?: Fact<number>;
  /** Each turn is a prompt of its own, so that the history is prefilled and trained again every turn. */
  readonly independentTurns?: Fact<boolean>;
  readonly lora?: Fact<boolean>;
  readonly layout?: Fact<LayoutName>;
  /** GPUs of a pool that only rolls out; part of the run's GPUs. */
  readonly rolloutGpus?: Fact<number>;
  /** Generated ÷ trained trajectories; `auto`: from pass rates. */
  readonly dynamicSampling?: Fact<number | "auto">;
  readonly environmentSeconds?: Fact<number>;
  readonly environmentConcurrency?: Fact<number>;
  /** Forward passes besides the update: of the policy before it, of a reference, of a reward model or teacher. */
  readonly oldPolicyPass?: Fact<boolean>;
  readonly referencePass?: Fact<boolean>;
  readonly rewardModel?: Fact<boolean>;
  readonly critic?: Fact<boolean>;
  /** Times that the update goes over the same trajectories. */
  readonly updates?: Fact<number>;
  readonly evaluation?: EvaluationFacts;
  /** Keys that matter to cost and that nothing reads. */
  readonly notRead?: readonly string[];
}

export interface EvaluationFacts {
  /** Steps between two evaluations; `never`: none during training. */
  readonly every?: Fact<number | "never">;
  /** Rollouts of one evaluation: prompts × samples each. */
  readonly samples?: Fact<number>;
  readonly beforeTraining?: Fact<boolean>;
  readonly atEnd?: Fact<boolean>;
  /** Rollouts that one evaluation makes at once. */
  readonly batch?: Fact<number>;
}
