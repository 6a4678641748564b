import { trlFamilyCost } from "./cost/others";
import { isKnown, known, unknown } from "../budget/budget";
import {
  assumedOne,
  byDefault,
  type Config,
  first,
  type Framework,
  groupHelp,
  mapped,
  number,
  type Read,
  text,
} from "./reading/read";
import { countTables } from "./sheet/lists";
import { launchedProcesses, prompts, PROMPTS_HELP, trlRules, type TrlBatch } from "./sheet/trlBatch";

const GRPO = /^(grpo|gspo|gdpo|rloo|dapo)$/i;

/** The command line of `axolotl train` may override a key of the file. */
const key = (name: string): readonly string[] => [`--${name.replaceAll("_", "-").replaceAll(".", "-")}`, name];

const batch: TrlBatch = {
  perDevice: first(number(key("micro_batch_size"), { unit: "completions per device" }), byDefault(1, "axolotl")),
  processes: launchedProcesses,
  accumulation: first(number(key("gradient_accumulation_steps")), byDefault(1, "axolotl")),
  stepsPerGeneration: number("trl.steps_per_generation"),
  generationBatch: number("trl.generation_batch_size", { unit: "completions per generation" }),
  generations: first(number("trl.num_generations"), byDefault(8, "trl/trainer/grpo_config.py")),
  iterations: number("trl.num_iterations"),
};

const maxTurns: Read<number> = (config) => {
  if (config.has("trl.rollout_func")) return undefined;
  if (!config.has("nemo_gym_enabled") && !config.has("nemo_gym_datasets"))
    return known(1, "derived", { note: "no multi-turn rollouts" });
  return config.truth("nemo_gym_multi_turn") === true
    ? first(number("nemo_gym_max_turns"), byDefault(10, "axolotl/integrations/nemo_gym/args.py"))(config)
    : known(1, "default", { note: "nemo_gym_multi_turn is not set" });
};

const isRl = (config: Config): boolean => GRPO.test(config.textAt("rl") ?? "");

export const axolotl: Framework = {
  id: "axolotl",
  name: "axolotl",
  docs: { url: "https://docs.axolotl.ai/docs/rlhf.html", formats: ["YAML"] },
  signs: {
    words: { data: ["\\btrl\\s*:"], shell: ["\\baxolotl\\b"] },
    programs: ["axolotl"],
  },
  plainYaml: true,
  detect: (config) =>
    config.has("base_model") && isRl(config)
      ? 0.95
      : config.has("base_model") && config.has("trl.num_generations")
        ? 0.85
        : 0,
  cost: trlFamilyCost,
  responseScope: "trajectory",
  lastPartialBatch: "dropped",
  stepsOverrideEpochs: true,
  fields: {
    model: { read: text(key("base_model")), help: "The policy that is trained." },
    promptsPerStep: {
      unit: "completions per device",
      help: `${PROMPTS_HELP} Here it is called \`micro_batch_size\`; the number of processes comes from the launcher and is taken as one.`,
      read: prompts(batch),
    },
    groupSize: {
      unit: "completions per prompt",
      help: groupHelp("Completions of each prompt (`trl.num_generations`)."),
      read: batch.generations,
    },
    steps: {
      unit: "steps",
      help: "Optimiser steps; they end the run whatever `num_epochs` says.",
      read: number(key("max_steps"), { unless: (steps) => steps < 1 }),
    },
    epochs: {
      unit: "passes over the data",
      help: "Passes over the data, when `max_steps` is not set. `trl.num_iterations` is something else: updates per batch.",
      read: first(number(key("num_epochs")), byDefault(1, "axolotl")),
    },
    tasks: {
      unit: "rows",
      help: "`max_samples` (or `split: train[:1000]`) only caps the rows of a dataset.",
      read: () => undefined,
      otherwise: "the rows of the datasets are not in the file: max_samples only caps them",
    },
    environments: {
      unit: "environments",
      help: "NeMo-Gym datasets are one environment each; otherwise the datasets and their rewards are one.",
      read: first(countTables(["nemo_gym_datasets"]), (config) =>
        config.has("datasets") || config.has("trl.reward_funcs") ? assumedOne("one set of rewards") : undefined,
      ),
    },
    maxPromptTokens: {
      help: "Only the whole sequence is limited (`sequence_len`).",
      read: () => unknown("axolotl limits the whole sequence (sequence_len), not the prompt"),
    },
    maxResponseTokens: {
      unit: "tokens per rollout",
      help: "Longest completion.",
      read: number("trl.max_completion_length"),
    },
    maxTurns: { unit: "turns", help: "Most turns of a multi-turn rollout.", read: maxTurns },
    gpus: { help: "The launcher decides.", read: () => unknown("the number of processes comes from the launcher") },
    algorithm: { help: "The kind of training.", read: mapped(text("rl"), (value) => value.toLowerCase()) },
  },
  knobs: {
    duration: [
      {
        paths: key("max_steps"),
        counts: "steps",
        when: (config) => {
          const steps = number(key("max_steps"))(config);
          return steps !== undefined && isKnown(steps) && steps.value > 0;
        },
      },
      {
        paths: key("num_epochs"),
        counts: "epochs",
        when: (config) => !key("max_steps").some((path) => config.has(path)),
      },
    ],
    groupSize: { paths: ["trl.num_generations"] },
    batch: [
      { paths: ["trl.generation_batch_size"], counts: "rollouts" },
      { paths: key("gradient_accumulation_steps"), counts: "rollouts" },
      { paths: key("micro_batch_size"), counts: "rollouts" },
    ],
  },
  remainders: { environments: "add or remove entries of nemo_gym_datasets with their config paths" },
  rules: (config) => trlRules(batch, config),
};
