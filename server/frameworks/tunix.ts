import { known } from "../budget/budget";
import {
  assumedOneAt,
  byDefault,
  type Config,
  constant,
  first,
  type Framework,
  groupHelp,
  number,
  one,
  rules,
  text,
  times,
  when,
} from "./reading/read";

const BASE = "tunix/cli/base_config.yaml";
const AGENTIC = "agentic_grpo_config";

const target = (config: Config): string => config.variant.command?.target ?? "";
const isAgentic = (config: Config): boolean =>
  /^agentic/.test(config.textAt("training_mode") ?? "") ||
  (!config.has("training_mode") &&
    config.has(`${AGENTIC}.num_generations`) &&
    !config.has("grpo_config.num_generations"));
/** PPO has no group: the program says it, or a config with `ppo_config` alone. */
const isPpo = (config: Config): boolean =>
  /ppo/.test(target(config)) ||
  /ppo/.test(config.textAt("training_mode") ?? "") ||
  (config.variant.command === null && config.has("ppo_config") && !config.has("grpo_config") && !config.has(AGENTIC));

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
  // The same base config serves fine-tuning: the program tells.
  detect: (config) => {
    if (/peft|sft|dpo|eval|distill/.test(target(config))) return 0;
    const algorithm = config.has("grpo_config") || config.has(AGENTIC) || config.has("ppo_config");
    return config.has("rl_training_config") && algorithm ? 0.85 : 0;
  },
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
      read: when(
        isPpo,
        constant(1, "PPO answers each prompt once"),
        when(isAgentic, number(`${AGENTIC}.num_generations`), number("grpo_config.num_generations")),
      ),
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
      read: first(
        when((config) => config.textAt("data_module") !== "", one("data_module", "one data module")),
        assumedOneAt(["dataset_name", "data_directory"], "one dataset"),
      ),
    },
    maxPromptTokens: { unit: "tokens", help: "Longest prompt.", read: number("rollout_config.max_prompt_length") },
    maxResponseTokens: {
      unit: "tokens per rollout",
      help: "Longest answer.",
      read: number("rollout_config.total_generation_steps"),
    },
    maxTurns: {
      unit: "turns",
      help: "Most turns of an agent with its environment; a single answer otherwise.",
      read: when(isAgentic, number([`${AGENTIC}.max_turns`, "env_kwargs.max_steps"])),
      otherwise: "answers are single turns",
    },
    algorithm: {
      help: "PPO by its own program; else GRPO, GSPO where the loss says so. Other estimators are not named here.",
      read: algorithm,
    },
  },
  knobs: {
    duration: [
      { paths: ["rl_training_config.max_steps"], counts: "steps" },
      { paths: ["num_train_epochs"], counts: "epochs" },
    ],
    groupSize: [
      { paths: [`${AGENTIC}.num_generations`], when: isAgentic },
      { paths: ["grpo_config.num_generations"], when: (config) => !isAgentic(config) && !isPpo(config) },
    ],
  },
  rules: (config) =>
    isPpo(config)
      ? []
      : [rules.groupAtLeastTwo("GRPO compares the answers to a prompt: `num_generations` must be at least 2")],
};

function algorithm(config: Config) {
  if (isPpo(config)) return known("ppo", "derived", { note: "the PPO program" });
  const section = isAgentic(config) ? AGENTIC : "grpo_config";
  const estimator = config.textAt(`${section}.advantage_estimator`) ?? "grpo";
  if (!/^(agentic_)?grpo$/.test(estimator)) return undefined;
  const loss = config.textAt(`${section}.loss_algo`) ?? "grpo";
  if (!/^(grpo|gspo(-token)?)$/.test(loss)) return undefined;
  return known(loss === "grpo" ? "grpo" : "gspo", "derived", { note: `\`${section}\`` });
}
