import { rollCost } from "./cost/others";
import type { Fact, FrameworkRule } from "../budget/budget";
import { known, unknown } from "../budget/budget";
import {
  because,
  byDefault,
  count,
  first,
  groupHelp,
  itemsOf,
  keysOf,
  mapped,
  number,
  over,
  rules,
  text,
  toNumber,
  when,
  type Config,
  type Framework,
  type Read,
  type ShippedValues,
} from "./reading/read";

const SCHEMA = "roll/configs/base_config.py";
const ENVS = "examples/config/traj_envs.yaml";
const TRAIN = "train_env_manager";

const isAgentic = (config: Config): boolean => config.has(TRAIN);
const tags = (config: Config): string[] =>
  itemsOf(config.peek(`${TRAIN}.tags`)?.node).flatMap((node) => (node.kind === "scalar" ? [String(node.value)] : []));

/** Devices named by all roles: they may share them, so the union counts. */
function devices(): Read<number> {
  return (config): Fact<number> | undefined => {
    const used = new Set<number>();
    let stated = 0;
    const add = (path: string): string | undefined => {
      const node = config.find(path)?.node;
      if (!node) return undefined;
      stated++;
      if (node.kind === "list") {
        for (const item of node.items)
          if (item.kind === "scalar" && typeof item.value === "number") used.add(item.value);
          else return `\`${path}\` is not a list of numbers`;
        return undefined;
      }
      if (node.kind === "scalar" && (node.value === null || node.value === "")) return undefined;
      if (node.kind !== "scalar" || typeof node.value !== "string") return `\`${path}\` cannot be read`;
      const found = rangeOf(node.value);
      if (!found) return `\`${path}\` would have to be executed: ${node.value}`;
      for (const device of found) used.add(device);
      return undefined;
    };
    const roles = keysOf(config.variant.root).filter((key) => config.has(`${key}.device_mapping`));
    const rewards = keysOf(config.peek("rewards")?.node)
      .map((key) => `rewards.${key}`)
      .filter((path) => config.has(`${path}.device_mapping`));
    for (const role of [...roles, ...rewards]) {
      const problem = add(`${role}.device_mapping`);
      if (problem) return unknown(problem);
    }
    return stated === 0 || used.size === 0
      ? undefined
      : known(used.size, "config", { note: "distinct devices of all roles" });
  };
}

/** `list(range(0,8)) + list(range(12,16))`, `list([0,1])`, `[0,1]`. */
function rangeOf(text: string): number[] | undefined {
  const out: number[] = [];
  for (const part of text.split("+")) {
    const range = /^\s*list\(range\((?:(\d+)\s*,\s*)?(\d+)(?:\s*,\s*(\d+))?\)\)\s*$/.exec(part);
    const listed = /^\s*(?:list\()?\[([\d\s,]*)\]\)?\s*$/.exec(part);
    if (range) {
      const step = Number(range[3] ?? 1);
      if (step < 1 || Number(range[2]) > 100_000) return undefined;
      for (let device = Number(range[1] ?? 0); device < Number(range[2]); device += step) out.push(device);
    } else if (listed)
      out.push(
        ...listed[1]
          .split(",")
          .map((one) => one.trim())
          .filter((one) => one !== "")
          .map(Number),
      );
    else return undefined;
  }
  return out;
}

/** The tightest of several limits that hold together. */
function least(...reads: readonly Read<number>[]): Read<number> {
  return (config) => {
    const facts = reads.map((read) => read(config)).filter((fact) => fact !== undefined);
    const bad = facts.find((fact) => fact.value === null);
    if (bad) return bad;
    return facts.filter((fact) => fact.value !== null).sort((a, b) => (a.value ?? 0) - (b.value ?? 0))[0];
  };
}

