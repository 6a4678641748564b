import type { FrameworkRule } from "../budget";
import { byDefault, count, first, groupHelp, itemsOf, mapped, number, one, rules, text, times, toNumber, type Config, type Framework } from "../framework";

const TRAINER = "verl/trainer/config/ppo_trainer.yaml";
const ROLLOUT = "actor_rollout_ref.rollout";

/** verl's name for PPO with a critic is its estimator's. */
export const verlAlgorithm = (value: string): string => (value.toLowerCase() === "gae" ? "ppo" : value.toLowerCase());

export function verlRules(config: Config): FrameworkRule[] {
  const mini = config.textAt("actor_rollout_ref.actor.ppo_mini_batch_size");
  const dynamic = config.truth("actor_rollout_ref.actor.use_dynamic_bsz") === true;
  return [
    rules.promptsAtLeast("verl-mini-batch", `train_batch_size must be at least ppo_mini_batch_size (${mini ?? "256"})`, toNumber(mini ?? null) ?? null),
    ...(dynamic ? [] : [rules.rolloutsDivideBy("verl-gpus", "train_batch_size × rollout.n must divide by the GPUs", ({ gpus }) => gpus)]),
  ];
}

export const verl: Framework = {
  id: "verl",
  name: "verl",
  url: "https://verl.readthedocs.io/en/latest/examples/config.html",
  detect: (config) => {
    if (/verl\.(trainer|experimental)\.|recipe\./.test(config.variant.command?.target ?? "")) return 0.8;
    return config.has("actor_rollout_ref") ? 0.7 : 0;
  },
  fragment: (config) => config.syntax === "yaml" && !config.has("defaults") && !(config.has("data.train_batch_size") && config.has("actor_rollout_ref")),
  responseScope: "trajectory",
  lastPartialBatch: "dropped",
  fields: {
    model: { read: first(text("actor_rollout_ref.model.path"), byDefault("~/models/deepseek-llm-7b-chat", "verl/trainer/config/model/hf_model.yaml")), help: "The policy that is trained." },
    promptsPerStep: {
      unit: "prompts per step",
      help: "Prompts (tasks) per step, before each is rolled out `rollout.n` times: the step has train_batch_size × rollout.n trajectories. `ppo_mini_batch_size` also counts prompts.",
      read: first(number("data.train_batch_size"), byDefault(1024, "verl/trainer/config/data/legacy_data.yaml")),
    },
    groupSize: { unit: "rollouts per prompt", help: groupHelp("Rollouts of each prompt. `val_kwargs.n` is for validation only."), read: first(number(`${ROLLOUT}.n`), byDefault(1, "verl/trainer/config/rollout/rollout.yaml")) },
    steps: { unit: "steps", help: "Ends the run after so many steps, whatever `total_epochs` says.", read: number("trainer.total_training_steps") },
    epochs: { unit: "passes over the data", help: "Passes over the training data. `ppo_epochs` is something else: updates per batch.", read: first(number("trainer.total_epochs"), byDefault(30, TRAINER)) },
    tasks: { unit: "rows", help: "At most so many rows of the training files are used (-1: all).", read: number("data.train_max_samples", { unless: (value) => value < 0 }) },
    environments: {
      help: "Tools, an interaction or an agent loop make one environment; otherwise each `data_source` of the rows is one.",
      read: first(one([`${ROLLOUT}.multi_turn.tool_config_path`, `${ROLLOUT}.multi_turn.interaction_config_path`, `${ROLLOUT}.agent.agent_loop_config_path`]), mapped(count("data.train_files"), (files) => (files === 1 ? 1 : undefined), "one dataset")),
    },
    maxPromptTokens: { unit: "tokens", help: "Longest prompt.", read: first(number("data.max_prompt_length"), byDefault(512, "verl/trainer/config/data/legacy_data.yaml")) },
    maxResponseTokens: { unit: "tokens per trajectory", help: "Longest response: the whole trajectory, all turns and tool results together.", read: first(number("data.max_response_length"), byDefault(512, "verl/trainer/config/data/legacy_data.yaml")) },
    maxTurns: { unit: "assistant turns", help: "Most assistant turns in a trajectory.", read: first(number(`${ROLLOUT}.multi_turn.max_assistant_turns`), number(`${ROLLOUT}.multi_turn.max_user_turns`)) },
    gpus: { unit: "GPUs", help: "Nodes × GPUs per node.", read: times(first(number("trainer.nnodes"), byDefault(1, TRAINER)), first(number("trainer.n_gpus_per_node"), byDefault(8, TRAINER))) },
    algorithm: { help: "The advantage estimator (gae: PPO with a critic).", read: first(mapped(text("algorithm.adv_estimator"), verlAlgorithm), byDefault("ppo", `${TRAINER} (gae)`)) },
  },
  trainFiles: (config) => itemsOf(config.peek("data.train_files")?.node).flatMap((node) => (node.kind === "scalar" && node.value !== null ? [{ path: String(node.value) }] : [])),
  knobs: {
    duration: [
      { paths: ["trainer.total_training_steps"], counts: "steps" },
      { paths: ["trainer.total_epochs"], counts: "epochs" },
    ],
    groupSize: { paths: [`${ROLLOUT}.n`] },
    taskLimit: { paths: ["data.train_max_samples"] },
  },
  rules: verlRules,
};
