import { describe, expect, it } from "vitest";
import {
  calibrationBy,
  isAlike,
  pooledRun,
  withMeasuredMeans,
  type MeasuredRun,
} from "../../../server/core/cost/calibration";
import { COEFFICIENTS } from "../../../server/core/cost/coefficients";
import { samplingFactor, withoutSignal, withoutSignalOf } from "../../../server/core/cost/dynamicSampling";
import { gpuNamed } from "../../../server/core/cost/gpus";
import { hostedUsd, tokenPrices } from "../../../server/core/cost/hosted";
import { stepSeconds } from "../../../server/core/cost/phases";
import { evaluationCount, runCost } from "../../../server/core/cost/runCost";
import type { RunShape } from "../../../server/core/cost/shape";
import { likeness, teamIntercept } from "../../../server/core/cost/team";

const SHAPE: RunShape = {
  parameters: 7.6e9,
  activeParameters: 7.6e9,
  gpu: gpuNamed("H100"),
  gpus: 8,
  rolloutGpus: null,
  promptsPerStep: 64,
  groupSize: 8,
  steps: 100,
  promptTokens: 100,
  responseTokens: 300,
  responseCap: 1024,
  turns: 1,
  independentTurns: false,
  dynamicSampling: 1,
  lora: false,
  critic: false,
  vision: false,
  thinking: false,
  layout: "colocated",
  passes: 2,
  updates: 1,
  evaluation: { every: 5, samples: 5000, beforeTraining: true, atEnd: true, batch: null, responseTokens: null },
  environmentSeconds: null,
  environmentConcurrency: null,
  utilisation: { generation: null, training: null },
};
const k = COEFFICIENTS.values;

describe("what a run takes", () => {
  it("parts add up to the hours, and evaluations on thousands of samples every five steps are the largest", () => {
    const { parts, gpuHours, evaluations, assumptions } = runCost(SHAPE);
    if (!parts || !gpuHours) throw new Error("no hours");
    expect(Object.values(parts).reduce((a, b) => a + b, 0)).toBeCloseTo(gpuHours.estimate, 6);
    expect(Math.max(...Object.values(parts))).toBe(parts.evaluation);
    expect(evaluations).toBe(21);
    expect(gpuHours.low).toBeLessThan(gpuHours.estimate);
    expect(gpuHours.high).toBeGreaterThan(gpuHours.estimate);
    expect(assumptions.reduce((sum, { share }) => sum + share, 0)).toBeLessThanOrEqual(1.001);
  });

  it("an unknown amount of steps leaves hours unknown, with the reason", () => {
    const cost = runCost({ ...SHAPE, steps: null });
    expect([cost.gpuHours, cost.usd, cost.parts]).toEqual([null, null, null]);
    expect(cost.missing).toContain("steps");
    expect(cost.secondsPerStep.estimate).toBeGreaterThan(0);
  });

  it("what is not stated widens the interval", () => {
    const width = (shape: RunShape) => {
      const { low, high } = runCost(shape).secondsPerStep;
      return Math.log(high / low);
    };
    expect(width({ ...SHAPE, responseTokens: null })).toBeGreaterThan(1.1 * width(SHAPE));
    expect(width({ ...SHAPE, promptsPerStep: null })).toBeGreaterThan(1.05 * width(SHAPE));
  });

  it("dynamic sampling multiplies generation by the factor, LoRA and critics change the update", () => {
    const factor = samplingFactor(withoutSignal(0.5, 8));
    const [plain, filtered] = [1, factor].map((dynamicSampling) => stepSeconds({ ...SHAPE, dynamicSampling }, k));
    expect(filtered.generation / plain.generation).toBeCloseTo(factor, 9);
    expect(filtered.update).toBe(plain.update);
    expect(stepSeconds({ ...SHAPE, critic: true }, k).update).toBeCloseTo(2 * plain.update, 9);
  });

  it("evaluations are counted once at the end", () => {
    expect(evaluationCount({ ...SHAPE, steps: 104 })).toBe(22);
    expect(evaluationCount({ ...SHAPE, evaluation: null })).toBe(0);
  });
});

describe("dynamic sampling", () => {
  it("groups without signal: the closed form of Beta pass rates, and rates themselves", () => {
    // 39 % for G = 8 with pass rates spread as Beta(0.5, 0.5), where the mean rate alone says 0.8 %.
    expect(withoutSignal(0.5, 8)).toBeCloseTo(0.393, 3);
    expect(withoutSignalOf([0.5], 8)).toBeCloseTo(2 / 256, 9);
    expect(samplingFactor(withoutSignalOf([0, 1, 0.5, 0.5], 2))).toBeCloseTo(4, 9);
    expect(samplingFactor(0, 3)).toBe(3);
    expect(samplingFactor(1)).toBe(20);
  });
});