/** A key of the training environments themselves; unknown where they differ. */
function ofEnvironments(key: string): Read<number> {
  return (config) => {
    const facts = tags(config)
      .map((tag) => number(`custom_envs.${tag}.${key}`)(config))
      .filter((fact) => fact !== undefined);
    if (facts.length === 0) return undefined;
    if (facts.some((fact) => fact.value !== facts[0].value))
      return unknown(
        `the training environments differ in \`${key}\`: ${facts.map((fact) => fact.value ?? "unknown").join(", ")}`,
      );
    return facts[0];
  };
}

const groupSize = first(number(`${TRAIN}.group_size`), byDefault(1, "roll/pipeline/agentic/agentic_config.py"));

export const roll: Framework = {
  id: "roll",
  name: "ROLL",
  docs: { url: "https://alibaba.github.io/ROLL/", formats: ["Hydra YAML"] },
  signs: {
    words: {
      data: [
        "\\btrain_env_manager\\b",
        "\\bnum_return_sequences_in_group\\b",
        "\\bactor_train\\b",
        "\\brollout_batch_size\\b",
      ],
    },
    metrics: [
      { glob: "val/score/mean", on: "evaluation", tells: "score" },
      { glob: "val/*/score/mean", on: "evaluation", tells: "score" },
      { glob: "env/*/success_rate", on: "training", tells: "success" },
      { glob: "env/*/success", on: "training", tells: "success" },
      { glob: "critic/score/mean", on: "training", tells: "score" },
    ],
  },
  detect: (config) => {
    if (config.has(TRAIN) && (config.has("pretrain") || config.has("actor_train"))) return 0.95;
    return config.has("rollout_batch_size") && config.has("actor_train") && config.has("actor_infer") ? 0.9 : 0;
  },
  fragment: (config) => !config.has("pretrain") && !config.has("actor_train.model_args.model_name_or_path"),
  shipped: (config): ShippedValues => {
    const bases = itemsOf(config.peek("defaults")?.node).map((node) =>
      node.kind === "scalar" ? String(node.value) : "",
    );
    return bases.some((base) => /(^|\/)traj_envs@/.test(base))
      ? { max_tokens_per_step: { value: 128, from: ENVS }, max_actions_per_traj: { value: 10, from: ENVS } }
      : {};
  },
  cost: rollCost,
  responseScope: (config) => (isAgentic(config) ? "turn" : "trajectory"),
  fields: {
    model: {
      help: "The policy (`pretrain`).",
      read: first(text("pretrain"), text("actor_train.model_args.model_name_or_path")),
    },
    promptsPerStep: {
      unit: "prompts per step",
      help: "In the RLVR pipeline `rollout_batch_size` counts **prompts**; in the agentic pipeline it counts **trajectories**, so tasks per step are rollout_batch_size / group_size.",
      read: when(
        isAgentic,
        over(first(number("rollout_batch_size", { unit: "trajectories per step" }), byDefault(128, SCHEMA)), groupSize),
        first(number("rollout_batch_size"), byDefault(128, SCHEMA)),
      ),
    },
    groupSize: {
      unit: "rollouts per task",
      help: groupHelp(
        "Rollouts of the same task: `train_env_manager.group_size`, or `num_return_sequences_in_group` in the RLVR pipeline. `val_env_manager` is for validation.",
      ),
      read: when(
        isAgentic,
        groupSize,
        first(
          number("num_return_sequences_in_group"),
          number("actor_infer.generating_args.num_return_sequences"),
          byDefault(1, SCHEMA),
        ),
      ),
    },
    steps: {
      unit: "steps",
      help: "ROLL counts steps (`max_steps`).",
      read: first(
        number("max_steps", { unless: (value) => value < 0 }),
        when((config) => !config.has("max_steps"), byDefault(500, SCHEMA)),
      ),
    },
    epochs: {
      help: "ROLL counts steps, not epochs; `ppo_epochs` are updates per batch.",
      otherwise: "ROLL counts `max_steps`, not epochs",
      read: because("ROLL counts `max_steps`, not epochs"),
    },
    environments: {
      unit: "environments",
      help: "Tags of training environments; `num_groups_partition` says how many groups each gets.",
      otherwise: "the RLVR pipeline has reward domains, not environments",
      read: when(isAgentic, count(`${TRAIN}.tags`)),
    },
    maxPromptTokens: {
      unit: "tokens",
      help: "Longest prompt (RLVR). The agentic pipeline has only `sequence_length`, for prompt and replies together.",
      otherwise: "only `sequence_length`, for prompt and replies together, is set",
      read: when((config) => !isAgentic(config), number("prompt_length")),
    },
    maxResponseTokens: {
      unit: "tokens",
      help: "Agentic: the reply of **one turn**, the smaller of `max_tokens_per_step` and `generating_args.max_new_tokens`. RLVR: the whole response.",
      read: when(
        isAgentic,
        least(
          number(`${TRAIN}.generating_args.max_new_tokens`),
          first(ofEnvironments("max_tokens_per_step"), number("max_tokens_per_step")),
        ),
        first(number("response_length"), number("actor_infer.generating_args.max_new_tokens")),
      ),
    },
    maxTurns: {
      unit: "actions",
      help: "Most actions (turns) in a trajectory.",
      read: when(isAgentic, first(ofEnvironments("max_steps"), number("max_actions_per_traj"))),
    },
    gpus: { unit: "GPUs", help: "Distinct devices of all roles (`device_mapping`).", read: devices() },
    algorithm: {
      help: "The advantage estimator; `gae` is PPO with a critic.",
      read: first(
        mapped(text("adv_estimator"), (value) => (value === "gae" ? "ppo" : value)),
        byDefault("ppo", `${SCHEMA} (gae)`),
      ),
    },
  },
  knobs: {
    duration: [{ paths: ["max_steps"], counts: "steps" }],
    groupSize: { paths: [`${TRAIN}.group_size`, "num_return_sequences_in_group"] },
    batch: { paths: ["rollout_batch_size"], counts: "rollouts", when: isAgentic },
  },
  remainders: {
    tasks: "tasks are drawn by the environments from seeds or their own data",
    environments: "add tags under `train_env_manager` and their share in `num_groups_partition`",
  },
  rules: (config): FrameworkRule[] => {
    const estimator = config.textAt("adv_estimator") ?? "";
    const own: FrameworkRule[] = /grpo|rloo|gigpo/.test(estimator)
      ? [
          rules.groupAtLeastTwo(
            `\`${estimator}\` compares rollouts of the same task: the group size must be at least 2`,
          ),
        ]
      : [];
    if (!isAgentic(config)) return own;
    const batch = toNumber(config.textAt("rollout_batch_size") ?? null);
    const groups = toNumber(config.textAt(`${TRAIN}.num_env_groups`) ?? null);
    const parts = itemsOf(config.peek(`${TRAIN}.num_groups_partition`)?.node)
      .map((node) => (node.kind === "scalar" ? toNumber(node.value) : undefined))
      .filter((value) => value !== undefined);
    const sum = parts.reduce((a, b) => a + b, 0);
    return [
      ...own,
      ...(batch === undefined
        ? []
        : [
            {
              id: "roll-group",
              code: "batch.indivisible" as const,
              message: `\`rollout_batch_size\` (${batch} trajectories) must divide by the group size`,
              holds: ({
                groupSize: size,
                promptsPerStep: prompts,
              }: {
                readonly groupSize: number | null;
                readonly promptsPerStep: number | null;
              }) => (size === null ? null : prompts === null ? batch % size === 0 : true),
            },
          ]),
      ...(groups === undefined || parts.length === 0
        ? []
        : [
            {
              id: "roll-partition",
              code: "batch.indivisible" as const,
              message: `\`num_groups_partition\` adds up to ${sum}; it must equal \`num_env_groups\` (${groups})`,
              holds: () => sum === groups,
            },
          ]),
    ];
  },
};
