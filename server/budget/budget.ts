import type { Estimate } from "../core/estimate";
import type { ConfigDiagnostic } from "../syntax/tree";
import type { Span } from "../syntax/text";

export type Source = "config" | "default" | "dataset" | "scaling.yaml" | "derived";

/** A value that is known, with where it came from. */
export interface Known<Value> {
  readonly value: Value;
  readonly source: Source;
  /** Where it stands in the document (in `file` when given). */
  readonly span?: Span;
  readonly file?: string;
  /** How it came to be: the default's file, the formula, the interpolation. */
  readonly note?: string;
}

/** A value that is not known, and why. Never 0, never 1. */
export interface Unknown {
  readonly value: null;
  readonly reason: string;
}

export type Fact<Value> = Known<Value> | Unknown;

export function isKnown<Value>(fact: Fact<Value>): fact is Known<Value> {
  return fact.value !== null;
}

export function known<Value>(
  value: Value,
  source: Source,
  extra: Partial<Omit<Known<Value>, "value" | "source">> = {},
): Known<Value> {
  return { value, source, ...extra };
}

export function unknown(reason: string): Unknown {
  return { value: null, reason };
}

/** The names of everything a budget can say; also the keys of hovers and docs. */
export type BudgetField =
  | "model"
  | "parameters"
  | "activeParameters"
  | "tasks"
  | "environments"
  | "worlds"
  | "structures"
  | "trajectories"
  | "rewardDensity"
  | "promptsPerStep"
  | "groupSize"
  | "steps"
  | "epochs"
  | "maxPromptTokens"
  | "maxResponseTokens"
  | "maxTurns"
  | "gpus"
  | "algorithm"
  | "compute"
  | "measured"
  | "constraints"
  | "tokensPerTrajectory"
  | "domain"
  | "rewardScheme"
  | "design"
  | "coverage"
  | "promptTokens"
  | "responseTokens"
  | "turns"
  | "dynamicSampling"
  | "lora"
  | "layout"
  | "rolloutGpus"
  | "environmentSeconds"
  | "environmentConcurrency"
  | "evaluationEvery"
  | "evaluationSamples"
  | "evaluationBefore"
  | "evaluationAtEnd"
  | "evaluationBatch"
  | "oldPolicyPass"
  | "referencePass"
  | "rewardModel"
  | "critic"
  | "updates";

/** One place in the document that states a budget field, for hovers, hints and edits. */
export interface FieldSite {
  readonly field: BudgetField;
  /** The key as the framework writes it: `data.train_batch_size`, `--rollout-batch-size`, `budget.tasks`. */
  readonly path: string;
  readonly keySpan: Span;
  readonly valueSpan: Span;
  /** The unit in this framework's own terms: `prompts per step`, `rollouts per prompt`. */
  readonly unit: string;
  /** Markdown: what the field means in this framework, and what it is often mistaken for. */
  readonly help: string;
  readonly editable: boolean;
  readonly whyNot?: string;
}

/** A rule of the framework that a run must satisfy, declared so that proposals can be checked against it. */
export interface FrameworkRule {
  readonly id: string;
  /** One sentence: `train_batch_size × rollout.n must divide by the GPUs`. */
  readonly message: string;
  readonly code: "group.too-small" | "batch.indivisible" | "batch.unit";
  /** Null: cannot be judged, a value is unknown. */
  holds(values: RuleValues): boolean | null;
}

export interface RuleValues {
  readonly promptsPerStep: number | null;
  readonly groupSize: number | null;
  readonly steps: number | null;
  readonly epochs: number | null;
  readonly gpus: number | null;
}

export interface SynthesisPlan {
  readonly method: string;
  readonly real: Fact<number>;
  readonly synthetic: Fact<number>;
  /** κ and r* where people state them; without an interval both ends are the estimate. */
  readonly discount?: Estimate;
  readonly criticalRatio?: Estimate;
  readonly span?: Span;
}

/** Whether rollouts and training share their GPUs, and whether one waits for the other. */
export type LayoutName = "colocated" | "disaggregated" | "async";

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
  /** Mean share of rollouts that succeed, for `auto`. */
  readonly passRate?: Fact<number>;
  /** Prompts of one round of generation, where it is not the batch. */
  readonly generationBatch?: Fact<number>;
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

