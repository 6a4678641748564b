import type { ExperimentBudget, Fact, FrameworkRule } from "../../budget/budget";
import type { ConfigDiagnostic, ConfigVariant } from "../../syntax/tree";
import type { LayoutName } from "../../budget/costFacts";
import type { Config, ShippedValues } from "./config";

/** Reads a value: undefined when the config does not state it (the next source is asked), unknown when it states it unreadably. */
export type Read<Value> = (config: Config) => Fact<Value> | undefined;

/** One field of the budget in a framework's own terms. */
export interface FieldSpec<Value> {
  readonly read: Read<Value>;
  /** `prompts per step`, `rollouts per prompt`; a key may have its own (see `number`). */
  readonly unit?: string;
  /** Markdown for the hover: what it means here, and what it is often mistaken for. */
  readonly help: string;
  /** The reason given when nothing states it. */
  readonly otherwise?: string;
}

/** Every field that a framework can state. Those left out are unknown. */
export interface FrameworkFields {
  readonly model?: FieldSpec<string>;
  /** Only where the size stands in a key of its own; otherwise it comes from the model's name. */
  readonly parameters?: FieldSpec<number>;
  readonly activeParameters?: FieldSpec<number>;
  /** P. See `batch` for fields in another unit. */
  readonly promptsPerStep?: FieldSpec<number>;
  readonly groupSize?: FieldSpec<number>;
  /** Steps that the config states by itself (not through epochs). */
  readonly steps?: FieldSpec<number>;
  readonly epochs?: FieldSpec<number>;
  /** D_T as the config states it: a limit on rows, or rows stated in the file. */
  readonly tasks?: FieldSpec<number>;
  readonly environments?: FieldSpec<number>;
  readonly maxPromptTokens?: FieldSpec<number>;
  readonly maxResponseTokens?: FieldSpec<number>;
  readonly maxTurns?: FieldSpec<number>;
  readonly gpus?: FieldSpec<number>;
  readonly algorithm?: FieldSpec<string>;
  readonly tokensPerTrajectory?: FieldSpec<number>;
  readonly domain?: FieldSpec<string>;
  readonly rewardScheme?: FieldSpec<string>;
}

/** What a framework's configs say of cost, beside the fields of its sheet. */
export interface CostSheet {
  readonly evaluation?: {
    readonly every?: Read<number>;
    readonly samples?: Read<number>;
    readonly beforeTraining?: Read<boolean>;
    readonly atEnd?: Read<boolean>;
    readonly batch?: Read<number>;
  };
  readonly lora?: Read<boolean>;
  readonly layout?: Read<LayoutName>;
  readonly rolloutGpus?: Read<number>;
  /** True: groups without signal are drawn again, so that pass rates decide; a number where it is stated. */
  readonly dynamicSampling?: Read<boolean | number>;
  readonly generationBatch?: Read<number>;
  readonly oldPolicyPass?: Read<boolean>;
  readonly referencePass?: Read<boolean>;
  readonly rewardModel?: Read<boolean>;
  readonly critic?: Read<boolean>;
  readonly updates?: Read<number>;
  readonly independentTurns?: Read<boolean>;
  /** Keys that matter to cost and that nothing reads: they are told. */
  readonly notRead: readonly string[];
}

/** What one unit of a key is worth: how the way back turns an optimum into its value. */
export type Counts = "steps" | "epochs" | "prompts" | "rollouts";

/** A key that the way back may move. All of `paths` that stand in the file are moved together. */
export interface Knob {
  readonly paths: readonly string[];
  /**
   * For a duration: what it counts (prompts = S·P in all, rollouts = S·P·n in all).
   * For the batch: prompts or rollouts per step. The group and the task limit need none.
   */
  readonly counts?: Counts;
  /** Only used when this holds. */
  readonly when?: (config: Config) => boolean;
}

interface Knobs {
  /** Durations: the one that ends the run is moved; a second that would end it earlier is raised with it. */
  readonly duration: readonly Knob[];
  readonly groupSize?: Knob | readonly Knob[];
  /** A limit on the rows of the dataset. */
  readonly taskLimit?: Knob;
  /** The batch keys where they count rollouts: the first that stands in the file follows the group size, so that P stays. */
  readonly batch?: Knob | readonly Knob[];
}

