import type { Gpu } from "./gpus";

/**
 * - `colocated`: rollouts and training take turns on the same GPUs.
 * - `disaggregated`: pools of their own, one waits for the other.
 * - `async`: pools of their own that work at once, on rollouts one or more steps old.
 */
export type Layout = "colocated" | "disaggregated" | "async";

/** What evaluations do. */
export interface EvaluationShape {
  /** Steps between two evaluations; null: none but those before and after. */
  readonly every: number | null;
  /** Rollouts of one evaluation: prompts × samples each. */
  readonly samples: number;
  readonly beforeTraining: boolean;
  readonly atEnd: boolean;
  /** Rollouts that are made at once; null: unknown, something between a training batch and all of them. */
  readonly batch: number | null;
  /** Mean tokens of an answer; null: as in training. */
  readonly responseTokens: number | null;
}

/** One training run, as its cost depends on it. Null: unknown; what then stands in is an assumption with its spread. */
export interface RunShape {
  readonly parameters: number;
  readonly activeParameters: number;
  readonly gpu: Gpu | null;
  readonly gpus: number | null;
  /** GPUs of a pool that only rolls out; null: unknown or none. */
  readonly rolloutGpus: number | null;
  readonly promptsPerStep: number | null;
  readonly groupSize: number | null;
  readonly steps: number | null;
  /** Mean tokens of a prompt, and of everything that a trajectory adds to it. */
  readonly promptTokens: number | null;
  readonly responseTokens: number | null;
  /** Longest response: a bound on the mean, and what it is guessed from where it is unknown. */
  readonly responseCap: number | null;
  /** Turns of a trajectory; 1: a single answer. */
  readonly turns: number;
  /** True where each turn is a prompt of its own, so that the history is trained and prefilled again every turn. */
  readonly independentTurns: boolean;
  /** Generated ÷ trained trajectories; 1: all that is generated is trained. */
  readonly dynamicSampling: number;
  /** Prompts of one draw, where it is not the batch: a small batch may be trained of one large draw. */
  readonly generationPrompts?: number;
  /** Spread of ln of it, where it follows from pass rates; absent: stated. */
  readonly samplingSpread?: number;
  readonly lora: boolean;
  readonly critic: boolean;
  readonly vision: boolean;
  /** Models that think at length come nearer to their cap. */
  readonly thinking: boolean;
  readonly layout: Layout;
  /** Forward passes over the trajectories besides the update: old policy, reference, reward model, teacher. */
  readonly passes: number;
  /** Times that the update goes over the same trajectories. */
  readonly updates: number;
  readonly evaluation: EvaluationShape | null;
  /** Seconds that the environment takes for one turn; null: unknown. */
  readonly environmentSeconds: number | null;
  /** Trajectories whose environments run at once; null: all. */
  readonly environmentConcurrency: number | null;
  /** Shares of the peak that the user states for the phases; null: the fitted ones. */
  readonly utilisation: { readonly generation: number | null; readonly training: number | null };
}

/** Classes of runs whose spread around the model differs. */
export type RunClass = "dense" | "mixture" | "lora" | "multi-turn";

export function isMixture({ parameters, activeParameters }: RunShape): boolean {
  return activeParameters < 0.95 * parameters;
}

export function runClass(shape: RunShape): RunClass {
  if (shape.turns > 1) return "multi-turn";
  if (shape.lora) return "lora";
  return isMixture(shape) ? "mixture" : "dense";
}