/** What a budget states of money and time. Only what is stated is there. */
export interface SpendFacts {
  /** `compute:`, what is to be spent. */
  readonly compute?: { readonly value: number; readonly unit: "FLOPs" | "GPUh" | "USD"; readonly span: Span };
  /** `measured:`, what the run took, and for how many rollouts where that is not what the split comes to. */
  readonly measured?: { readonly gpuHours: number; readonly rollouts: number | null; readonly span: Span };
  /** `constraints:`, budgets that hold together: USD, GPU-hours, hours on the wall. */
  readonly constraints?: Readonly<Partial<Record<"usd" | "gpuHours" | "deadline", number>>>;
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

/** One experiment, in the terms of the model: what every surface reads. */
export interface ExperimentBudget {
  readonly name: string;
  readonly anchor: Span;
  readonly model: {
    readonly name: Fact<string>;
    readonly parameters: Fact<number>;
    readonly activeParameters: Fact<number>;
  };
  readonly axes: {
    readonly tasks: Fact<number>;
    readonly environments: Fact<number>;
    readonly worlds: Fact<number>;
    readonly structures: Fact<number>;
    /** D_τ: mean rollouts per covered cell. */
    readonly trajectories: Fact<number>;
    readonly rewardDensity: Fact<number>;
  };
  /** P: unique prompts (tasks) per step. */
  readonly promptsPerStep: Fact<number>;
  /** n: rollouts per prompt. */
  readonly groupSize: Fact<number>;
  /** S: training steps that the run would take. */
  readonly steps: Fact<number>;
  readonly epochs: Fact<number>;
  readonly maxPromptTokens: Fact<number>;
  readonly maxResponseTokens: Fact<number>;
  /** Whether `maxResponseTokens` limits one turn or the whole trajectory. */
  readonly responseScope: "turn" | "trajectory" | null;
  readonly maxTurns: Fact<number>;
  readonly gpus: Fact<number>;
  readonly algorithm: Fact<string>;
  /** What is stated of money and time: what is to be spent, what was measured, what may not be passed. */
  readonly spend: SpendFacts;
  /** What is said of cost beside the axes: means, evaluations, layout. */
  readonly cost: CostFacts;
  /** Mean tokens per rollout: declared, measured, or at most the limits (said in the note). */
  readonly tokensPerTrajectory: Fact<number>;
  readonly domain: Fact<string>;
  readonly rewardScheme: Fact<string>;
  readonly design: Fact<"nested" | "factorial">;
  /** Share of the task × environment cells that are covered (factorial). */
  readonly coverage: Fact<number>;
  readonly owned: Readonly<Partial<Record<string, number>>>;
  readonly synthesis: Readonly<Partial<Record<string, SynthesisPlan>>>;
  readonly sites: readonly FieldSite[];
  readonly rules: readonly FrameworkRule[];
}

export interface ConfigReading {
  /** `native` for budget files, else the framework's id; null when nothing was recognised. */
  readonly framework: string | null;
  readonly experiments: readonly ExperimentBudget[];
  readonly diagnostics: readonly ConfigDiagnostic[];
}

/** What an optimum asks of a config: only the axes that should change. Whole numbers. */
export interface BudgetTarget {
  readonly tasks?: number;
  readonly environments?: number;
  readonly worlds?: number;
  readonly structures?: number;
  readonly trajectories?: number;
  readonly parameters?: number;
  /** Only on request ("Optimise group size"). */
  readonly groupSize?: number;
  /** By axis, where the mix moves: what of the new total is real and what synthetic. */
  readonly synthesis?: Readonly<Partial<Record<string, { readonly real: number; readonly synthetic: number }>>>;
}

export interface PlannedEdit {
  readonly path: string;
  readonly from: string;
  readonly to: string;
  readonly span: Span;
  /** Why, for the label in the refactor preview. */
  readonly label: string;
}

/** A part of the optimum that cannot be written into this file, and what the user can do instead. */
export interface Remainder {
  readonly axis: string;
  readonly from: number | null;
  readonly to: number;
  readonly reason: string;
}

export interface EditPlan {
  readonly edits: readonly PlannedEdit[];
  readonly remainder: readonly Remainder[];
}
