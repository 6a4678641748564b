import { trlCost } from "./cost/others";
import { isKnown, known, unknown } from "../budget/budget";
import {
  assumedOne,
  because,
  byDefault,
  type Config,
  first,
  type Framework,
  type FrameworkFields,
  groupHelp,
  type Knob,
  number,
  type Read,
  text,
  when,
} from "./reading/read";
import {
  argumentOf,
  calledName,
  classesOver,
  distinctIn,
  imports,
  partName,
  rowsOf,
  withParts,
} from "./sheet/pythonData";
import { loadedModel, modelIn } from "./sheet/pythonModel";
import { launchedGpus, launchedProcesses, prompts, PROMPTS_HELP, trlRules, type TrlBatch } from "./sheet/trlBatch";
import { entryOf, mapNode } from "../syntax/nodes";
import type { ConfigVariant, MapNode, TreeNode } from "../syntax/tree";

const GRPO_CONFIG = "trl/trainer/grpo_config.py";
const TRAINERS = /^(\w*(GRPO|RLOO|GSPO|DAPO)\w*|RL)Trainer$/;
const CONFIGS = /^(\w*(GRPO|RLOO|GSPO|DAPO)\w*(Config|Arguments)|RLConfig)$/;

/** A setting: in the trainer's arguments (Python), as a flag, or flat in a YAML file. */
export const setting = (name: string): readonly string[] => [`args.${name}`, `--${name.replaceAll("_", "-")}`, name];

/** Splits a script into its trainers, each with its arguments under `args` and its own under `trainer`. */
export function trlExperiments(variant: ConfigVariant): readonly ConfigVariant[] {
  const calls = entryOf(variant.root, "calls")?.value;
  if (calls?.kind !== "map") return [];
  const named = (pattern: RegExp): MapNode[] =>
    calls.entries.flatMap((entry) => (pattern.test(entry.key) && entry.value.kind === "map" ? [entry.value] : []));
  const trainers = named(TRAINERS);
  const configs = [...named(CONFIGS), ...derivedConfigs(variant)];
  // A module that defines a trainer and its arguments starts none.
  const module = named(CONFIGS).length === 0 && classesOver(variant, TRAINERS).length > 0;
  if (trainers.length === 0)
    return configs.length === 1 && !module ? [withParts(variant, { args: configs[0] }, variant.name)] : [];
  return trainers.flatMap((trainer) => {
    const given = argumentOf(trainer, "args", "2");
    const args = given?.kind === "map" ? given : configs.length === 1 ? configs[0] : undefined;
    // A config that another function builds: without knowing which, nothing can be said.
    const limit = rowsOf(argumentOf(trainer, "train_dataset", "3"))?.limit;
    const dataset = limit && mapNode([{ key: "limit", keySpan: limit.span, value: limit }], limit.span);
    const parts = { ...(args && { args }), trainer, ...(dataset && { dataset }) };
    return [withParts(variant, parts, partName(variant, trainer, trainers))];
  });
}

/** `@dataclass class Arguments(GRPOConfig)`: the fields that it sets. */
const derivedConfigs = (variant: ConfigVariant): readonly MapNode[] =>
  // A class that only adds options of its own says nothing of the budget.
  classesOver(variant, CONFIGS).filter((one) => BUDGET_KEYS.some((key) => entryOf(one, key) !== undefined));

const BUDGET_KEYS =
  "num_generations per_device_train_batch_size gradient_accumulation_steps max_completion_length max_steps num_train_epochs".split(
    " ",
  );

/** Arguments that only a run knows (`GRPOConfig(**kwargs)`): then a default cannot be assumed. */
function opaque(config: Config): boolean {
  if (config.syntax === "shell") return !parsesItself(config);
  if (config.syntax !== "python") return false;
  return !config.has("args") || config.has("args.**");
}

/** TRL's own scripts take every setting as a flag; another script has defaults of its own for what is not given. */
function parsesItself(config: Config): boolean {
  const command = config.variant.command;
  return (
    /(^|\/)trl$/.test(command?.program ?? "") ||
    /(^|\/)(trl\/scripts|open_r1)\//.test(command?.target ?? "") ||
    /^(trl|open_r1)\./.test(command?.target ?? "")
  );
}

/** The library's default, unless arguments are given that the text does not show. */
export function libraryDefault(value: number, from: string): Read<number> {
  return (config) =>
    opaque(config)
      ? unknown(
          config.syntax === "shell"
            ? "the script that is started may have a default of its own"
            : "some arguments are only known in a run, so the default cannot be assumed",
        )
      : byDefault(value, from)(config);
}

/** RLOO's default group is smaller. */
const groupDefault: Read<number> = (config) => {
  const args = config.peek("args")?.node;
  return args?.kind === "map" && /RLOO/.test(args.callee ?? "")
    ? libraryDefault(2, "trl/trainer/rloo_config.py")(config)
    : libraryDefault(8, GRPO_CONFIG)(config);
};

