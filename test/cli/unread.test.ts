import { afterEach, describe, expect, it } from "vitest";
import { cli, folderWith } from "./harness";

const made: { remove: () => void }[] = [];
afterEach(() => made.splice(0).forEach(({ remove }) => remove()));

const CONFIG = `
data: { train_files: gsm8k/train.parquet, train_batch_size: 64, max_prompt_length: 512, max_response_length: 512 }
algorithm: { adv_estimator: grpo, filter_groups: { enable: true, max_num_gen_batches: 10 } }
actor_rollout_ref:
  model: { path: Qwen/Qwen2.5-7B-Instruct }
  actor: { ppo_micro_batch_size_per_gpu: 1, fsdp_config: { grad_offload: true, param_offload: false } }
  rollout: { n: 5, log_prob_micro_batch_size_per_gpu: 2 }
trainer: { n_gpus_per_node: 8, nnodes: 1, test_freq: 5, save_freq: 20, total_training_steps: 100 }
`;

describe("what a config says about cost and nothing reads", () => {
  it("is named, whether or not a sheet lists it; what is read or off is not", async () => {
    const place = folderWith({ "verl.yaml": CONFIG });
    made.push(place);
    const { out } = await cli(place.folder, "inspect", "verl.yaml", "--json");
    const { experiments } = JSON.parse(out) as { experiments: { cost: { notRead: string[] } }[] };
    const found = experiments[0].cost.notRead;
    expect(found).toEqual(
      expect.arrayContaining([
        "`actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu`",
        "`actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu`",
        "`actor_rollout_ref.actor.fsdp_config.grad_offload`",
        "`algorithm.filter_groups.max_num_gen_batches`",
        "`trainer.save_freq`",
      ]),
    );
    expect(found.filter((key) => /test_freq|train_batch_size|rollout\.n`/.test(key))).toEqual([]);
    expect(new Set(found).size).toBe(found.length);
  });
});
