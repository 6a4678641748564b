import {
  assumedOneAt,
  byDefault,
  first,
  type Framework,
  groupHelp,
  itemsOf,
  mapped,
  number,
  rules,
  type ShippedValues,
  text,
  times,
  toNumber,
} from "./reading/read";
import { algorithmName } from "./verl";

const CONFIG = "verl/trainer/config.py";
const MINI = "worker.actor.global_batch_size";

/** A fork of verl with a schema of its own: the module is `verl.trainer.main`, the base config an argument `config=…`. */
export const easyr1: Framework = {
  id: "easyr1",
  name: "EasyR1",
  docs: { url: "https://github.com/hiyouga/EasyR1", formats: ["YAML", "shell"] },
  signs: {
    words: {
      data: ["\\brollout_batch_size\\b"],
      shell: ["\\bverl\\.trainer\\.main\\b", "\\bworker\\.(actor|rollout)\\."],
    },
    parts: [{ key: "config", under: "" }],
    metrics: [
      { glob: "val/accuracy_reward", on: "evaluation", tells: "success" },
      { glob: "val/reward_score", on: "evaluation", tells: "reward" },
      { glob: "reward/accuracy", on: "training", tells: "success" },
      { glob: "reward/overall", on: "training", tells: "reward" },
      { glob: "critic/score/mean", on: "training", tells: "score" },
    ],
  },
  detect: (config) => {
    if (config.truth("trainer.val_only") === true) return 0;
    const worker = config.has("worker.actor") || config.has("worker.rollout");
    if (/^verl\.trainer\.main$/.test(config.variant.command?.target ?? ""))
      return worker || config.has("config") || config.has("data.rollout_batch_size") ? 0.85 : 0;
    return worker && (config.has("data") || config.has("trainer")) && !config.has("actor_rollout_ref") ? 0.8 : 0;
  },
  // A file beside a launch command is whole; a base that is not here may state anything.
  fragment: (config) =>
    config.variant.command === null
      ? !config.has("worker.actor.model.model_path") || !config.has("data.train_files")
      : config.has("config") && !config.has("worker.actor.optim") && !config.has("data.val_files"),
  shipped: (config): ShippedValues => {
    const from = "examples/config.yaml";
    if (!/(^|\/)examples\/config\.yaml$/.test(config.textAt("config") ?? "") || config.has("data.prompt_key"))
      return {};
    const value = (given: string | number) => ({ value: given, from });
    return {
      "data.train_files": value("hiyouga/math12k@train"),
      "data.max_prompt_length": value(2048),
      "data.max_response_length": value(2048),
      "data.rollout_batch_size": value(512),
      "algorithm.adv_estimator": value("grpo"),
      "worker.actor.global_batch_size": value(128),
      "worker.actor.model.model_path": value("Qwen/Qwen2.5-7B-Instruct"),
      "worker.rollout.n": value(5),
      "trainer.total_epochs": value(15),
      "trainer.nnodes": value(1),
      "trainer.n_gpus_per_node": value(8),
    };
  },
  stepsOverrideEpochs: true,
  responseScope: "trajectory",
  lastPartialBatch: "dropped",
  fields: {
    model: { help: "The policy that is trained.", read: text("worker.actor.model.model_path") },
    promptsPerStep: {
      unit: "prompts per step",
      help: "Prompts per step, before each is rolled out `worker.rollout.n` times. `mini_rollout_batch_size` only cuts the generation into parts, and `worker.actor.global_batch_size` counts prompts per update.",
      read: first(number("data.rollout_batch_size"), byDefault(512, CONFIG)),
    },
    groupSize: {
      unit: "rollouts per prompt",
      help: groupHelp("Rollouts of each prompt (`worker.rollout.n`). `val_override_config.n` is for validation only."),
      read: first(number("worker.rollout.n"), byDefault(1, "verl/workers/rollout/config.py")),
    },
    steps: {
      unit: "steps",
      help: "Ends the run; `total_epochs` is then not used.",
      read: number("trainer.max_steps"),
    },
    epochs: {
      unit: "passes over the data",
      help: "Passes over the training data, unless `max_steps` is set.",
      read: first(number("trainer.total_epochs"), byDefault(15, CONFIG)),
    },
    environments: {
      unit: "environments",
      help: "The training set with its reward function is one environment.",
      read: assumedOneAt("data.train_files", "one training set"),
    },
    maxPromptTokens: {
      unit: "tokens",
      help: "Longest prompt; longer ones are left out.",
      read: first(number("data.max_prompt_length"), byDefault(512, CONFIG)),
    },
    maxResponseTokens: {
      unit: "tokens per rollout",
      help: "Longest response.",
      read: first(number("data.max_response_length"), byDefault(512, CONFIG)),
    },
    gpus: {
      unit: "GPUs",
      help: "Nodes × GPUs of each.",
      read: times(
        first(number("trainer.nnodes"), byDefault(1, CONFIG)),
        first(number("trainer.n_gpus_per_node"), byDefault(8, CONFIG)),
      ),
    },
    algorithm: {
      help: "The advantage estimator; `gae` is PPO with a critic.",
      read: first(mapped(text("algorithm.adv_estimator"), algorithmName), byDefault("grpo", CONFIG)),
    },
  },
  trainFiles: (config) =>
    itemsOf(config.peek("data.train_files")?.node).flatMap((node) =>
      node.kind === "scalar" && typeof node.value === "string" && !node.value.includes("@")
        ? [{ path: node.value }]
        : [],
    ),
  knobs: {
    duration: [
      {
        paths: ["trainer.max_steps"],
        counts: "steps",
        when: (config) => number("trainer.max_steps")(config) !== undefined,
      },
      { paths: ["trainer.total_epochs"], counts: "epochs" },
    ],
    groupSize: { paths: ["worker.rollout.n"] },
  },
  remainders: {
    environments: "environments are the training set and its reward function: mix other rows into `data.train_files`",
    trajectories: "set `trainer.total_epochs` on the command line: the file states no duration of its own",
  },
  rules: (config) => {
    const mini = toNumber(config.textAt(MINI) ?? null) ?? null;
    return [
      rules.promptsDivideBy(
        "easyr1-mini-batch",
        `\`data.rollout_batch_size\` must divide by \`${MINI}\` (${mini} prompts)`,
        mini,
      ),
      ...(/grpo|rloo/i.test(config.textAt("algorithm.adv_estimator") ?? "grpo")
        ? [
            rules.groupAtLeastTwo(
              "group estimators compare rollouts of a prompt: `worker.rollout.n` must be at least 2",
            ),
          ]
        : []),
    ];
  },
};