describe("measured beats modelled", () => {
  const measured: MeasuredRun = {
    id: "run",
    framework: "verl",
    shape: SHAPE,
    steps: 12,
    secondsPerStep: 100,
    phases: { generation: 70, passes: 8, update: 20 },
    secondsPerEvaluation: 3600,
  };

  it("a run's own log gives its seconds, its evaluations and a narrow interval", () => {
    const cost = runCost(SHAPE, { calibration: calibrationBy(measured, SHAPE, k, true) });
    expect(cost.basis).toBe("measured");
    expect(cost.secondsPerStep.estimate).toBeCloseTo(100, 6);
    expect(cost.secondsPerEvaluation).toBeCloseTo(3600, 6);
    const { low, high } = cost.secondsPerStep;
    expect(high / low).toBeLessThan(1.15 ** 2);
  });

  it("another batch stays modelled, from what was measured", () => {
    const twice = { ...SHAPE, promptsPerStep: 128 };
    const cost = runCost(twice, { calibration: calibrationBy(measured, twice, k, false) });
    expect(cost.secondsPerStep.estimate).toBeGreaterThan(105);
    expect(cost.secondsPerStep.estimate).toBeLessThan(200);
  });

  it("a few steps of one run do not outweigh many of ten others", () => {
    const runs = [
      { ...measured, id: "short", steps: 4, secondsPerStep: 3 * measured.secondsPerStep },
      ...Array.from({ length: 10 }, (_, i) => ({ ...measured, id: `run ${i}`, steps: 200 })),
    ];
    const pooled = pooledRun(runs, SHAPE, k)!;
    expect(pooled.id).not.toBe("short");
    expect(pooled.secondsPerStep / measured.secondsPerStep).toBeLessThan(1.1);
    expect(pooled.others).toMatchObject({ runs: 10 });
    const calibration = calibrationBy(pooled, SHAPE, k, false);
    expect(calibration.from).toMatch(/^run \d, 200 steps of the same kind of run, and 10 more/);
    // They differ, and the interval says so.
    expect(calibration.spread).toBeGreaterThan(calibrationBy(runs[1], SHAPE, k, false).spread);
    expect(pooledRun([], SHAPE, k)).toBeNull();
    expect(pooledRun([runs[0]], SHAPE, k)).toBe(runs[0]);
  });

  it("likeness asks for framework, size, GPU and layout; a cap bounds a measured mean", () => {
    expect(isAlike(measured, "verl", SHAPE)).toBe(true);
    expect(isAlike(measured, "trl", SHAPE)).toBe(false);
    expect(isAlike(measured, "verl", { ...SHAPE, gpu: gpuNamed("A100") })).toBe(false);
    const capped = { ...SHAPE, responseTokens: null, responseCap: 200 };
    expect(withMeasuredMeans(capped, measured).responseTokens).toBe(200);
  });

  it("one logged step says less of the pace to come than forty", () => {
    const width = (steps: number, variation?: number) =>
      calibrationBy({ ...measured, steps, variation }, SHAPE, k, true).spread;
    expect(width(1)).toBeGreaterThan(1.5 * width(40));
    expect(width(5, 0.3)).toBeGreaterThan(width(5, 0.02));
    expect(width(5, 0.05)).toBeLessThan(0.1);
  });

  it("a team's intercept is Σe / (n + 1.2)", () => {
    const team = teamIntercept([0.6, 0.6].map((error) => ({ error, weight: 1 })));
    expect(team?.shift).toBeCloseTo(1.2 / 3.2, 9);
    expect(team?.narrower).toBeLessThan(1);
    expect(teamIntercept([])).toBeNull();
  });

  it("a run of which less is known tells less of its team, unless the run that is asked about shares what stands in", () => {
    expect(likeness(SHAPE, SHAPE)).toBe(1);
    const blind = { ...SHAPE, responseTokens: null };
    expect(likeness(blind, SHAPE)).toBeLessThan(0.5);
    expect(likeness(blind, blind)).toBe(1);
    expect(likeness(SHAPE, blind)).toBe(1);
    const noGpu = { ...SHAPE, gpu: null };
    expect(likeness(noGpu, SHAPE)).toBeLessThan(0.6 * likeness({ ...SHAPE, gpu: gpuNamed("A100") }, SHAPE));
  });
});

describe("hardware and tariffs", () => {
  it.each([
    ["NVIDIA A100-SXM4-80GB", 312e12, 80e9],
    ["A100-40GB", 312e12, 40e9],
    ["A800", 312e12, 80e9],
    ["h800", 989e12, 80e9],
    ["H20", 148e12, 96e9],
    ["H200", 989e12, 141e9],
    ["H100/H200", 989e12, 80e9],
    ["GB200", 2500e12, 186e9],
    ["L40S", 362e12, 48e9],
    ["RTX 4090", 165e12, 24e9],
    ["MI300X", 1307e12, 192e9],
    ["Ascend 910B", 353e12, 64e9],
  ])("%s", (name, peak, memory) => {
    expect(gpuNamed(name)).toMatchObject({ peakFlops: peak, memory });
  });

  it("the latest dated tariff that prices training counts, a stated one wins", () => {
    const shipped = tokenPrices("Tinker", "Qwen/Qwen3-8B", []);
    expect(shipped).toMatchObject({ prefill: 0.195, sample: 0.6, train: 0.44 });
    expect(shipped?.source).toContain("2026-10-07");
    const own = [{ model: "Qwen3-8B", provider: null, prefill: 1, sample: 2, train: 3 }];
    expect(tokenPrices("Tinker", "Qwen3-8B", own)).toMatchObject({ train: 3, source: "scaling.yaml" });
    expect(tokenPrices("Tinker", "Unknown-1B", [])).toBeNull();
    expect(
      hostedUsd({ prefill: 1e6, sampled: 1e6, trained: 2e6 }, { prefill: 1, sample: 2, train: 3, source: "" }),
    ).toBe(9);
  });
});
