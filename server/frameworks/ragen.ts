import { verlCost } from "./cost/verl";
import type { FrameworkRule } from "../budget/budget";
import {
  because,
  byDefault,
  constant,
  count,
  first,
  groupHelp,
  itemsOf,
  mapped,
  number,
  text,
  times,
  toNumber,
  type Config,
  type Framework,
} from "./reading/read";
import { algorithmName } from "./verl";

const BASE = "config/base.yaml";
const TRAIN = "es_manager.train";

function partition(config: Config): number[] | undefined {
  const items = itemsOf(config.peek(`${TRAIN}.env_configs.n_groups`)?.node).map((item) =>
    item.kind === "scalar" ? toNumber(item.value) : undefined,
  );
  return items.length > 0 && items.every((value) => value !== undefined)
    ? items.filter((value) => value !== undefined)
    : undefined;
}

/** Keys of a launch that no other framework on verl has. */
const OWN_KEYS = [
  "system.CUDA_VISIBLE_DEVICES",
  "es_manager",
  "agent_proxy",
  "custom_envs",
  ...["strategy", "value", "type", "metric"].map((name) => `actor_rollout_ref.rollout.rollout_filter_${name}`),
];

/** `defaults: [base]` beside verl's search path and nothing else of note: a run of RAGEN's base as it is. */
function isBareChild(config: Config): boolean {
  const bases = itemsOf(config.peek("defaults")?.node).map((item) => (item.kind === "scalar" ? item.value : ""));
  const search = itemsOf(config.peek("hydra.searchpath")?.node).map((item) =>
    item.kind === "scalar" ? String(item.value) : "",
  );
  return (
    bases.length === 1 &&
    bases[0] === "base" &&
    search.includes("pkg://verl.trainer.config") &&
    config.variant.root.entries.every((entry) => /^(defaults|hydra|trainer|es_manager)$/.test(entry.key))
  );
}

/** A script starts from a config that is not here; only these two add nothing to the base that is known. */
function hidesBase(config: Config): boolean {
  return (
    config.variant.missingBases !== undefined &&
    !/^_(2_sokoban|3_frozen_lake)(\.ya?ml)?$/.test(config.textAt("--config-name") ?? "")
  );
}

export const ragen: Framework = {
  id: "ragen",
  name: "RAGEN",
  docs: { url: "https://ragen-doc.readthedocs.io", formats: ["Hydra YAML", "shell"] },
  signs: {
    words: { data: ["\\bes_manager\\b", "\\bagent_proxy\\b"], shell: ["\\bes_manager\\.", "\\bragen\\b"] },
    metrics: [
      { glob: "val-env/*/success", on: "evaluation", tells: "success" },
      { glob: "val-env/*/pass@1", on: "evaluation", tells: "success" },
      { glob: "*/success", on: "training", tells: "success" },
      { glob: "critic/score/mean", on: "training", tells: "score" },
    ],
  },
  detect: (config) => {
    // Evaluations share the keys but train nothing.
    if (
      /eval|agent_proxy|rollout/.test(config.variant.command?.target ?? "") ||
      config.textAt("trainer.total_training_steps") === "0" ||
      config.truth("trainer.val_only") === true ||
      config.has("output.dir") ||
      (config.has("es_manager.val") && !config.has("es_manager.train"))
    )
      return 0;
    if (config.variant.command !== null && OWN_KEYS.some((path) => config.has(path))) return 0.85;
    if (config.has(`${TRAIN}`) || config.has("es_manager.train.env_groups")) return 0.9;
    if (config.has("es_manager") && config.has("actor_rollout_ref")) return 0.85;
    if (isBareChild(config)) return 0.6;
    return config.has("agent_proxy") && (config.has("es_manager") || config.has("model_path") || config.has("defaults"))
      ? 0.85
      : 0;
  },
  fragment: (config) =>
    config.variant.command === null ? !config.has("defaults") && !config.has("model_path") : hidesBase(config),
  cost: verlCost,
  responseScope: "turn",
  fields: {
    model: {
      help: "The policy (`model_path`).",
      read: first(
        text("model_path"),
        text("actor_rollout_ref.model.path"),
        byDefault("Qwen/Qwen2.5-3B-Instruct", BASE),
      ),
    },
    promptsPerStep: {
      unit: "tasks (environment groups) per step",
      help: "Groups of environments per step: each group starts from its own seed, so it is one task. A step has env_groups × group_size trajectories.",
      read: first(number(`${TRAIN}.env_groups`), byDefault(8, BASE)),
    },
    groupSize: {
      unit: "rollouts per task",
      help: groupHelp(
        "Environments in a group: rollouts from the same seed. The group size of `es_manager.val` is for validation.",
      ),
      read: first(number(`${TRAIN}.group_size`), byDefault(16, BASE)),
    },
    steps: {
      unit: "steps",
      help: "RAGEN counts steps only: tasks are drawn from seeds without end.",
      read: first(number("trainer.total_training_steps"), byDefault(200, BASE)),
    },
    epochs: {
      help: "RAGEN has no epochs.",
      otherwise: "RAGEN counts steps, not epochs",
      read: because("RAGEN counts steps, not epochs"),
    },
    tasks: {
      help: "Tasks are made from seeds (`seed.train`): about env_groups × steps different ones.",
      read: because("tasks are made from seeds, about environment groups × steps of them; the config has no list"),
    },
    environments: {
      unit: "environments",
      help: "Tags of environments; `n_groups` says how many groups each gets.",
      read: first(count(`${TRAIN}.env_configs.tags`), byDefault(1, BASE)),
    },
    maxPromptTokens: {
      help: "The prompt has no limit of its own: `rollout.prompt_length` is unused.",
      otherwise: "the prompt has no limit of its own; only `max_model_len` bounds the context",
      read: number("data.max_prompt_length"),
    },
    maxResponseTokens: {
      unit: "tokens per turn",
      help: "Longest reply of **one turn**.",
      read: first(number("actor_rollout_ref.rollout.response_length"), byDefault(400, BASE)),
    },
    maxTurns: {
      unit: "turns",
      help: "Most turns in a trajectory; each may hold `max_actions_per_turn` actions.",
      read: first(number("agent_proxy.max_turn"), byDefault(5, BASE)),
    },
    gpus: {
      unit: "GPUs",
      help: "Nodes × GPUs per node.",
      read: times(
        first(number("trainer.nnodes"), constant(1, "one node unless stated")),
        first(number("trainer.n_gpus_per_node"), byDefault(1, BASE)),
      ),
    },
    algorithm: {
      help: "The advantage estimator; `gae` is PPO with a critic.",
      read: first(mapped(text("algorithm.adv_estimator"), algorithmName), byDefault("ppo", `${BASE} (gae)`)),
    },
  },
  knobs: {
    duration: [{ paths: ["trainer.total_training_steps"], counts: "steps" }],
    groupSize: { paths: [`${TRAIN}.group_size`] },
  },
  remainders: {
    tasks: "tasks are drawn from seeds: steps × environment groups of them are seen",
    environments: "add tags and their `n_groups` under `es_manager.train.env_configs`",
  },
  rules: (config): FrameworkRule[] => {
    const groups = partition(config);
    const total = groups?.reduce((a, b) => a + b, 0);
    return total === undefined
      ? []
      : [
          {
            id: "ragen-groups",
            code: "batch.indivisible",
            message: `\`n_groups\` adds up to ${total}; it must equal \`env_groups\``,
            holds: ({ promptsPerStep }) => (promptsPerStep === null ? null : promptsPerStep === total),
          },
        ];
  },
};