/** Why an axis cannot be written into a file of this framework, and what to do instead. */
type Remainders = Readonly<
  Partial<Record<"tasks" | "environments" | "worlds" | "structures" | "parameters" | "trajectories", string>>
>;

/** A file of training rows that the config names. */
export interface TrainFile {
  readonly path: string;
  /** Rows used of it, where the config limits it file by file. */
  readonly limit?: number;
}

/** A metric that the framework logs; `*` in the name stands for anything but `/`, or more of it at an end. */
export interface Metric {
  readonly glob: string;
  /** Measured on held-out tasks, or on the training rollouts themselves. */
  readonly on: "evaluation" | "training";
  /** A success rate; a score of the benchmark, a rate where it lies in [0, 1]; or a reward, which need not be a rate. */
  readonly tells: "success" | "score" | "reward";
}

/** Data that hold for all frameworks together, before one is known. Words are patterns, in any capitals. */
interface Signs {
  /** Texts that hardly occur outside its configs, by where: YAML, TOML and JSON; commands; Python. */
  readonly words: {
    readonly data?: readonly string[];
    readonly shell?: readonly string[];
    readonly python?: readonly string[];
  };
  /** Command-line programs that train by themselves. */
  readonly programs?: readonly string[];
  /** Keys of a command that name a config of another part, and where its content goes; `only` is a pattern of the file. */
  readonly parts?: readonly { readonly key: string; readonly under: string; readonly only?: string }[];
  /** Where it writes how well a run does; the better witness of two that tell the same comes first. */
  readonly metrics?: readonly Metric[];
}

/**
 * A training framework, declared: where its fields stand, what its defaults are, which rules and traps it has. The
 * mechanism beside this file does the rest (derivations, sites, edits, group sizes that disagree).
 */
export interface Framework {
  readonly id: string;
  readonly name: string;
  /** Where its own documentation is, and what its configs are written in. */
  readonly docs: { readonly url: string; readonly formats: readonly string[] };
  /** What it is known by before anything is read. */
  readonly signs: Signs;
  /** True where its YAML is read by plain PyYAML, to which `1e-4` is text; OmegaConf reads a number. */
  readonly plainYaml?: boolean;
  /** 0: not this one; 1: surely. From content only, never the file's name. */
  readonly detect: (config: Config) => number;
  /** True when the file is only a part of a config, so that defaults must not be assumed. */
  readonly fragment?: (config: Config) => boolean;
  /** Values of well-known base configs of the framework, for when the base file is not in the workspace. */
  readonly shipped?: (config: Config) => ShippedValues;
  /** Splits a variant where one file holds several experiments (each trainer of a Python script); absent: it is one. */
  readonly experiments?: (variant: ConfigVariant) => readonly ConfigVariant[];
  /** A stated number of steps ends the run even where the epochs would end before. */
  readonly stepsOverrideEpochs?: boolean;
  readonly fields: FrameworkFields;
  /** What its configs say of cost beside the fields: evaluations, passes, pools, layout. */
  readonly cost?: CostSheet;
  /** Whether the response limit holds for one turn or the whole trajectory. */
  readonly responseScope: "turn" | "trajectory" | ((config: Config) => "turn" | "trajectory" | null);
  /** How many steps one pass over the data takes: verl drops the last partial batch, others keep it. */
  readonly lastPartialBatch?: "dropped" | "kept";
  /** Training files, in order; empty where the tasks live elsewhere (inside the environment). */
  readonly trainFiles?: (config: Config) => readonly TrainFile[];
  /** Why the rows of the dataset say nothing about tasks (placeholder data), or undefined when they do. */
  readonly rowsAreNotTasks?: (config: Config) => string | undefined;
  readonly knobs: Knobs;
  readonly remainders?: Remainders;
  readonly rules?: (config: Config) => readonly FrameworkRule[];
  /** Diagnostics for what users of this framework run into. */
  readonly traps?: (config: Config, budget: ExperimentBudget) => readonly ConfigDiagnostic[];
  /** Places besides the group size that must agree with it (two files or keys that say it). */
  readonly groupSizeAlso?: readonly string[];
}
