import { isKnown, known } from "../../budget/budget";
import { byDefault, first, number, times } from "../sheet/reads";
import type { Config } from "../sheet/config";
import type { CostSheet, Read } from "../sheet/sheet";
import { above, flag, layout, otherwise } from "./reads";

const is =
  (path: string, word: RegExp) =>
  (config: Config): boolean =>
    word.test(config.textAt(path) ?? "");

/** As an argument of Python, a flag, or a key of YAML; axolotl keeps some under `trl`. */
const argument = (name: string): readonly string[] => [
  `args.${name}`,
  `--${name.replaceAll("_", "-")}`,
  `--${name}`,
  name,
  `trl.${name}`,
];

const bySteps = (config: Config): boolean | undefined => {
  const strategy = [...argument("eval_strategy"), ...argument("evaluation_strategy")]
    .map((path) => config.textAt(path))
    .find((text) => text !== undefined);
  return strategy === undefined ? undefined : /^(IntervalStrategy\.)?steps$/i.test(strategy);
};

/** What the trainers derived from TRL's share; where a default differs between them, it is not assumed. */
export const trlFamilyCost: CostSheet = {
  evaluation: {
    every: (config) => {
      const steps = bySteps(config);
      if (steps === true) return number(argument("eval_steps"))(config);
      return steps === false ? known(-1, "config", { note: "eval_strategy is not `steps`" }) : undefined;
    },
    beforeTraining: first(flag(...argument("eval_on_start")), otherwise(false, "eval_on_start")),
  },
  lora: first(flag(...argument("use_peft")), above(0, ...argument("lora_r"), ...argument("lora_rank")), (config) =>
    config.has("peft_config") ||
    config.has("trainer.peft_config") ||
    is("adapter", /lora/i)(config) ||
    [...argument("train_type"), ...argument("tuner_type")].some((path) => is(path, /lora/i)(config))
      ? known(true, "config", { note: "adapters are configured" })
      : undefined,
  ),
  layout: layout([
    "disaggregated",
    (config) => config.has("--beside.rollouts") || argument("vllm_mode").some((path) => is(path, /server/i)(config)),
    "a vLLM server makes the rollouts",
  ]),
  // With vLLM the policy's own probabilities are computed too, where importance sampling corrects for the engine's.
  oldPolicyPass: first(above(1, ...argument("num_iterations")), (config) =>
    argument("use_vllm").some((path) => config.truth(path) === true)
      ? flag(...argument("vllm_importance_sampling_correction"))(config)
      : undefined,
  ),
  referencePass: above(0, ...argument("beta")),
  updates: number(argument("num_iterations")),
  dynamicSampling: flag(...argument("dynamic_sample")),
  notRead: [
    "use_vllm",
    "vllm_tensor_parallel_size",
    "vllm_gpu_memory_utilization",
    "gradient_checkpointing",
    "use_liger_loss",
    "vllm_enable_sleep_mode",
    "save_steps",
    "per_device_eval_batch_size",
  ],
};

/** TRL's own defaults: no evaluation, and no KL term in GRPO (RLOO has one). */
export const trlCost: CostSheet = {
  ...trlFamilyCost,
  evaluation: {
    ...trlFamilyCost.evaluation,
    every: (config) =>
      bySteps(config) === undefined
        ? byDefault(-1, "eval_strategy is `no`")(config)
        : trlFamilyCost.evaluation?.every?.(config),
  },
  referencePass: first(above(0, ...argument("beta")), (config) => {
    const args = config.peek("args")?.node;
    const rloo = args?.kind === "map" && /RLOO/.test(args.callee ?? "");
    return rloo || config.has("args.**") ? undefined : otherwise(false, "beta 0")(config);
  }),
};

export const openrlhfCost: CostSheet = {
  evaluation: { every: first(number(["--eval.steps", "--eval_steps"]), byDefault(-1, "eval_steps")) },
  lora: first(above(0, "--ds.lora.rank", "--lora_rank"), otherwise(false, "lora rank 0")),
  layout: layout(
    [
      "async",
      (config) => config.truth("--train.async_enable") === true || config.truth("--async_train") === true,
      "async training",
    ],
    [
      "colocated",
      (config) => config.truth("--train.colocate_all") === true || config.truth("--colocate_all_models") === true,
      "all models share the GPUs",
    ],
    [
      "disaggregated",
      (config) => config.has("--vllm.num_engines") || config.has("--vllm_num_engines"),
      "engines have GPUs of their own",
    ],
  ),
  rolloutGpus: times(
    number(["--vllm.num_engines", "--vllm_num_engines"]),
    first(number(["--vllm.tensor_parallel_size", "--vllm_tensor_parallel_size"]), byDefault(1, "tensor parallel 1")),
  ),
  referencePass: first(above(0, "--algo.kl.init_coef", "--init_kl_coef"), otherwise(true, "KL coefficient 0.01")),
  rewardModel: (config) =>
    config.has("--reward.model_name_or_path") || config.has("--reward_pretrain") ? known(true, "config") : undefined,
  dynamicSampling: flag("--algo.dynamic_filtering_enable", "--dynamic_filtering"),
  updates: number(["--train.max_epochs", "--max_epochs"]),
  notRead: [
    "--eval.dataset",
    "--eval_dataset",
    "--eval_n_samples_per_prompt",
    "--packing_samples",
    "--adam_offload",
    "--ring_attn_size",
    "--vllm_gpu_memory_utilization",
    "--save_steps",
  ],
};

