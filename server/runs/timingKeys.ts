/** Where logs time the phases of a step; those of one line add up. */
export const PHASE_KEYS = {
  generation: [
    ["timing_s/gen"],
    ["timing/gen"],
    ["timing/generate"],
    ["timing/train/generation"],
    ["perf/rollout_time"],
    ["timeperf/rollout"],
  ],
  passes: [
    ["timing_s/old_log_prob", "timing_s/ref", "timing_s/values", "timing_s/reward", "timing_s/rm"],
    ["timing/old_log_prob", "timing/ref", "timing/values", "timing/reward"],
    ["timing/fwd_logprobs_values_reward"],
    ["timing/train/policy_and_reference_logprobs"],
    ["perf/log_probs_time", "perf/ref_log_probs_time"],
  ],
  update: [
    ["timing_s/update_actor", "timing_s/update_critic"],
    ["timing/update_actor", "timing/update_critic"],
    ["timing/policy_train"],
    ["timing/train/policy_training"],
    ["perf/actor_train_time"],
  ],
} as const;
/** Inside a step's time, but no part of what every step does. */
export const EVALUATION_KEYS = [
  "timing_s/testing",
  "timing/testing",
  "timing/eval",
  "timing/validation/total_validation_time",
];
export const SAVE_KEYS = ["timing_s/save_checkpoint", "timing/save_checkpoint", "timing/save_checkpoints"];
export const PROMPT_KEYS = ["prompt_length/mean", "prompt_length_mean"];
export const RESPONSE_KEYS = [
  "response_length/mean",
  "completions/mean_length",
  "train/completions/mean_length",
  "generate/avg_num_tokens",
  "rollout/response_lengths",
];

export const TIMING_KEYS: readonly string[] = [
  ...Object.values(PHASE_KEYS).flat(2),
  ...EVALUATION_KEYS,
  ...SAVE_KEYS,
  ...PROMPT_KEYS,
  ...RESPONSE_KEYS,
];
