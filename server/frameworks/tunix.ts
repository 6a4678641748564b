import { known } from "../budget/budget";
import { byDefault, first, groupHelp, mapped, number, one, text, times, type Framework } from "./reading/read";

const BASE = "tunix/cli/base_config.yaml";

/** RL on TPUs in JAX. */
export const tunix: Framework = {
  id: "tunix",
  name: "tunix",
  docs: { url: "https://tunix.readthedocs.io", formats: ["YAML", "shell"] },
  signs: {
    words: {
      data: ["\\brl_training_config\\b", "\\bgrpo_config\\b"],
      shell: ["\\btunix\\b", "\\brl_training_config\\."],
    },
    parts: [{ key: "override_config_file", under: "" }],
    metrics: [
      { glob: "rewards/*accuracy*", on: "training", tells: "success" },
      { glob: "rewards/sum", on: "training", tells: "reward" },
    ],
  },
  detect: (config) =>
    config.has("rl_training_config") && (config.has("grpo_config") || config.has("agentic_grpo_config")) ? 0.85 : 0,
  fragment: (config) => config.variant.command === null && !config.has("batch_size"),
  responseScope: "trajectory",
  stepsOverrideEpochs: true,
  fields: {
    model: { help: "The policy that is trained.", read: text(["model_config.model_id", "model_config.model_name"]) },
    promptsPerStep: {
      unit: "prompts per step",
      help: "Prompts per step, before each is answered `num_generations` times; `train_micro_batch_size` only cuts it into parts.",
      read: number("batch_size"),
    },
    groupSize: {
      unit: "answers per prompt",
      help: groupHelp("Answers to each prompt."),
      read: number(["grpo_config.num_generations", "agentic_grpo_config.num_generations"]),
    },
    steps: {
      unit: "steps",
      help: "`max_steps`, else batches × epochs × the fraction that is trained on.",
      read: first(
        number("rl_training_config.max_steps"),
        times(
          number("num_batches"),
          times(
            first(number("num_train_epochs"), byDefault(1, BASE)),
            first(number("train_fraction"), byDefault(1, BASE)),
          ),
        ),
      ),
    },
    epochs: { unit: "passes over the data", help: "Passes over the batches.", read: number("num_train_epochs") },
    environments: {
      unit: "environments",
      help: "The dataset with its rewards is one environment.",
      read: one("dataset_name", "one dataset"),
    },
    maxPromptTokens: { unit: "tokens", help: "Longest prompt.", read: number("rollout_config.max_prompt_length") },
    maxResponseTokens: {
      unit: "tokens per trajectory",
      help: "Longest answer.",
      read: number("rollout_config.total_generation_steps"),
    },
    algorithm: {
      help: "These recipes are GRPO.",
      read: (config) =>
        config.has("grpo_config") || config.has("agentic_grpo_config")
          ? known("grpo", "derived", { note: "`grpo_config`" })
          : mapped(text("algorithm"), (value) => value)(config),
    },
  },
  knobs: {
    duration: [
      { paths: ["rl_training_config.max_steps"], counts: "steps" },
      { paths: ["num_train_epochs"], counts: "epochs" },
    ],
    groupSize: { paths: ["grpo_config.num_generations", "agentic_grpo_config.num_generations"] },
  },
};