/** A helper of a library may come to nothing with the defaults of its parameters: then its caller decides. */
const groupStated: Read<number> = (config) => {
  const stated = number(setting("num_generations"))(config);
  return stated && isKnown(stated) && stated.value < 1
    ? unknown(`\`num_generations\` comes to ${stated.value} here: it depends on what a caller gives`)
    : stated;
};

export const trlBatch: TrlBatch = {
  perDevice: first(
    number(setting("per_device_train_batch_size"), { unit: "completions per device" }),
    libraryDefault(8, "transformers TrainingArguments"),
  ),
  processes: launchedProcesses,
  accumulation: first(
    number(setting("gradient_accumulation_steps")),
    libraryDefault(1, "transformers TrainingArguments"),
  ),
  stepsPerGeneration: number(setting("steps_per_generation")),
  generationBatch: number(setting("generation_batch_size"), { unit: "completions per generation" }),
  generations: first(groupStated, groupDefault),
  iterations: number(setting("num_iterations")),
};

const stepsStated = (config: Config): boolean => {
  const steps = number(setting("max_steps"))(config);
  return steps !== undefined && (!isKnown(steps) || steps.value > 0);
};

const model: Read<string> = (config) => {
  const given = config.find("trainer.model")?.node;
  const direct = modelIn(given) ?? modelIn(config.find("trainer.0")?.node);
  if (direct && isKnown(direct)) return direct;
  const loaded = config.syntax === "python" ? loadedModel(config) : undefined;
  return (
    loaded ??
    direct ??
    first(
      text(setting("model_name_or_path")),
      text(["--model", "--model-name", "--model-path", "--model-id", "--base-model", "--policy-model", "model"]),
    )(config)
  );
};

const dataset = (config: Config): TreeNode | undefined =>
  (config.peek("trainer.train_dataset") ?? config.peek("trainer.3"))?.node;

const tasks: Read<number> = (config) => {
  const rows = rowsOf(dataset(config));
  if (rows?.copies !== undefined)
    return unknown(
      `the ${rows.rows} rows repeat the same text: the tasks are made elsewhere, by the environment or the reward`,
    );
  const note = "rows that the script makes or keeps";
  const limit = number("dataset.limit")(config);
  if (limit && isKnown(limit)) return { ...limit, note };
  return rows ? known(rows.rows, "config", { span: rows.at.span, note }) : undefined;
};

const environments: Read<number> = (config) => {
  if (config.syntax !== "python") return assumedOne("one dataset with its rewards");
  const column = distinctIn(dataset(config), "env") ?? distinctIn(dataset(config), "environment");
  if (column !== undefined) return known(column, "config", { note: "distinct values of the dataset's `env` column" });
  const servers = config.peek("names.dataset_configs")?.node;
  if (servers?.kind === "list" && servers.count === undefined && servers.items.length > 0)
    return known(servers.items.length, "config", { span: servers.span, note: "`dataset_configs`" });
  return config.has("trainer") ? assumedOne("one dataset with its rewards") : undefined;
};

/** Without tools, an environment or a rollout of its own, a trainer asks once. */
const turns: Read<number> = (config) => {
  const limit = number(setting("max_tool_calling_iterations"))(config);
  if (limit) return limit;
  if (config.syntax !== "python" || !config.has("trainer")) return undefined;
  const several = [
    "trainer.environment_factory",
    "trainer.rollout_func",
    "trainer.rollout_worker",
    "trainer.tools",
    "trainer.**",
  ].some((path) => config.has(path));
  return several
    ? undefined
    : known(1, "derived", { note: "the trainer has no tools, environment or rollout function" });
};

