import { isObject, type JsonObject, toNumber } from "../records/json";

/** One rollout, in the terms of the model, as a row of a dump tells it. Undefined: the row does not say. */
export interface Rollout {
  readonly taskId?: string;
  readonly taskText?: string;
  readonly group?: string;
  readonly step?: number;
  readonly environmentId?: string;
  readonly world?: string;
  readonly tools?: unknown;
  readonly state?: unknown;
  readonly transitions?: unknown;
  readonly verifier?: unknown;
  readonly reward?: number;
  /** Stated, not derived from the reward. */
  readonly success?: boolean;
  /** Steps in the environment. */
  readonly turns?: number;
  /** Steps that carry a graded reward. */
  readonly gradedTurns?: number;
  readonly embedding?: Float32Array;
  readonly synthetic: { readonly tasks?: Origin; readonly environments?: Origin; readonly trajectories?: Origin };
}

export interface Origin {
  readonly synthetic: boolean;
  readonly method?: string;
}

/** Our field names and where dumps write them, the best first. */
export const ROLLOUT_NAMES = {
  task_id: ["task_id", "taskId", "example_id", "instance_id", "problem_id", "prompt_id", "question_id", "data_id"],
  task: [
    "task_text",
    "task_description",
    "instruction",
    "question",
    "problem",
    "query",
    "goal",
    "prompt",
    "input_prompt",
    "prompts",
    "input",
    "task",
    "messages",
    "task_instruction",
  ],
  group: ["uid", "group_id", "group_idx", "group"],
  step: ["step", "global_step", "training_step", "iteration"],
  environment: [
    "environment_id",
    "environment",
    "env_id",
    "env",
    "env_name",
    "environment_name",
    "env_class",
    "data_source",
  ],
  world: ["world", "world_id", "repo", "repository", "app", "site", "website", "database", "corpus"],
  tools: ["tools", "tool_schemas", "tool_schema", "available_tools", "functions", "tools_used_schema"],
  state: ["state_schema", "state", "environment_state", "initial_state"],
  transitions: ["transitions", "dynamics", "env_type"],
  verifier: ["verifier", "verifier_schema", "verifier_interface", "reward_fn", "checker", "rubric"],
  reward: ["reward", "score", "total_reward", "final_reward", "scores", "reward_score", "acc", "accuracy"],
  success: ["success", "solved", "is_correct", "correct", "passed", "resolved"],
  rewards: ["step_rewards", "turn_rewards", "rewards_per_step", "per_step_rewards", "process_rewards", "rewards"],
  turns: ["num_turns", "n_turns", "turns", "num_steps", "n_steps", "episode_length", "steps"],
  trajectory: [
    "trajectory",
    "steps",
    "turns",
    "transitions_list",
    "completion",
    "messages",
    "conversation",
    "transcript",
    "traj",
  ],
  embedding: ["embedding", "task_embedding", "embeddings"],
} as const;
export type RolloutField = keyof typeof ROLLOUT_NAMES;

/** Reads rows of rollout dumps; `mapping` gives the file's name of a field of ours. */
export class RolloutFields {
  readonly #mapping: Readonly<Record<string, string>>;

  constructor(mapping: Readonly<Record<string, string>> = {}) {
    this.#mapping = mapping;
  }

  read(row: JsonObject): Rollout {
    const info = isObject(row.info) ? row.info : undefined;
    const at = (field: RolloutField): unknown => {
      const mapped = this.#mapping[field];
      if (mapped !== undefined) return row[mapped] ?? undefined;
      for (const name of ROLLOUT_NAMES[field]) {
        const value = row[name] ?? info?.[name];
        if (value !== undefined && value !== null) return value;
      }
      return undefined;
    };
    const trajectory = at("trajectory");
    const rewards = stepRewards(at("rewards"), trajectory);
    const turns = turnsOf(at("turns"), trajectory, rewards);
    const reward = rewardOf(row, at("reward"), rewards);
    // prime-rl's traces number examples within an environment, which they call the task.
    const primeRl =
      "example_id" in row && typeof row.task === "string" && "prompt" in row && this.#mapping.task_id === undefined;
    return {
      taskId: primeRl ? `${row.task as string}/${label(row.example_id) ?? ""}` : label(at("task_id")),
      taskText: textOf(at("task")),
      group: label(at("group")),
      step: toNumber(at("step")),
      environmentId: label(at("environment")) ?? (primeRl ? (row.task as string) : undefined),
      world: label(at("world")),
      tools: at("tools"),
      state: at("state"),
      transitions: at("transitions"),
      verifier: at("verifier"),
      reward: reward !== undefined && Number.isFinite(reward) ? reward : undefined,
      success: truth(at("success")),
      turns,
      gradedTurns: turns === undefined ? undefined : gradedOf(rewards, reward),
      embedding: vector(at("embedding")),
      synthetic: {
        tasks: originOf(row, "task", "tasks"),
        environments: originOf(row, "environment", "environments"),
        trajectories: originOf(row, "trajectory", "trajectories"),
      },
    };
  }
}