export const slimeCost: CostSheet = {
  evaluation: { every: first(number("--eval-interval"), byDefault(-1, "no --eval-interval")) },
  layout: layout(
    ["async", (config) => /train_async/.test(config.variant.command?.target ?? ""), "train_async.py"],
    ["colocated", (config) => config.truth("--colocate") === true, "--colocate"],
    ["disaggregated", (config) => config.has("--rollout-num-gpus"), "engines have GPUs of their own"],
  ),
  rolloutGpus: number("--rollout-num-gpus"),
  referencePass: first(flag("--use-kl-loss"), above(0, "--kl-coef"), otherwise(false, "no KL term")),
  dynamicSampling: (config) =>
    config.has("--dynamic-sampling-filter-path")
      ? known(true, "config", { note: "--dynamic-sampling-filter-path" })
      : undefined,
  notRead: [
    "--eval-prompt-data",
    "--n-samples-per-eval-prompt",
    "--eval-max-response-len",
    "--over-sampling-batch-size",
    "--tensor-model-parallel-size",
    "--pipeline-model-parallel-size",
    "--rollout-num-gpus-per-engine",
    "--recompute-granularity",
    "--sglang-mem-fraction-static",
    "--save-interval",
  ],
};

export const skyrlCost: CostSheet = {
  evaluation: {
    every: first(number("trainer.eval_interval"), byDefault(5, "trainer.eval_interval")),
    beforeTraining: first(flag("trainer.eval_before_train"), otherwise(true, "trainer.eval_before_train")),
    atEnd: otherwise(true, "the last step is evaluated"),
    batch: number("trainer.eval_batch_size"),
  },
  lora: first(above(0, "trainer.policy.model.lora.rank"), otherwise(false, "lora rank 0")),
  layout: layout(
    [
      "async",
      (config) => config.has("trainer.fully_async") || /async/.test(config.variant.command?.target ?? ""),
      "asynchronous trainer",
    ],
    [
      "disaggregated",
      (config) => config.truth("trainer.placement.colocate_all") === false,
      "placement.colocate_all is off",
    ],
  ),
  rolloutGpus: (config) =>
    config.truth("trainer.placement.colocate_all") === false
      ? times(
          number(["generator.num_inference_engines", "generator.inference_engine.num_engines"]),
          first(
            number([
              "generator.inference_engine_tensor_parallel_size",
              "generator.inference_engine.tensor_parallel_size",
            ]),
            byDefault(1, "tensor parallel 1"),
          ),
        )(config)
      : undefined,
  referencePass: first(
    flag("trainer.algorithm.use_kl_loss", "trainer.algorithm.use_kl_in_reward"),
    otherwise(true, "use_kl_loss"),
  ),
  dynamicSampling: (config) =>
    is("trainer.algorithm.dynamic_sampling.type", /filter/i)(config) ? known(true, "config") : undefined,
  updates: number("trainer.update_epochs_per_batch"),
  notRead: [
    "generator.eval_n_samples_per_prompt",
    "generator.gpu_memory_utilization",
    "trainer.micro_train_batch_size_per_gpu",
    "trainer.ckpt_interval",
    "data.val_data",
  ],
};

const evaluates = (config: Config): boolean => config.has("orchestrator.eval") || config.has("eval");

const not =
  (read: Read<boolean>): Read<boolean> =>
  (config) => {
    const fact = read(config);
    return fact && isKnown(fact) ? { ...fact, value: !fact.value } : fact;
  };

export const primeRlCost: CostSheet = {
  evaluation: {
    // Without the block there is none; with it, before training too.
    every: first(number(["orchestrator.eval.interval", "eval.interval"]), (config) =>
      byDefault(evaluates(config) ? 100 : -1, evaluates(config) ? "eval.interval" : "no eval block")(config),
    ),
    beforeTraining: first(
      flag("orchestrator.eval.eval_base_model", "eval.eval_base_model"),
      not(flag("orchestrator.eval.skip_first_step", "eval.skip_first_step")),
      (config) => (evaluates(config) ? otherwise(true, "skip_first_step is off")(config) : undefined),
    ),
  },
  lora: (config) =>
    ["trainer.model.lora", "trainer.model.experimental.lora", "model.lora"].some((path) => config.has(path))
      ? known(true, "config")
      : undefined,
  layout: layout(["async", () => true, "the trainer, the orchestrator and the engines run at once"]),
  referencePass: otherwise(false, "no KL term"),
  notRead: [
    "orchestrator.eval.env",
    "orchestrator.eval.environment_ids",
    "orchestrator.eval.num_examples",
    "orchestrator.oversampling_factor",
    "orchestrator.buffer",
    "orchestrator.max_async_level",
    "trainer.model.ac",
    "inference.parallel",
  ],
};