export const trlFields: FrameworkFields = {
  model: { read: model, help: "The policy that is trained." },
  promptsPerStep: { unit: "completions per device", help: PROMPTS_HELP, read: prompts(trlBatch) },
  groupSize: {
    unit: "completions per prompt",
    help: groupHelp("Completions of each prompt."),
    read: trlBatch.generations,
  },
  steps: {
    unit: "optimiser steps",
    help: "Ends the run whatever `num_train_epochs` says.",
    read: first(
      number(setting("max_steps"), { unless: (steps) => steps < 1 }),
      when(
        (config) => opaque(config) && number(setting("num_train_epochs"))(config) === undefined,
        because("some arguments are only known in a run: `max_steps` may be among them"),
      ),
    ),
  },
  epochs: {
    unit: "passes over the data",
    help: "Passes over the data, when `max_steps` is not set. `num_iterations` is something else: updates per generation.",
    read: first(
      number(setting("num_train_epochs")),
      when(stepsStated, because("max_steps ends the run")),
      libraryDefault(3, "transformers TrainingArguments"),
    ),
  },
  tasks: {
    unit: "rows",
    help: "Rows that the script itself makes or keeps. Rows with the same prompt count as often as they stand there.",
    read: tasks,
  },
  environments: {
    unit: "environments",
    help: "Distinct values of the dataset's `env` column; otherwise the dataset and its rewards are one.",
    read: environments,
  },
  maxPromptTokens: {
    unit: "tokens",
    help: "Longest prompt. Newer versions have no such limit; older ones cut at 512 by default.",
    read: number(setting("max_prompt_length")),
    otherwise: "no limit is set",
  },
  maxResponseTokens: {
    unit: "tokens per rollout",
    help: "Longest completion; with tools or an environment, the whole rollout.",
    read: first(number(setting("max_completion_length")), libraryDefault(512, `${GRPO_CONFIG}; 256 before version 1`)),
  },
  maxTurns: {
    unit: "tool-calling rounds",
    help: "Most rounds of tool calls; without a limit the completion length ends the trajectory.",
    read: turns,
    otherwise: "no limit on turns is set",
  },
  gpus: {
    unit: "GPUs",
    help: "Processes of the launcher, and the GPUs of a server that the same script starts on others. A server that is started elsewhere needs its own.",
    read: launchedGpus,
    otherwise: "the launcher decides",
  },
  algorithm: {
    help: "The trainer. `loss_type` is a variant of its loss.",
    read: (config) => {
      const callee =
        [config.peek("trainer")?.node, config.peek("args")?.node].map(calledName).find((name) => name !== undefined) ??
        config.variant.command?.target ??
        config.variant.command?.positional.join(" ") ??
        "";
      return known(/rloo/i.test(callee) ? "rloo" : "grpo", "derived", {
        note: callee ? `\`${callee}\`` : "GRPO's settings",
      });
    },
  },
};

/** Keys that count completions: the first that stands in the file follows the group size. */
const trlBatchKnobs: readonly Knob[] = [
  "generation_batch_size",
  "gradient_accumulation_steps",
  "per_device_train_batch_size",
].map((name) => ({ paths: setting(name), counts: "rollouts" as const }));

export const trl: Framework = {
  id: "trl",
  name: "TRL",
  docs: { url: "https://huggingface.co/docs/trl/grpo_trainer", formats: ["Python", "YAML", "shell"] },
  signs: {
    words: {
      data: ["\\bmax_completion_length\\b", "\\bnum_generations\\b"],
      shell: ["\\bnum_generations\\b", "\\btrl\\s+grpo\\b"],
      python: ["\\bGRPO(Config|Trainer)\\b", "\\bnum_generations\\s*="],
    },
    programs: ["trl"],
    metrics: [
      { glob: "eval_reward", on: "evaluation", tells: "reward" },
      { glob: "eval/reward", on: "evaluation", tells: "reward" },
      { glob: "eval_rewards/*/mean", on: "evaluation", tells: "reward" },
      { glob: "eval/rewards/*/mean", on: "evaluation", tells: "reward" },
      { glob: "train/reward", on: "training", tells: "reward" },
      { glob: "reward", on: "training", tells: "reward" },
      { glob: "rewards/*/mean", on: "training", tells: "reward" },
    ],
  },
  plainYaml: true,
  detect: (config) => {
    if (config.syntax === "python") {
      if (!imports(config.variant, /^(trl|open_r1)\b/)) return 0;
      return trlExperiments(config.variant).length > 0 ? 0.8 : 0;
    }
    const grouped = config.has("--num-generations") || config.has("num_generations");
    const batched = ["per_device_train_batch_size", "max_completion_length", "gradient_accumulation_steps"].filter(
      (name) => setting(name).some((path) => config.has(path)),
    ).length;
    return grouped && batched >= 1 ? 0.6 + 0.05 * batched : 0;
  },
  experiments: trlExperiments,
  cost: trlCost,
  responseScope: "trajectory",
  stepsOverrideEpochs: true,
  fields: trlFields,
  knobs: {
    duration: [
      { paths: setting("max_steps"), counts: "steps", when: stepsStated },
      { paths: setting("num_train_epochs"), counts: "epochs", when: (config) => !stepsStated(config) },
    ],
    groupSize: { paths: setting("num_generations") },
    batch: trlBatchKnobs,
    taskLimit: { paths: ["dataset.limit"] },
  },
  remainders: {
    tasks: "the dataset is made in code: change what it loads or keeps",
    environments: "environments are code and data: change the dataset's rows or the environment factory",
  },
  // The asynchronous trainer generates apart from its batches.
  rules: (config) => (/Async/.test(calledName(config.peek("trainer")?.node) ?? "") ? [] : trlRules(trlBatch, config)),
};
