import { isKnown, known } from "../budget/budget";
import {
  combined,
  type Config,
  type Framework,
  groupHelp,
  itemsOf,
  mapped,
  number,
  oneSet,
  rules,
  text,
} from "./reading/read";

const EVALUATION = /eval/;
const model = ["rollout.model.model_path", "actor.model.model_path", "actor.checkpoint_load_path"];

/** The reasoning and agent runners. Embodied ones count environment steps, not prompts, and are left out. */
export const rlinf: Framework = {
  id: "rlinf",
  name: "RLinf",
  docs: { url: "https://rlinf.readthedocs.io", formats: ["Hydra YAML"] },
  signs: {
    words: { data: ["\\bcomponent_placement\\b", "\\brollout_batch_size\\b"] },
    metrics: [{ glob: "rollout/rewards", on: "training", tells: "reward" }],
  },
  detect: (config) => {
    const kind = config.textAt("runner.task_type") ?? "";
    if (
      EVALUATION.test(kind) ||
      /sft|embodied|offline/.test(kind) ||
      config.truth("runner.only_eval") === true ||
      config.truth("eval") === true
    )
      return 0;
    return config.has("algorithm.group_size") && config.has("data.rollout_batch_size") && config.has("runner")
      ? 0.85
      : 0;
  },
  fragment: (config) => !config.has("runner.max_epochs"),
  // What an agent loop reads from its tools, or another program drives, is not within the limit of one answer.
  responseScope: (config) => (isAgent(config) ? null : "trajectory"),
  lastPartialBatch: "dropped",
  fields: {
    model: { help: "The policy that is trained.", read: text(model) },
    promptsPerStep: {
      unit: "prompts per step",
      help: "Prompts per step, before each is rolled out `group_size` times. `rollout_batch_size_per_gpu` only cuts the generation into parts.",
      read: number("data.rollout_batch_size"),
    },
    groupSize: {
      unit: "rollouts per prompt",
      help: groupHelp("Rollouts of each prompt."),
      read: number("algorithm.group_size"),
    },
    steps: {
      unit: "steps",
      help: "Ends the run where it is not -1.",
      read: number("runner.max_steps", { unless: (steps) => steps < 0 }),
    },
    epochs: { unit: "passes over the data", help: "Passes over the data.", read: number("runner.max_epochs") },
    environments: {
      unit: "environments",
      help: "The training set with its reward or tools is one environment.",
      read: oneSet("data.train_data_paths"),
    },
    maxPromptTokens: { unit: "tokens", help: "Longest prompt.", read: number("data.max_prompt_length") },
    maxResponseTokens: {
      unit: "tokens per rollout",
      help: "`max_new_tokens`, else what the whole sequence leaves besides the prompt.",
      read: (config) => {
        const stated = number("algorithm.sampling_params.max_new_tokens")(config);
        return stated && isKnown(stated) ? stated : left(config);
      },
    },
    maxTurns: {
      unit: "turns",
      help: "Most turns of the agent loop.",
      read: number(["agentloop.max_turns", "agentloop.max_assistant_turns"]),
      otherwise: "no agent loop is set",
    },
    gpus: {
      unit: "GPUs",
      help: "GPUs that components are placed on, where their numbers are listed.",
      read: placed,
      otherwise: "the placement is `all`: the cluster decides",
    },
    algorithm: {
      help: "The advantage estimator; `gae` is PPO with a critic.",
      read: mapped(text("algorithm.adv_type"), (value) =>
        value === "gae"
          ? "ppo"
          : value.startsWith("grpo")
            ? "grpo"
            : value === "reinpp"
              ? "reinforce_plus_plus"
              : undefined,
      ),
    },
  },
  trainFiles: (config) =>
    itemsOf(config.peek("data.train_data_paths")?.node).flatMap((node) =>
      node.kind === "scalar" && typeof node.value === "string" ? [{ path: node.value }] : [],
    ),
  knobs: {
    duration: [
      {
        paths: ["runner.max_steps"],
        counts: "steps",
        when: (config) => number("runner.max_steps", { unless: (steps) => steps < 0 })(config) !== undefined,
      },
      { paths: ["runner.max_epochs"], counts: "epochs" },
    ],
    groupSize: { paths: ["algorithm.group_size"] },
  },
  rules: (config) =>
    /grpo/.test(config.textAt("algorithm.adv_type") ?? "")
      ? [rules.groupAtLeastTwo("GRPO compares rollouts of a prompt: `algorithm.group_size` must be at least 2")]
      : [],
};

const left = combined(
  [number("runner.seq_length"), number("data.max_prompt_length")],
  ([all, prompt]) => all - prompt,
  " − ",
);

function isAgent(config: Config): boolean {
  const loop = config.peek("agentloop")?.node;
  return (loop?.kind === "map" && loop.entries.length > 0) || config.has("tools") || config.has("agentlightning");
}

/** `actor,rollout: 0-7`: the highest number that any component stands on; `all` says none. */
function placed(config: Config) {
  const node = config.peek("cluster.component_placement")?.node;
  if (node?.kind !== "map" || node.entries.length === 0) return undefined;
  let most = -1;
  for (const { value } of node.entries) {
    const range = value.kind === "scalar" ? /^(?:\d+-)?(\d+)$/.exec(String(value.value)) : null;
    if (!range) return undefined;
    most = Math.max(most, Number(range[1]));
  }
  return known(most + 1, "config", { span: node.span, note: "numbers in `cluster.component_placement`" });
}
