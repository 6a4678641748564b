/** What `inspect --json` says of cost, from config and logs to hours by phase. */
import { afterEach, describe, expect, it } from "vitest";
import { samplingFactor, withoutSignal } from "../../server/core/cost/dynamicSampling";
import { cli, folderWith } from "./harness";

const made: { remove: () => void }[] = [];
afterEach(() => made.splice(0).forEach(({ remove }) => remove()));

interface Between {
  estimate: number;
  low: number;
  high: number;
}
interface Cost {
  secondsPerStep: Between;
  gpuHours: Between;
  wallClockHours: Between;
  parts: Record<"generation" | "passes" | "update" | "evaluation" | "environment" | "other", number>;
  basis: string;
  notRead: string[];
  assumptions: { name: string; text: string; share: number }[];
}

async function costs(files: Record<string, string>, ...names: string[]): Promise<Cost[]> {
  const place = folderWith(files);
  made.push(place);
  const { code, out, err } = await cli(place.folder, "inspect", "--json", ...names);
  expect(code, err).toBe(0);
  const said = JSON.parse(out) as { experiments: { cost: Cost }[] } | { experiments: { cost: Cost }[] }[];
  return (Array.isArray(said) ? said : [said]).map(({ experiments }) => experiments[0].cost);
}

/** As verl's DAPO recipe sets it: 512 prompts in groups of 16, with and without the filter. */
const dapo = (filter: boolean): string => `
data: { train_files: dapo-math-17k.parquet, max_prompt_length: 2048, max_response_length: 20480, train_batch_size: 512, gen_batch_size: 512 }
algorithm: { adv_estimator: grpo, filter_groups: { enable: ${filter ? "true" : "false"}, metric: acc } }
actor_rollout_ref:
  model: { path: Qwen/Qwen2.5-32B }
  rollout: { n: 16 }
trainer: { n_gpus_per_node: 8, nnodes: 16, test_freq: -1, total_training_steps: 200 }
`;
const HARDWARE = "hardware: { gpu: H20 }\n";

/** Steps as verl logs them to a file; `line` adds what a step says beside its times. */
function verlLog(steps: number, line: (step: number) => Record<string, number>): string {
  return Array.from({ length: steps }, (_, i) => JSON.stringify({ step: i + 1, data: line(i + 1) })).join("\n") + "\n";
}

describe("dynamic sampling", () => {
  const ratio = ([on, off]: Cost[]): number => on.parts.generation / off.parts.generation;
  const both = { "on/run.yaml": dapo(true), "off/run.yaml": dapo(false) };
  const names = ["on/run.yaml", "off/run.yaml"];

  it("with the filter, generation grows by the factor that a stated pass rate gives; nothing else does", async () => {
    const [on, off] = await costs(
      { ...both, "scaling.yaml": `${HARDWARE}facts: [{ files: "**", pass_rate: 0.3 }]\n` },
      ...names,
    );
    expect(ratio([on, off])).toBeCloseTo(samplingFactor(withoutSignal(0.3, 16)), 9);
    for (const part of ["passes", "update", "evaluation", "other"] as const)
      expect(on.parts[part]).toBeCloseTo(off.parts[part], 9);
    expect(on.notRead.join()).not.toContain("filter_groups.enable");
  });

  it("pass rates that a log of the same model states feed the factor, and the pace of that run with them", async () => {
    const log = verlLog(12, (step) => ({
      "critic/score/mean": 0.2 + 0.01 * step,
      "timing_s/gen": 300,
      "timing_s/old_log_prob": 40,
      "timing_s/update_actor": 160,
      "timing_s/step": 500,
      "response_length/mean": 3000,
      "prompt_length/mean": 150,
    }));
    const files = { ...both, "plain/train.jsonl": log, "plain/run.yaml": dapo(false), "scaling.yaml": HARDWARE };
    const logged = { ...files, "scaling.yaml": `${HARDWARE}logs: [plain]\n` };
    const [on, off] = await costs(logged, ...names);
    expect([on.basis, off.basis]).toEqual(["measured", "measured"]);
    expect(ratio([on, off])).toBeCloseTo(samplingFactor(withoutSignal(0.265, 16)), 6);
    expect(off.secondsPerStep.estimate).toBeCloseTo(500, -1);
  });

  it("groups without signal, where they are logged, count before a mean; the run's own batches before both", async () => {
    const dead = verlLog(8, () => ({ "critic/score/mean": 0.5, frac_reward_zero_std: 0.6 }));
    const [on, off] = await costs(
      {
        ...both,
        "plain/train.jsonl": dead,
        "plain/run.yaml": dapo(false),
        "scaling.yaml": `${HARDWARE}logs: [plain]\n`,
      },
      ...names,
    );
    expect(ratio([on, off])).toBeCloseTo(1 / (1 - 0.6), 6);
    const own = verlLog(8, (step) => ({ "critic/score/mean": 0.5, "train/num_gen_batches": step % 2 === 0 ? 3 : 2 }));
    expect(ratio(await costs({ ...both, "on/train.jsonl": own, "scaling.yaml": HARDWARE }, ...names))).toBeCloseTo(2.5);
  });

  it("without any pass rate the factor is an assumption: named, and part of the interval", async () => {
    const [on, off] = await costs({ ...both, "scaling.yaml": HARDWARE }, ...names);
    expect(ratio([on, off])).toBeCloseTo(samplingFactor(withoutSignal(0.5, 16)), 9);
    expect(on.notRead.join()).toContain("pass rates");
    expect(on.assumptions.map(({ name }) => name)).toContain("dynamic sampling");
    expect(off.assumptions.map(({ name }) => name)).not.toContain("dynamic sampling");
  });
});

