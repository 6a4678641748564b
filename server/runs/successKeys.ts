import { TIMING_KEYS } from "./timingKeys";
import { FRAMEWORKS } from "../frameworks";
import type { Metric } from "../frameworks/sheet/sheet";

/** One place in which a success rate is written. Earlier entries win. */
export interface SuccessKey extends Metric {
  /** Ids of the frameworks whose sheets name it; empty: anyone's. */
  readonly frameworks: readonly string[];
}

const rate = (glob: string): Metric => ({ glob, on: "evaluation", tells: "success" });

/** Names that say by themselves what they are. */
const PLAIN: readonly Metric[] = [
  "success_rate",
  "eval/success_rate",
  "test/success_rate",
  "validation/success_rate",
  "eval_success_rate",
  "val_success_rate",
].map(rate);
const PLAIN_LAST: readonly Metric[] = [
  ...["eval_accuracy", "eval/accuracy", "val/accuracy", "accuracy"].map(rate),
  { glob: "reward/mean", on: "training", tells: "reward" },
];

const ON: readonly Metric["on"][] = ["evaluation", "training"];
const TELLS: readonly Metric["tells"][] = ["success", "score", "reward"];

/**
 * Where success is written, the best witness first: held-out before training rollouts, and of each a success rate before
 * a score before a reward; then as the sheets list them. Best-of-N and majority are left out: they answer another
 * question than the success rate.
 */
export const SUCCESS_KEYS: readonly SuccessKey[] = merged([
  ...PLAIN.map((metric) => ({ ...metric, frameworks: [] })),
  ...FRAMEWORKS.flatMap(({ id, signs }) => (signs.metrics ?? []).map((metric) => ({ ...metric, frameworks: [id] }))),
  ...PLAIN_LAST.map((metric) => ({ ...metric, frameworks: [] })),
]).sort((a, b) => ON.indexOf(a.on) - ON.indexOf(b.on) || TELLS.indexOf(a.tells) - TELLS.indexOf(b.tells));

/** A name that several sheets have is one entry. */
function merged(keys: readonly SuccessKey[]): SuccessKey[] {
  const byName = new Map<string, SuccessKey>();
  for (const key of keys) {
    const name = `${key.on} ${key.glob}`;
    const held = byName.get(name);
    byName.set(name, held ? { ...held, frameworks: [...held.frameworks, ...key.frameworks] } : key);
  }
  return [...byName.values()];
}

/** How a token count adds up over a run. */
export const TOKEN_KEYS: readonly { readonly key: string; readonly rule: "sum" | "last" }[] = [
  { key: "perf/total_num_tokens", rule: "sum" },
  { key: "progress/total_tokens", rule: "last" },
  { key: "num_tokens", rule: "last" },
  { key: "train/num_tokens", rule: "last" },
  { key: "val/num_total_tokens", rule: "last" },
  { key: "total_tokens", rule: "last" },
  { key: "tokens", rule: "last" },
];

/** Mean tokens per rollout, where a log states it. */
export const TRAJECTORY_TOKEN_KEYS: readonly (readonly string[])[] = [
  ["tokens_per_trajectory"],
  ["prompt_length/mean", "response_length/mean"],
  ["generate/avg_num_tokens"],
  ["completions/mean_length"],
  ["train/completions/mean_length"],
];

/** Seconds per step. */
export const STEP_TIME_KEYS: readonly string[] = [
  "timing_s/step",
  "perf/time_per_step",
  "timing/step",
  "time/step",
  "timing_s/total",
  "step_time",
];

/** Share of rollout groups whose rollouts all succeed or all fail, so that they have no gradient. */
export const DEAD_GROUP_KEYS: readonly string[] = [
  "frac_reward_zero_std",
  "train/frac_reward_zero_std",
  "val/frac_reward_zero_std",
  "env/all/by_group/frac_all_same",
  "reward/zero_std_fraction",
];

/** Where trainers that draw groups anew log how many batches a step generated. */
export const GENERATION_BATCH_KEYS: readonly string[] = [
  "train/num_gen_batches",
  "train/dynamic_sampling_num_gen_batches",
  "dynamic_sampling_num_gen_batches",
];

/** Entropy of the policy. */
export const ENTROPY_KEYS: readonly string[] = [
  "actor/entropy",
  "actor/entropy_loss",
  "entropy",
  "train/entropy",
  "policy/entropy",
  "policy/policy_entropy",
  "optim/entropy",
];

/** Beside the success metric, what a row of the table can use. */
export const COMPANION_KEYS: ReadonlySet<string> = new Set([
  "successes",
  "trials",
  ...TOKEN_KEYS.map(({ key }) => key),
  ...TRAJECTORY_TOKEN_KEYS.flat(),
  ...STEP_TIME_KEYS,
  ...TIMING_KEYS,
  ...GENERATION_BATCH_KEYS,
  ...DEAD_GROUP_KEYS,
  ...ENTROPY_KEYS,
]);
