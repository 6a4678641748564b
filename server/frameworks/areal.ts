import { arealCost } from "./cost/others";
import type { Fact } from "../budget/budget";
import {
  assumedOneAt,
  because,
  byDefault,
  type Config,
  first,
  type Framework,
  groupHelp,
  mapped,
  number,
  one,
  rules,
  text,
  times,
  when,
} from "./reading/read";

const SCHEMA = "areal/api/cli_args.py";
/** The default of `gconfig.max_new_tokens`. */
const NEW_TOKENS = 16384;

/** AReaL has one trainer; what its loss settings make of it goes by these names. */
function algorithm(config: Config): Fact<string> | undefined {
  if (config.has("critic.path") || config.has("critic.backend") || config.has("critic.is_critic"))
    return { value: "ppo", source: "derived" as const, note: "a critic is configured" };
  if (config.textAt("actor.importance_sampling_level") === "sequence")
    return { value: "gspo", source: "derived" as const, note: "importance_sampling_level: sequence" };
  if (config.truth("actor.use_sapo_loss") === true)
    return { value: "sapo", source: "derived" as const, note: "use_sapo_loss" };
  if (config.textAt("actor.m2_threshold") !== undefined)
    return { value: "m2po", source: "derived" as const, note: "m2_threshold is set" };
  if (config.truth("actor.reward_norm.mean_leave1out") === true)
    return { value: "rloo", source: "derived" as const, note: "the mean of the other rollouts is the baseline" };
  if (config.fragment) return undefined;
  const spread = config.peek("actor.reward_norm.std_level")?.node;
  if (config.has("actor.reward_norm") && spread?.kind === "scalar" && spread.value !== "group")
    return {
      value: null,
      reason: "the normalisation is not GRPO's: Dr. GRPO, Lite PPO or a baseline, which the config does not name",
    };
  if (
    config.has("actor.adv_norm") &&
    !config.has("actor.reward_norm") &&
    config.has("actor.kl_ctl") &&
    Number(config.textAt("actor.kl_ctl")) > 0
  )
    return {
      value: null,
      reason: "no critic and no comparison within groups: REINFORCE or a variant, which the config does not name",
    };
  return {
    value: "grpo",
    source: "derived" as const,
    note: "no critic: the rollouts of a prompt are compared with each other",
  };
}

