import { known } from "../../budget/budget";
import type { TreeNode } from "../../syntax/tree";
import { byDefault, first, number, times, toNumber } from "../sheet/reads";
import type { Config } from "../sheet/config";
import type { CostSheet, Read } from "../sheet/sheet";
import { above, either, flag, layout, otherwise } from "./reads";

const ACTOR = "actor_rollout_ref.actor";
const ROLLOUT = "actor_rollout_ref.rollout";

/** Public test sets, by the file names that verl's own examples use. */
const TEST_SETS: readonly (readonly [RegExp, number])[] = [
  [/gsm8k\/(test|val)/i, 1319],
  [/math500|math-500/i, 500],
  [/(^|\/)math\/test/i, 5000],
  [/geo(metry)?_?3k\/test/i, 601],
];

/** Rows of the validation files: a limit that is stated, else those of well-known sets. */
const validationRows: Read<number> = (config) => {
  const limit = toNumber(config.textAt("data.val_max_samples") ?? null);
  if (limit !== undefined && limit > 0) return known(limit, "config", { note: "data.val_max_samples" });
  const node = config.peek("data.val_files")?.node;
  const names = textsOf(node);
  const rows = names.map((name) => TEST_SETS.find(([pattern]) => pattern.test(name))?.[1]);
  if (rows.length === 0 || rows.some((count) => count === undefined)) return undefined;
  return known(
    rows.reduce<number>((sum, count) => sum + (count ?? 0), 0),
    "derived",
    { note: `the public test sets that ${names.join(", ")} are named after` },
  );
};

function textsOf(node: TreeNode | undefined): string[] {
  if (node?.kind === "list") return node.items.flatMap((item) => textsOf(item));
  if (node?.kind !== "scalar" || node.value === null) return [];
  return String(node.value)
    .replace(/^\[|\]$/g, "")
    .split(",")
    .map((name) => name.trim().replace(/^['"]|['"]$/g, ""))
    .filter((name) => name !== "");
}

const isAsync = (config: Config): boolean =>
  config.has("async_training.require_batches") ||
  config.has("rollout.total_rollout_steps") ||
  config.has("rollout.n_gpus_per_node") ||
  config.truth("actor_rollout_ref.hybrid_engine") === false ||
  /fully_async|one_step_off/.test(config.variant.command?.target ?? "");

export const verlCost: CostSheet = {
  evaluation: {
    every: first(number(["trainer.test_freq", "trainer.val_freq"]), byDefault(-1, "trainer.test_freq")),
    samples: first(
      times(
        validationRows,
        first(
          number([`${ROLLOUT}.val_kwargs.n`, "worker.rollout.val_override_config.n"]),
          byDefault(1, "val_kwargs.n"),
        ),
      ),
    ),
    beforeTraining: first(flag("trainer.val_before_train"), otherwise(true, "trainer.val_before_train")),
    atEnd: (config) => known((toNumber(config.textAt("trainer.test_freq") ?? null) ?? -1) > 0, "derived"),
    // Without it, recent versions hand the whole set to the engines at once.
    batch: first(number("data.val_batch_size", { unless: (value) => value < 1 }), (config) =>
      config.fragment ? undefined : known(1e6, "default", { note: "the whole validation set at once" }),
    ),
  },
  lora: first(
    above(0, "actor_rollout_ref.model.lora_rank", "actor_rollout_ref.model.lora.rank"),
    otherwise(false, "lora_rank 0"),
  ),
  layout: layout(["async", isAsync, "rollouts have GPUs of their own, and training does not wait for them"]),
  rolloutGpus: (config) =>
    isAsync(config)
      ? times(
          first(number("rollout.nnodes"), byDefault(1, "rollout.nnodes")),
          first(number("rollout.n_gpus_per_node"), byDefault(8, "rollout.n_gpus_per_node")),
        )(config)
      : undefined,
  dynamicSampling: flag("algorithm.filter_groups.enable", "algorithm.filter_groups"),
  generationBatch: number("data.gen_batch_size", { unless: (value) => value < 2 }),
  oldPolicyPass: (config) =>
    config.truth("algorithm.rollout_correction.bypass_mode") || config.truth(`${ACTOR}.use_rollout_log_probs`)
      ? known(false, "config", { note: "the rollout's own log-probabilities are used" })
      : undefined,
  referencePass: first(
    either(flag(`${ACTOR}.use_kl_loss`), flag("algorithm.use_kl_in_reward")),
    otherwise(false, "neither use_kl_loss nor use_kl_in_reward"),
  ),
  rewardModel: first(
    flag("reward_model.enable", "reward.reward_model.enable"),
    otherwise(false, "reward_model.enable"),
  ),
  updates: number([`${ACTOR}.ppo_epochs`, "worker.actor.ppo_epochs"]),
  notRead: [
    `${ROLLOUT}.tensor_model_parallel_size`,
    `${ROLLOUT}.gpu_memory_utilization`,
    `${ROLLOUT}.enforce_eager`,
    `${ROLLOUT}.max_num_seqs`,
    `${ROLLOUT}.max_num_batched_tokens`,
    `${ROLLOUT}.multi_turn.max_tool_response_length`,
    "actor_rollout_ref.model.use_remove_padding",
    "actor_rollout_ref.model.enable_gradient_checkpointing",
    `${ACTOR}.use_dynamic_bsz`,
    `${ACTOR}.ulysses_sequence_parallel_size`,
    `${ACTOR}.fsdp_config.param_offload`,
    `${ACTOR}.fsdp_config.optimizer_offload`,
    "actor_rollout_ref.ref.fsdp_config.param_offload",
    "reward_model.enable_resource_pool",
    "distillation",
    "trainer.save_freq",
  ],
};
