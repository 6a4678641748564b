import { openrlhfCost } from "./cost/others";
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
  plus,
  type Read,
  rules,
  text,
  times,
} from "./reading/read";

const CLI = "openrlhf/cli/train_ppo_ray.py";

/** The dotted flag, then the plain one of versions before 2026-04. */
const flag = (dotted: string, ...plain: readonly string[]): readonly string[] => [
  `--${dotted}`,
  ...plain.map((name) => `--${name}`),
];

const groupSize = first(number(flag("rollout.n_samples_per_prompt", "n_samples_per_prompt")), byDefault(1, CLI));
const agent = (config: Config): boolean =>
  flag("train.agent_func_path", "agent_func_path").some((path) => config.has(path));
const on = (config: Config, paths: readonly string[]): boolean => paths.some((path) => config.truth(path) === true);

const estimator: Read<string> = first(
  text(flag("algo.advantage.estimator", "advantage_estimator")),
  byDefault("gae", CLI),
);

/** The names that users know: gae is PPO with a critic, group_norm is GRPO. */
const ALGORITHMS: Readonly<Record<string, string>> = { gae: "ppo", group_norm: "grpo" };

function model(name: string): Read<number> {
  const nodes = first(number(flag(`${name}.num_nodes`, `${name}_num_nodes`)), byDefault(1, CLI));
  return times(nodes, first(number(flag(`${name}.num_gpus_per_node`, `${name}_num_gpus_per_node`)), byDefault(8, CLI)));
}

const engines: Read<number> = first(
  times(
    number(flag("vllm.num_engines", "vllm_num_engines")),
    first(number(flag("vllm.tensor_parallel_size", "vllm_tensor_parallel_size")), byDefault(1, CLI)),
  ),
  () => known(0, "default", { note: "no vLLM engines" }),
);

/** GPUs by who shares them: everything colocated takes the actor's; generation is apart when it runs asynchronously. */
const gpus: Read<number> = (config) => {
  const together = on(config, flag("train.colocate_all", "colocate_all_models"));
  const apart = on(config, flag("train.async_enable", "async_train"));
  if (together) return apart ? plus(model("actor"), engines)(config) : model("actor")(config);
  const algorithm = estimator(config);
  const kl = first(number(flag("algo.kl.init_coef", "init_kl_coef")), byDefault(0.01, CLI))(config);
  if (!algorithm || !isKnown(algorithm) || !kl || !isKnown(kl)) return undefined;
  const critic = algorithm.value === "gae";
  const reward = !agent(config) && !flag("reward.remote_url", "remote_rm_url").some((path) => config.has(path));
  const parts = [model("actor"), engines];
  if (kl.value > 0 && !on(config, flag("train.colocate_actor_ref", "colocate_actor_ref"))) parts.push(model("ref"));
  if (critic) parts.push(model("critic"));
  if (reward && !(critic && on(config, flag("train.colocate_critic_reward", "colocate_critic_reward"))))
    parts.push(model("reward"));
  return plus(...parts)(config);
};