export const nemoRlCost: CostSheet = {
  evaluation: {
    every: first(number("grpo.val_period"), byDefault(10, "grpo.val_period")),
    samples: first(number("grpo.max_val_samples"), byDefault(256, "grpo.max_val_samples")),
    beforeTraining: first(flag("grpo.val_at_start"), otherwise(false, "grpo.val_at_start")),
    batch: first(number("grpo.val_batch_size"), byDefault(256, "grpo.val_batch_size")),
  },
  lora: flag("policy.dtensor_cfg.lora_cfg.enabled", "policy.megatron_cfg.peft.enabled"),
  layout: layout(
    ["async", (config) => config.truth("grpo.async_grpo.enabled") === true, "grpo.async_grpo.enabled"],
    [
      "disaggregated",
      (config) => config.truth("policy.generation.colocated.enabled") === false,
      "policy.generation.colocated.enabled is off",
    ],
  ),
  referencePass: first(
    above(0, "loss_fn.reference_policy_kl_penalty"),
    otherwise(true, "reference_policy_kl_penalty 0.01"),
  ),
  dynamicSampling: flag("grpo.use_dynamic_sampling"),
  notRead: [
    "policy.generation.colocated.resources",
    "policy.sequence_packing.enabled",
    "policy.generation.vllm_cfg.tensor_parallel_size",
    "policy.dtensor_cfg.tensor_parallel_size",
    "policy.megatron_cfg.enabled",
    "grpo.batch_multiplier",
    "checkpointing.save_period",
  ],
};

export const arealCost: CostSheet = {
  evaluation: { every: number("evaluator.freq_steps") },
  lora: flag("actor.use_lora"),
  layout: layout([
    "async",
    (config) => Number(config.textAt("rollout.max_head_offpolicyness") ?? 0) > 0,
    "rollout.max_head_offpolicyness",
  ]),
  referencePass: first(above(0, "actor.kl_ctl"), (config) => (config.has("ref") ? known(true, "config") : undefined)),
  oldPolicyPass: flag("actor.recompute_logprob"),
  rewardModel: (config) => (config.has("reward") ? undefined : known(false, "default")),
  updates: number("actor.ppo_n_minibatches", { unless: () => true }),
  notRead: [
    "evaluator.freq_epochs",
    "valid_dataset",
    "actor.gradient_checkpointing",
    "rollout.max_concurrent_rollouts",
    "allocation_mode",
    "saver.freq_steps",
    "dynamic_sampling",
  ],
};

export const rollCost: CostSheet = {
  evaluation: { every: number("eval_steps"), samples: number("val_batch_size") },
  lora: (config) =>
    config.has("lora_target") || config.has("actor_train.model_args.lora_rank") ? known(true, "config") : undefined,
  layout: layout([
    "async",
    (config) => Number(config.textAt("async_generation_ratio") ?? 0) > 0,
    "async_generation_ratio",
  ]),
  referencePass: first(
    flag("use_kl_loss", "add_token_level_kl", "enable_reference"),
    otherwise(true, "reference worker"),
  ),
  updates: number("ppo_epochs"),
  notRead: [
    "validation",
    "val_env_manager",
    "use_additional_prompts",
    "dynamic_sampling_run_iterations",
    "actor_train.device_mapping",
    "actor_infer.device_mapping",
    "save_steps",
  ],
};

export const openInstructCost: CostSheet = {
  evaluation: {
    every: first(number(["--local_eval_every", "--local_eval_freq"]), byDefault(100, "--local_eval_every")),
  },
  layout: layout(["async", () => true, "engines have GPUs of their own, and work ahead of the learner"]),
  rolloutGpus: times(
    first(number("--vllm_num_engines"), byDefault(1, "--vllm_num_engines")),
    first(number("--vllm_tensor_parallel_size"), byDefault(1, "--vllm_tensor_parallel_size")),
  ),
  referencePass: first(above(0, "--beta"), otherwise(true, "beta 0.05")),
  dynamicSampling: flag("--active_sampling"),
  updates: number("--num_epochs"),
  notRead: [
    "--dataset_mixer_eval_list",
    "--async_steps",
    "--inflight_updates",
    "--pack_length",
    "--deepspeed_stage",
    "--gradient_checkpointing",
    "--filter_zero_std_samples",
    "--oe_eval_tasks",
    "--checkpoint_state_freq",
  ],
};
