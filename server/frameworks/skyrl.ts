import { skyrlCost } from "./cost/others";
import {
  because,
  byDefault,
  combined,
  type Config,
  first,
  type Framework,
  groupHelp,
  itemsOf,
  mapped,
  number,
  one,
  oneSet,
  type Read,
  rules,
  text,
  times,
  toNumber,
  when,
} from "./reading/read";

const SCHEMA = "skyrl/train/config/config.py";
const TINKER = "skyrl_agent/integrations/tinker/tinker_train.py";
/** SkyRL-Agent's own trainer on Tinker, with keys of its own. */
const onTinker = (config: Config): boolean =>
  /skyrl_agent[./]integrations[./]tinker\b/.test(config.variant.command?.target ?? "");
const isAgentFile = (config: Config): boolean =>
  config.variant.command === null && config.has("generator.num_trajectories");

const sized = (path: string, value: number): Read<number> => first(number(path), byDefault(value, SCHEMA));
const training = times(
  sized("trainer.placement.policy_num_gpus_per_node", 1),
  sized("trainer.placement.policy_num_nodes", 1),
);

/** Colocated engines share the trainer's GPUs; others come on top. */
const colocated = (config: Config): boolean =>
  config.truth("trainer.placement.colocate_all") !== false || config.truth("trainer.arctic_rl.colocate") === true;
const gpus = when(
  colocated,
  training,
  combined(
    [
      training,
      first(
        number(["generator.inference_engine.num_engines", "generator.num_inference_engines"]),
        byDefault(1, SCHEMA),
      ),
      first(
        number(["generator.inference_engine.tensor_parallel_size", "generator.inference_engine_tensor_parallel_size"]),
        byDefault(1, SCHEMA),
      ),
    ],
    ([policy, engines, parallel]) => policy + engines * parallel,
    ", ",
  ),
);

