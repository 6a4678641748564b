import { describe, expect, it } from "vitest";
import { leftOf } from "../../../server/core/forecast/left";
import type { RunRow, RunTiming } from "../../../server/core/table";

/** A 7B LoRA run with a published log: 117 steps of 37.7 s, and 4,998 validation rollouts in 1,829 s every five of them. */
const TIMING: RunTiming = {
  steps: 5,
  secondsPerStep: 37.7,
  phases: {},
  gpus: 8,
  secondsPerEvaluation: 1829,
  besides: [{ seconds: 1829, every: 5 }],
};
const row = (timing: RunTiming | undefined, gpuHours?: number): RunRow => ({
  id: "run",
  setting: "",
  axes: {},
  outcome: { kind: "rate", rate: 0.5 },
  plannedSteps: 117,
  files: ["run.log"],
  ...(timing && { timing }),
  ...(gpuHours !== undefined && { gpuHours }),
});

describe("GPU-hours left", () => {
  it("count evaluations by their interval, not by how many of them fell into the steps so far", () => {
    const left = (step: number) => leftOf(row(TIMING), step, undefined).gpuHoursLeft ?? NaN;
    const whole = (8 * (117 * 37.7 + 23 * 1829)) / 3600;
    expect(left(5)).toBeCloseTo((8 * (112 * 37.7 + 22 * 1829)) / 3600, 9);
    // A step before the next evaluation, the same evaluations are left as a step after the last one.
    expect(left(6) - left(9)).toBeCloseTo((8 * 3 * 37.7) / 3600, 9);
    // The log itself: 14.2 hours on 8 GPUs from first line to last, an evaluation before training and checkpoints included.
    expect(whole).toBeGreaterThan(0.9 * 14.2 * 8);
    expect(whole).toBeLessThan(14.2 * 8);
  });

  it("fall back on the hours so far, and are unknown without any time", () => {
    expect(leftOf(row(undefined, 10), 50, 2).gpuHoursLeft).toBeCloseTo((10 * 67) / 50, 9);
    expect(leftOf(row(undefined, 10), 50, 2).usdLeft).toBeCloseTo((2 * 10 * 67) / 50, 9);
    expect(leftOf(row(undefined), 50, 2).gpuHoursLeft).toBeNull();
  });
});