export const areal: Framework = {
  id: "areal",
  name: "AReaL",
  docs: { url: "https://inclusionai.github.io/AReaL/", formats: ["YAML", "shell"] },
  signs: {
    words: { data: ["\\bgconfig\\b", "\\bnum_trajectories\\b"], shell: ["\\bgconfig\\.n_samples\\b", "\\bareal\\b"] },
    metrics: [
      { glob: "eval-rollout/task_reward*", on: "evaluation", tells: "reward" },
      { glob: "*eval-rollout/task_reward*", on: "evaluation", tells: "reward" },
      { glob: "rollout/task_reward*", on: "training", tells: "reward" },
    ],
  },
  detect: (config) => {
    // Rollouts without a trainer are served or collected, not trained on.
    if (config.variant.command === null && config.has("rollout") && !config.has("actor")) return 0;
    if (
      config.has("gconfig") &&
      (config.has("train_dataset") || config.has("actor.path") || config.has("total_train_epochs"))
    )
      return 0.9;
    return /areal/i.test(config.text.slice(0, 4000)) &&
      config.has("actor.path") &&
      config.has("rollout.max_head_offpolicyness")
      ? 0.8
      : 0;
  },
  fragment: (config) => !config.has("actor.path"),
  cost: arealCost,
  responseScope: "turn",
  lastPartialBatch: "dropped",
  fields: {
    model: { help: "The policy (`actor.path`).", read: text("actor.path") },
    promptsPerStep: {
      unit: "prompts per step",
      help: "Prompts per step (`train_dataset.batch_size`); each is sampled `gconfig.n_samples` times. `rollout.consumer_batch_size` follows it.",
      read: first(number("train_dataset.batch_size"), byDefault(1, SCHEMA)),
    },
    groupSize: {
      unit: "rollouts per prompt",
      help: groupHelp("Rollouts of each prompt (`gconfig.n_samples`). A workflow's own `n_trajs` must say the same."),
      read: first(number("gconfig.n_samples"), byDefault(1, SCHEMA)),
    },
    steps: {
      unit: "steps",
      help: "Ends the run after so many steps, even when the epochs would go on.",
      read: first(number("total_train_steps"), arealSequences()),
    },
    epochs: {
      unit: "passes over the data",
      help: "Passes over the data; `total_train_steps` may end the run earlier.",
      read: first(number("total_train_epochs"), byDefault(1, SCHEMA)),
    },
    environments: {
      help: "One environment: the domain of `econfig`, or what the workflow plays on the dataset.",
      read: first(one("econfig.domain"), assumedOneAt("train_dataset.path", "one training set")),
    },
    maxPromptTokens: {
      unit: "tokens",
      help: "Longest prompt that the dataset keeps; `gconfig.max_tokens` bounds prompt and reply together.",
      read: number("train_dataset.max_length"),
    },
    maxResponseTokens: {
      unit: "tokens per turn",
      help: "Longest reply of **one call** (`gconfig.max_new_tokens`); an agent's `max_tokens_per_trajectory` bounds all of them.",
      read: first(
        number("gconfig.max_new_tokens"),
        mapped(
          number("gconfig.max_tokens"),
          (all) => Math.min(all, NEW_TOKENS),
          "prompt and reply together; the reply has no limit of its own",
        ),
        byDefault(NEW_TOKENS, SCHEMA),
      ),
    },
    maxTurns: {
      unit: "turns",
      help: "Most turns or calls in a trajectory.",
      read: number([
        "econfig.max_steps",
        "max_llm_calls_per_run",
        "max_turns",
        "workflow.max_turns",
        "agent_run_args.max_turns",
        "tir.max_turns",
        "econfig.max_turns",
      ]),
    },
    gpus: {
      unit: "GPUs",
      help: 'Nodes × GPUs per node of the cluster; `backend: "sglang:d16"` says how they are shared.',
      read: times(
        first(number("cluster.n_nodes"), byDefault(1, SCHEMA)),
        first(number("cluster.n_gpus_per_node"), byDefault(8, SCHEMA)),
      ),
    },
    algorithm: {
      help: "AReaL has one trainer: with a critic it is PPO, without one the rollouts of a prompt are compared (GRPO), and the loss settings make the variants.",
      read: first(algorithm, because("not in this part of the config")),
    },
  },
  trainFiles: (config) => {
    const path = config.textAt("train_dataset.path");
    return path !== undefined && /\.(jsonl|parquet|json|csv)$/.test(path) ? [{ path }] : [];
  },
  knobs: {
    duration: [
      { paths: ["total_train_steps"], counts: "steps" },
      { paths: ["total_train_epochs"], counts: "epochs" },
    ],
    groupSize: { paths: ["gconfig.n_samples", "n_trajs"] },
  },
  remainders: {
    tasks: "the tasks are the rows of `train_dataset.path`: shorten or extend that data",
    environments: "one config plays one environment; several need several runs or a workflow that mixes them",
  },
  rules: (config) =>
    config.has("critic")
      ? []
      : [
          rules.groupAtLeastTwo(
            "without a critic the rollouts of a prompt are compared: `gconfig.n_samples` must be at least 2",
          ),
        ],
  groupSizeAlso: ["n_trajs"],
};

/** `total_train_n_seqs` counts sequences. */
function arealSequences() {
  return when(
    (config: Config) => config.has("total_train_n_seqs"),
    because("`total_train_n_seqs` counts sequences, which end the run at a step that depends on the rollouts"),
  );
}