function label(value: unknown): string | undefined {
  if (typeof value === "string") return value === "" ? undefined : value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (isObject(value)) return label(value.id ?? value.name);
  return undefined;
}

/** The column of a row that says a field of ours, by the names that dumps have for it. */
export function columnOf(row: JsonObject, field: RolloutField): string | undefined {
  return ROLLOUT_NAMES[field].find((name) => row[name] !== undefined && row[name] !== null);
}

/** A text, or the first user message of a conversation. */
function textOf(value: unknown): string | undefined {
  if (typeof value === "string") return value === "" ? undefined : value;
  if (Array.isArray(value)) {
    const messages = value.filter(isObject);
    const message = messages.find(({ role }) => role === "user") ?? messages[0];
    return message ? textOf(message.content) : typeof value[0] === "string" ? textOf(value[0]) : undefined;
  }
  if (isObject(value)) return textOf(value.text ?? value.content ?? value.instruction ?? value.description);
  return undefined;
}

function truth(value: unknown): boolean | undefined {
  if (typeof value === "boolean") return value;
  if (typeof value === "string" && /^\s*(true|false)\s*$/i.test(value)) return /true/i.test(value);
  const number = toNumber(value);
  return number === 0 ? false : number === 1 ? true : undefined;
}

function vector(value: unknown): Float32Array | undefined {
  return Array.isArray(value) && value.length > 1 && value.every((item) => typeof item === "number")
    ? Float32Array.from(value)
    : undefined;
}

/** Rewards per step: a list of their own, or a `reward` in each step of the trajectory. */
function stepRewards(value: unknown, trajectory: unknown): (number | null)[] | undefined {
  if (Array.isArray(value) && value.length > 0 && value.every((item) => item === null || typeof item === "number"))
    return value as (number | null)[];
  if (!Array.isArray(trajectory)) return undefined;
  const steps = trajectory.filter(isObject).filter((step) => "reward" in step || "step_reward" in step);
  if (steps.length === 0) return undefined;
  return steps.map((step) => toNumber(step.reward ?? step.step_reward) ?? null);
}

function turnsOf(value: unknown, trajectory: unknown, rewards: readonly unknown[] | undefined): number | undefined {
  const stated = Array.isArray(value) ? value.length : toNumber(value);
  if (stated !== undefined && stated > 0 && Number.isFinite(stated)) return stated;
  if (rewards) return rewards.length;
  if (!Array.isArray(trajectory)) return undefined;
  const messages = trajectory.filter(isObject);
  if (messages.length === 0) return undefined;
  const roles = messages.some((message) => "role" in message);
  const own = roles ? messages.filter(({ role }) => role === "assistant").length : messages.length;
  return own > 0 ? own : undefined;
}

/** Steps that carry a graded reward. In lists with nulls those that are not null; otherwise 0 is "not graded", but at the end. */
function gradedOf(rewards: readonly (number | null)[] | undefined, reward: number | undefined): number | undefined {
  if (!rewards) return reward === undefined ? undefined : 1;
  // Steps that carry none at all, and a reward of the whole: it came at the end.
  if (rewards.includes(null))
    return rewards.filter((each) => each !== null).length || (reward === undefined ? undefined : 1);
  return rewards.filter((each, i) => each !== 0 || i === rewards.length - 1).length;
}

function rewardOf(
  row: JsonObject,
  value: unknown,
  rewards: readonly (number | null)[] | undefined,
): number | undefined {
  const stated = Array.isArray(value) ? undefined : toNumber(value);
  if (stated !== undefined) return stated;
  // A list of rewards (per step, or per token with zeros before the end) adds up.
  if (Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === "number"))
    return (value as number[]).reduce((sum, each) => sum + each, 0);
  if (rewards) return rewards.reduce<number>((sum, each) => sum + (each ?? 0), 0);
  // TRL writes one column per reward function, named as the function is.
  const own = Object.keys(row).filter((key) => /(reward|accuracy|correct)/i.test(key) && typeof row[key] === "number");
  return own.length > 0 ? own.reduce((sum, key) => sum + (row[key] as number), 0) / own.length : undefined;
}

/** `task_synthetic: true`, `tasks_method: "self-instruct"`, `task_source: "real"`. */
function originOf(row: JsonObject, one: string, many: string): Origin | undefined {
  const flag =
    row[`${one}_synthetic`] ??
    row[`${many}_synthetic`] ??
    (isObject(row.synthetic) ? (row.synthetic[one] ?? row.synthetic[many]) : undefined);
  const method = label(row[`${one}_method`] ?? row[`${many}_method`]);
  const source = label(row[`${one}_source`] ?? row[`${many}_source`]);
  if (typeof flag === "boolean" || flag === 0 || flag === 1)
    return { synthetic: Boolean(flag), ...(flag && method ? { method } : {}) };
  if (typeof flag === "string" && flag !== "") return { synthetic: true, method: flag };
  if (source !== undefined && /^(real|human|synthetic|generated)$/i.test(source))
    return { synthetic: /^(synthetic|generated)$/i.test(source), ...(method ? { method } : {}) };
  return method !== undefined ? { synthetic: !/^(real|human|none)$/i.test(method), method } : undefined;
}
