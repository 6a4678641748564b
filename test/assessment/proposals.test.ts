import { describe, expect, it } from "vitest";
import { plannedMixes, whollySynthetic } from "../../server/assessment/mixes";
import { targetOf } from "../../server/assessment/edits/target";
import { wholeNumbers } from "../../server/assessment/edits/whole";
import { readConfig } from "../../server/configs/read";
import { durationUnit } from "../../server/configs/wayBack";
import { readScalingFile } from "../../server/configs/scaling/scalingFile";
import type { Allocation } from "../../server/core/allocation";
import type { FitFile } from "../../server/core/fit";

const read = async (text: string, name = "x.budget.yaml") =>
  readConfig({ uri: `file:///w/${name}`, text, readText: async () => undefined });
const budgetOf = async (synthesis: string) =>
  (
    await read(
      `name: x\nmodel: Qwen3-8B\nbudget: { tasks: 500, environments: 24, trajectories: 16 }\nsynthesis:\n  environments: ${synthesis}\n`,
    )
  ).experiments[0];
const scaling = (text: string) => readScalingFile("file:///w/scaling.yaml", text);
const BOTH = scaling("prices: { environment: 40 USD, synthetic: { environment: 6 USD } }");

/** A fit that knows one generator. */
function fitOf(
  critical: { readonly estimate: number | null; readonly low?: number | null; readonly shape: string },
  shapeParameter: number | null = null,
): FitFile {
  return {
    synthesis: {
      environments: {
        genenv: {
          discount: { estimate: 0.6, low: 0.5, high: 0.7, source: "fitted" },
          criticalRatio: {
            low: null,
            high: null,
            source: critical.estimate === null ? "refused" : "fitted",
            ...critical,
          },
          shapeParameter,
          shapes: [],
          evidence: [],
        },
      },
    },
  } as unknown as FitFile;
}

describe("synthetic data in a proposal", () => {
  it("moves the mix only where its worth is fitted and both kinds have a price", async () => {
    const budget = await budgetOf("{ method: genenv, real: 6, synthetic: 18 }");
    const fit = fitOf({ estimate: 5, shape: "cap" });
    const [{ mix }] = plannedMixes(budget, fit, BOTH);
    expect(mix).toMatchObject({
      axis: "environments",
      ratio: 3,
      optimise: true,
      shape: { kind: "cap", discount: 0.6, criticalRatio: 5 },
    });
    for (const [file, prices] of [
      [fit, scaling("prices: { environment: 40 USD }")],
      [fit, null],
      [null, BOTH],
    ] as const) {
      expect(plannedMixes(budget, file, prices)[0].mix.optimise).toBeUndefined();
    }
  });

  it("keeps a fitted discount where the runs show no critical ratio, and takes that alone from the paper", async () => {
    const budget = await budgetOf("{ method: genenv, real: 6, synthetic: 18 }");
    const [{ mix, view }] = plannedMixes(budget, fitOf({ estimate: null, low: 1.9, shape: "cap" }), BOTH);
    expect(mix.shape).toEqual({ kind: "cap", discount: 0.6, criticalRatio: 9.4 });
    // A fitted discount and both prices are enough for a share to be sought.
    expect(mix.optimise).toBe(true);
    expect(view.source).toContain("[paper]");
    expect(plannedMixes(budget, fitOf({ estimate: null, low: 12, shape: "cap" }), BOTH)[0].mix.shape).toMatchObject({
      criticalRatio: 12,
    });
  });

  it("gives no worth to an axis of which nothing is real", async () => {
    expect(whollySynthetic(await budgetOf("{ method: genenv, real: 0, synthetic: 24 }"))).toMatchObject([
      { axis: "environments" },
    ]);
    expect(whollySynthetic(await budgetOf("{ method: genenv, real: 6, synthetic: 18 }"))).toEqual([]);
  });

  it("asks for whole real and synthetic units that add up to the total", () => {
    const split = (environments: number, ratio: number) => ({
      levels: { environments },
      ratios: { environments: ratio },
    });
    const result = {
      recommended: "optimum",
      robust: null,
      pinned: [],
      current: split(24, 3),
      best: split(27, 22 / 5),
    } as unknown as Allocation;
    expect(targetOf(result)).toEqual({ environments: 27, synthesis: { environments: { real: 5, synthetic: 22 } } });
    const still = { ...result, best: split(28, 3) } as unknown as Allocation;
    expect(targetOf(still)).toEqual({ environments: 28 });
  });
});

describe("what the duration of a file can express", () => {
  const VERL = (duration: string) =>
    `algorithm:\n  adv_estimator: grpo\ndata:\n  train_batch_size: 64\n  train_files: train.parquet\nactor_rollout_ref:\n  model:\n    path: Qwen/Qwen3-8B\n  rollout:\n    n: 8\ntrainer:\n  ${duration}\n  n_gpus_per_node: 8\n  nnodes: 1\n`;

  it.each([
    ["epochs of a framework", "verl.yaml", VERL("total_epochs: 4"), "epochs", { trajectories: 8, tasks: 64 }, 8],
    ["steps of a framework", "verl.yaml", VERL("total_training_steps: 400"), "steps", undefined, 8],
    [
      "epochs of a budget",
      "x.budget.yaml",
      "model: Qwen3-8B\nalgorithm: grpo\nbudget: { tasks: 500, group_size: 8, epochs: 4 }\n",
      "epochs",
      { trajectories: 8 },
      8,
    ],
    [
      "a budget that states the rollouts",
      "x.budget.yaml",
      "model: Qwen3-8B\nalgorithm: grpo\nbudget: { tasks: 500, trajectories: 32 }\n",
      null,
      undefined,
      2,
    ],
    [
      "a budget that states the rollouts and the group they come in",
      "x.budget.yaml",
      "model: Qwen3-8B\nalgorithm: grpo\nbudget: { tasks: 500, trajectories: 32, group_size: 8 }\n",
      null,
      undefined,
      8,
    ],
  ])("%s", async (_name, name, text, unit, steps, least) => {
    const document = await read(text, name);
    const [budget] = document.experiments;
    expect(durationUnit(document, 0)).toBe(unit);
    const whole = wholeNumbers(budget, durationUnit(document, 0));
    expect(whole.whole.steps).toEqual(steps);
    expect(whole.least.trajectories).toBe(least);
  });
});
