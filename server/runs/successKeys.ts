/** One place in which a framework writes its success rate. Earlier entries win. */
export interface SuccessKey {
  /** Framework ids as in the framework readers; empty: anyone's. */
  readonly frameworks: readonly string[];
  /** Metric name, `*` for anything. */
  readonly glob: string;
  /** Measured on held-out tasks, or on the training rollouts themselves. */
  readonly on: "evaluation" | "training";
}

const evaluation = (glob: string, ...frameworks: string[]): SuccessKey => ({ glob, frameworks, on: "evaluation" });
const training = (glob: string, ...frameworks: string[]): SuccessKey => ({ glob, frameworks, on: "training" });

/**
 * Where each framework writes its success rate, the best witness first: held-out success, then held-out score, then the
 * training rollouts. Best-of-N and majority are left out: they answer another question than the success rate.
 */
export const SUCCESS_KEYS: readonly SuccessKey[] = [
  evaluation("success_rate"),
  evaluation("val/success_rate", "verl-agent"),
  evaluation("eval/success_rate"),
  evaluation("test/success_rate"),
  evaluation("validation/success_rate"),
  evaluation("eval_success_rate"),
  evaluation("val_success_rate"),
  evaluation("val-core/*/acc/mean@*", "verl"),
  evaluation("val-core/*/reward/mean@*", "verl"),
  evaluation("val-core/*/score/mean@*", "verl"),
  evaluation("val/*_success_rate", "verl-agent"),
  evaluation("val/test_score/*", "verl"),
  evaluation("val-env/*/success", "ragen"),
  evaluation("val-env/*/pass@1", "ragen"),
  evaluation("eval/all/avg_score", "skyrl"),
  evaluation("eval/all/pass_at_1", "skyrl"),
  evaluation("eval/*/pass_at_1", "skyrl", "open-instruct"),
  evaluation("eval/*/avg_score", "skyrl"),
  evaluation("eval/*/avg@*", "prime-rl"),
  evaluation("eval/*/pass@1", "prime-rl"),
  evaluation("test/env/all/correct", "tinker"),
  evaluation("test/env/all/reward/total", "tinker"),
  evaluation("validation/accuracy", "nemo-rl"),
  evaluation("eval/eval_*_pass1", "openrlhf"),
  evaluation("eval-rollout/task_reward*", "areal"),
  evaluation("*eval-rollout/task_reward*", "areal"),
  evaluation("val/score/mean", "roll"),
  evaluation("val/*/score/mean", "roll"),
  evaluation("eval/pass_at_1", "open-instruct"),
  evaluation("val/reward", "art"),
  evaluation("eval_reward", "trl"),
  evaluation("eval/reward", "trl"),
  evaluation("eval_rewards/*/mean", "trl"),
  evaluation("eval/rewards/*/mean", "trl"),
  evaluation("eval_accuracy"),
  evaluation("eval/accuracy"),
  evaluation("val/accuracy"),
  evaluation("accuracy"),
  training("episode/success_rate", "verl-agent"),
  training("*/success", "ragen"),
  training("env/all/correct", "tinker"),
  training("env/all/reward/total", "tinker"),
  training("train/agg/all/*/reward/mean", "prime-rl"),
  training("train/*/all/*/reward/mean", "prime-rl"),
  training("train/*/effective/*/reward/mean", "prime-rl"),
  training("reward/all/mean", "prime-rl"),
  training("reward/avg_pass_at_*", "skyrl"),
  training("reward/avg_raw_reward", "skyrl"),
  training("objective/verifiable_correct_rate", "open-instruct"),
  training("rollout/task_reward*", "areal"),
  training("env/*/success_rate", "roll"),
  training("env/*/success", "roll"),
  training("critic/score/mean", "verl", "verl-agent", "ragen", "roll"),
  training("critic/rewards/mean", "verl"),
  training("train/reward", "nemo-rl", "art", "trl"),
  training("reward", "trl"),
  training("rewards/*/mean", "trl"),
  training("reward/mean"),
];

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

/** Mean tokens per trajectory, where a log states it. */
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

/** Beside the success metric, what a row of the table can use. */
export const COMPANION_KEYS: ReadonlySet<string> = new Set([
  "successes",
  "trials",
  ...TOKEN_KEYS.map(({ key }) => key),
  ...TRAJECTORY_TOKEN_KEYS.flat(),
  ...STEP_TIME_KEYS,
]);