export const skyrl: Framework = {
  id: "skyrl",
  name: "SkyRL",
  docs: { url: "https://docs.skyrl.ai", formats: ["YAML", "shell", "Python"] },
  signs: {
    words: {
      data: ["\\bn_samples_per_prompt\\b", "\\bskyrl", "\\baccelerators\\s*:"],
      shell: ["\\bgenerator\\.n_samples_per_prompt\\b", "\\bskyrl"],
    },
    parts: [
      { key: "generator.task", under: "agent_task" },
      { key: "skyrl_agent.task_yaml", under: "agent_task" },
      { key: "skyrl_agent_task_yaml", under: "agent_task" },
    ],
    metrics: [
      { glob: "eval/all/pass_at_1", on: "evaluation", tells: "success" },
      { glob: "eval/*/pass_at_1", on: "evaluation", tells: "success" },
      { glob: "eval/all/avg_score", on: "evaluation", tells: "score" },
      { glob: "eval/*/avg_score", on: "evaluation", tells: "score" },
      { glob: "reward/avg_pass_at_*", on: "training", tells: "success" },
      { glob: "reward/avg_raw_reward", on: "training", tells: "reward" },
    ],
  },
  detect: (config) => {
    if (/skyrl.*(sft|\bserve$)/.test(config.variant.command?.target ?? "")) return 0;
    if (onTinker(config)) return 0.9;
    // Servers and generation runs share the keys of the model, but name no training data.
    const trains =
      config.has("data.train_data") || config.has("trainer.train_batch_size") || config.has("trainer.epochs");
    if (trains && (config.has("trainer.policy.model.path") || config.has("trainer.placement.policy_num_gpus_per_node")))
      return 0.9;
    if (trains && config.has("generator.n_samples_per_prompt")) return 0.85;
    if (trains && /(^|\.)skyrl(_train)?\./.test(config.variant.command?.target ?? "")) return 0.8;
    return config.has("agent_cls") && config.has("generator.num_trajectories") ? 0.85 : 0;
  },
  fragment: (config) => config.variant.command === null && !config.has("trainer.policy"),
  cost: skyrlCost,
  responseScope: "turn",
  lastPartialBatch: "dropped",
  fields: {
    model: {
      help: "The policy (`trainer.policy.model.path`).",
      read: when(
        onTinker,
        first(text("model_name"), byDefault("Qwen/Qwen3-32B", TINKER)),
        text("trainer.policy.model.path"),
      ),
    },
    promptsPerStep: {
      unit: "prompts per step",
      help: "Prompts per step; each is sampled `n_samples_per_prompt` times. `policy_mini_batch_size` counts prompts as well and must divide it.",
      read: when(
        onTinker,
        first(number("batch_size"), byDefault(64, TINKER)),
        first(number("trainer.train_batch_size"), byDefault(1024, SCHEMA)),
      ),
    },
    groupSize: {
      unit: "rollouts per prompt",
      help: groupHelp(
        "Samples of each prompt (`generator.n_samples_per_prompt`; in SkyRL-Agent's own file `generator.num_trajectories`). `eval_n_samples_per_prompt` is for evaluation.",
      ),
      read: when(
        onTinker,
        first(number("group_size"), byDefault(8, TINKER)),
        first(number("generator.n_samples_per_prompt"), number("generator.num_trajectories"), byDefault(5, SCHEMA)),
      ),
    },
    steps: {
      unit: "steps",
      help: "Stops after so many steps, whatever `epochs` says.",
      read: when(onTinker, first(number("max_steps"), byDefault(200, TINKER)), number("trainer.max_training_steps")),
    },
    epochs: {
      unit: "passes over the data",
      help: "Passes over the data. `update_epochs_per_batch` is something else: updates per batch.",
      read: when(
        onTinker,
        because("it goes on until `max_steps`"),
        first(number("trainer.epochs"), byDefault(1, SCHEMA)),
      ),
    },
    environments: {
      help: "The environment class; rows may name another one each.",
      read: first(one(["environment.env_class", "task", "agent_task.task"]), oneSet("data.train_data")),
    },
    maxPromptTokens: {
      unit: "tokens",
      help: "Longest initial prompt. `generator.max_input_length` bounds the conversation.",
      read: when(
        onTinker,
        first(number("agent_task.generator.max_prompt_length"), because("only the agent's own file says it")),
        first(number("trainer.max_prompt_length"), number("generator.max_prompt_length"), byDefault(512, SCHEMA)),
      ),
    },
    maxResponseTokens: {
      unit: "tokens per turn",
      help: "Longest reply of **one turn**.",
      read: when(
        onTinker,
        first(number("agent_task.generator.sampling_params.max_tokens"), because("only the agent's own file says it")),
        first(
          number(["generator.sampling_params.max_generate_length", "generator.sampling_params.max_tokens"]),
          byDefault(1024, SCHEMA),
        ),
      ),
    },
    maxTurns: {
      unit: "turns",
      help: "Most turns in a trajectory.",
      read: first(
        number("agent_task.generator.max_iterations"),
        number("terminal_bench_config.max_episodes"),
        number("generator.max_turns"),
        number("generator.max_iterations"),
        when(
          (config) => config.has("environment.env_class") && !config.has("generator.task"),
          byDefault(1, SCHEMA),
          because("a generator of its own decides on the turns"),
        ),
      ),
    },
    gpus: {
      unit: "GPUs",
      help: "GPUs of the policy; inference engines come on top unless they are colocated.",
      read: when(
        isAgentFile,
        because("not in this part of the config"),
        when(onTinker, because("Tinker trains on machines of its own"), gpus),
      ),
    },
    algorithm: {
      help: "The advantage estimator; `gae` is PPO with a critic.",
      read: first(
        when(onTinker, byDefault("grpo", TINKER)),
        mapped(text("trainer.algorithm.advantage_estimator"), (value) => (value === "gae" ? "ppo" : value)),
        byDefault("grpo", SCHEMA),
      ),
    },
  },
  trainFiles: (config) =>
    itemsOf(config.peek("data.train_data")?.node).flatMap((node) =>
      node.kind === "scalar" && typeof node.value === "string" ? [{ path: node.value }] : [],
    ),
  knobs: {
    duration: [
      { paths: ["trainer.max_training_steps"], counts: "steps" },
      { paths: ["max_steps"], counts: "steps" },
      { paths: ["trainer.epochs"], counts: "epochs" },
    ],
    groupSize: { paths: ["generator.n_samples_per_prompt", "generator.num_trajectories", "group_size"] },
  },
  remainders: {
    tasks: "the tasks are the rows of `data.train_data`: shorten or extend that file",
    environments: "`environment.env_class` names one environment; rows may name others in their `env_class`",
  },
  rules: (config) => [
    rules.promptsDivideBy(
      "skyrl-mini-batch",
      "`train_batch_size` must divide by `policy_mini_batch_size`",
      toNumber(config.textAt("trainer.policy_mini_batch_size") ?? null) ?? null,
    ),
    ...(/grpo|rloo/.test(config.textAt("trainer.algorithm.advantage_estimator") ?? "grpo") && !isAgentFile(config)
      ? [
          rules.groupAtLeastTwo(
            "group-relative advantages compare samples of the same prompt: `n_samples_per_prompt` must be at least 2",
          ),
        ]
      : []),
  ],
  groupSizeAlso: ["generator.num_trajectories", "agent_task.generator.num_trajectories"],
};