export const openrlhf: Framework = {
  id: "openrlhf",
  name: "OpenRLHF",
  docs: { url: "https://openrlhf.readthedocs.io/en/latest/rl.html", formats: ["shell"] },
  signs: {
    words: { data: ["\\bn_samples_per_prompt\\b"], shell: ["\\bopen_?rlhf\\b", "\\brollout[-_.]batch[-_]size\\b"] },
    metrics: [{ glob: "eval/eval_*_pass1", on: "evaluation", tells: "success" }],
  },
  detect: (config) => {
    const target = config.variant.command?.target ?? "";
    if (/openrlhf[./]cli[./]train_ppo/.test(target)) return 0.95;
    if (/openrlhf[./]cli[./]/.test(target)) return 0;
    if (
      config.has("--rollout.n_samples_per_prompt") ||
      (config.has("--rollout.batch_size") && config.has("--actor.model_name_or_path"))
    )
      return 0.85;
    return config.has("--rollout_batch_size") && config.has("--micro_rollout_batch_size") && config.has("--pretrain")
      ? 0.8
      : 0;
  },
  cost: openrlhfCost,
  responseScope: "trajectory",
  lastPartialBatch: "dropped",
  fields: {
    model: { read: text(flag("actor.model_name_or_path", "pretrain")), help: "The policy that is trained." },
    promptsPerStep: {
      unit: "prompts per step",
      help: "`rollout.batch_size` counts **prompts**; each is rolled out `rollout.n_samples_per_prompt` times. `train.batch_size` counts **samples** of one update.",
      read: first(number(flag("rollout.batch_size", "rollout_batch_size")), byDefault(1024, CLI)),
    },
    groupSize: { unit: "rollouts per prompt", help: groupHelp("Samples of each prompt."), read: groupSize },
    epochs: {
      unit: "passes over the data",
      help: "`train.num_episodes` are the passes over the prompts. `train.max_epochs` is something else: updates per batch of rollouts.",
      read: first(number(flag("train.num_episodes", "num_episodes")), byDefault(1, CLI)),
    },
    tasks: {
      unit: "prompts",
      help: "`data.max_samples` is the most prompts that are used; the dataset may have fewer.",
      read: () => undefined,
      otherwise: "the rows of the dataset are not in the file: max_samples only caps them",
    },
    environments: {
      help: "An agent function is one environment; otherwise the prompts with their reward are.",
      read: (config) => {
        const found = flag("train.agent_func_path", "agent_func_path")
          .map((path) => config.find(path))
          .find((one) => one !== undefined);
        if (found) return known(1, "config", { span: found.node.span, note: "one agent function" });
        return flag("data.prompt_dataset", "prompt_data").some((path) => config.has(path))
          ? assumedOne("one reward over the prompts")
          : undefined;
      },
    },
    maxPromptTokens: {
      unit: "tokens",
      help: "Longest prompt (older flags); newer ones limit the whole sequence (`data.max_len`).",
      read: first(number("--prompt_max_len"), (config) =>
        config.has("--prompt_data") ? byDefault(1024, CLI)(config) : undefined,
      ),
      otherwise: "only the whole sequence is limited (data.max_len)",
    },
    maxResponseTokens: {
      unit: "tokens per rollout",
      help: "Most generated tokens; unset, what the sequence length leaves.",
      read: first(number(flag("rollout.max_new_tokens", "generate_max_len")), (config) =>
        config.has("--prompt_data") ? byDefault(1024, CLI)(config) : undefined,
      ),
      otherwise: "`rollout.max_new_tokens` is not set: what data.max_len leaves of each prompt",
    },
    maxTurns: {
      help: "The agent function decides.",
      read: (config) =>
        agent(config)
          ? unknown("the agent function decides when a trajectory ends")
          : known(1, "derived", { note: "no agent function" }),
    },
    gpus: {
      unit: "GPUs",
      help: "GPUs of actor, reference, critic, reward model and engines, by what is colocated.",
      read: gpus,
    },
    algorithm: {
      help: "The advantage estimator (gae: PPO with a critic; group_norm: GRPO).",
      read: mapped(estimator, (name) => ALGORITHMS[name] ?? name),
    },
  },
  trainFiles: (config) => {
    const path = flag("data.prompt_dataset", "prompt_data")
      .map((one) => config.textAt(one))
      .find((one) => one !== undefined);
    return path !== undefined && /\.(jsonl?|parquet|csv)$/.test(path) && !path.includes(",") ? [{ path }] : [];
  },
  knobs: {
    duration: [{ paths: flag("train.num_episodes", "num_episodes"), counts: "epochs" }],
    groupSize: { paths: flag("rollout.n_samples_per_prompt", "n_samples_per_prompt") },
    taskLimit: { paths: flag("data.max_samples", "max_samples") },
  },
  rules: (config) => {
    const name = estimator(config);
    const grouped =
      name && isKnown(name) && ["rloo", "reinforce_baseline", "group_norm", "dr_grpo"].includes(name.value);
    return grouped
      ? [{ ...rules.groupAtLeastTwo(`n_samples_per_prompt must be above 1 for ${name.value}`), id: "openrlhf-group" }]
      : [];
  },
};