describe("a small training batch out of a large draw", () => {
  it("generates as long as a run that trains on all of the draw, not as many small draws", async () => {
    const small = dapo(true).replace(
      "train_batch_size: 512, gen_batch_size: 512",
      "train_batch_size: 32, gen_batch_size: 512",
    );
    const scaling = `${HARDWARE}facts: [{ files: "**", pass_rate: 0.3 }]\n`;
    const [few, all] = await costs(
      { "few/run.yaml": small, "all/run.yaml": dapo(false), "scaling.yaml": scaling },
      "few/run.yaml",
      "all/run.yaml",
    );
    // One draw of 512 prompts holds far more than 32 with a signal, so that one is enough.
    expect(few.parts.generation).toBeCloseTo(all.parts.generation, 9);
    expect(few.parts.update).toBeLessThan(0.2 * all.parts.update);
  });

  it("draws again where one draw does not fill the batch", async () => {
    const again = dapo(true).replace("gen_batch_size: 512", "gen_batch_size: 256");
    const scaling = `${HARDWARE}facts: [{ files: "**", pass_rate: 0.3 }]\n`;
    const [halves, whole] = await costs(
      { "again/run.yaml": again, "whole/run.yaml": dapo(true), "scaling.yaml": scaling },
      "again/run.yaml",
      "whole/run.yaml",
    );
    // As many rollouts in twice as many draws, each as slow as its longest answer.
    const ratio = halves.parts.generation / whole.parts.generation;
    expect(ratio).toBeGreaterThan(1.05);
    expect(ratio).toBeLessThan(2);
  });
});

/** As verl's examples set GSM8K: a validation on thousands of samples every five steps, in batches of the training's size. */
const gsm8k = (model: string, steps: number, more = ""): string => `
data: { train_files: gsm8k/train.parquet, val_files: [gsm8k/test.parquet, math/test.parquet], train_batch_size: 64, val_batch_size: 64, max_prompt_length: 512, max_response_length: 512 }
algorithm: { adv_estimator: grpo }
actor_rollout_ref:
  model: { path: ${model}${more} }
  actor: { use_kl_loss: true }
  rollout: { n: 8 }
trainer: { n_gpus_per_node: 8, nnodes: 1, test_freq: 5, val_before_train: false, total_training_steps: ${steps} }
`;
const inside = (seen: number, { low, high }: Between): boolean => low <= seen && seen <= high;

describe("evaluations", () => {
  it("are the largest part of a 7B run that validates on thousands of samples every five steps; its log gives the hours", async () => {
    // A published log of such a run (LoRA 32, 8 × H100): 44.8 s a step, 489 s a validation on GSM8K alone.
    const files = {
      "run.yaml": gsm8k("Qwen/Qwen2.5-7B-Instruct", 116, ", lora_rank: 32").replace(
        "[gsm8k/test.parquet, math/test.parquet]",
        "gsm8k/test.parquet",
      ),
      "scaling.yaml": 'hardware: { gpu: H100 }\nfacts: [{ files: "**", prompt_tokens: 103, response_tokens: 269 }]\n',
    };
    const [before] = await costs(files, "run.yaml");
    expect(before.basis).toBe("modelled");
    expect(inside(44.8, before.secondsPerStep)).toBe(true);
    expect(inside((116 * 44.8 + 23 * 489.3) / 3600, before.wallClockHours)).toBe(true);
    expect(Math.max(...Object.values(before.parts))).toBe(before.parts.evaluation);
    const log = verlLog(20, (step) => ({
      "timing_s/gen": 34.35,
      "timing_s/old_log_prob": 1.7,
      "timing_s/ref": 1.6,
      "timing_s/update_actor": 7.1,
      "timing_s/step": 44.8 + (step % 5 === 0 ? 489.3 : 0),
      ...(step % 5 === 0 && { "timing_s/testing": 489.3 }),
    }));
    const [measured] = await costs({ ...files, "train.jsonl": log }, "run.yaml");
    expect(measured.basis).toBe("measured");
    expect(measured.secondsPerStep.estimate).toBeCloseTo(44.8, 6);
    // Twenty-three validations during training and one at its end (step 116).
    expect(measured.parts.evaluation / 8).toBeCloseTo((24 * 489.3) / 3600, 6);
    expect(measured.wallClockHours.high / measured.wallClockHours.low).toBeLessThan(1.3);
  });

  it("35 of the 41 hours of a 72B run are shown as such, by its log, and told before it by the model", async () => {
    const files = {
      "run.yaml": gsm8k("Qwen/Qwen2.5-72B-Instruct", 120, ", lora_rank: 32"),
      "scaling.yaml": 'hardware: { gpu: H200 }\nfacts: [{ files: "**", prompt_tokens: 138, response_tokens: 300 }]\n',
    };
    const [training, testing] = [(6 * 3600) / 120, (35 * 3600) / 24];
    const log = verlLog(15, (step) => ({
      "timing_s/step": training + (step % 5 === 0 ? testing : 0),
      ...(step % 5 === 0 && { "timing_s/testing": testing }),
    }));
    const [before] = await costs(files, "run.yaml");
    expect(inside(41, before.wallClockHours)).toBe(true);
    expect(before.parts.evaluation / before.gpuHours.estimate).toBeGreaterThan(0.6);
    const place = folderWith({ ...files, "train.jsonl": log });
    made.push(place);
    const { out } = await cli(place.folder, "inspect", "--json", "run.yaml");
    const { cost } = (JSON.parse(out) as { experiments: { cost: Cost }[] }).experiments[0];
    expect(cost.wallClockHours.estimate).toBeCloseTo(41, 0);
    expect(cost.parts.evaluation / 8).toBeCloseTo(35, 6);
    expect(cost.parts.evaluation / cost.gpuHours.estimate).toBeCloseTo(35 / 41, 1);
  });
});
