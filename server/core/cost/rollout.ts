import type { Assumption, CostInputs, Stated } from "./types";
import { ASSUMED_UTILISATION, type Hardware } from "./hardware";

const SECONDS_PER_HOUR = 3600;

export function valueOf(stated: Stated | null | undefined): number | null {
  const value = typeof stated === "object" ? stated?.value : stated;
  return value === undefined || value === null || !Number.isFinite(value) ? null : value;
}

export function sourceOf(stated: Stated | null | undefined, bare = "stated"): string {
  return typeof stated === "object" && stated !== null ? stated.source : bare;
}

/** What one rollout costs. Null: unknown, with the reason in `missing`. */
export interface RolloutCost {
  readonly flops: number | null;
  readonly gpuHours: number | null;
  /** FLOPs that one GPU-hour does on this mixture of generation and training. */
  readonly flopsPerGpuHour: number | null;
  readonly missing: readonly string[];
  readonly assumptions: readonly Assumption[];
}

/**
 * FLOPs of a rollout: 2·N·L generated, 2·N·L per reference or old-policy pass, 6·N·L per trained pass, N the active
 * parameters, L the tokens of a trajectory (Kaplan et al. 2020 count 2 per parameter and token forward, 4 backward).
 * Generation runs at its own utilisation; the other passes at that of training, since they are batched forward passes.
 */
export function rolloutCost(inputs: CostInputs, gpu: Hardware | undefined): RolloutCost {
  const assumptions: Assumption[] = [];
  const missing: string[] = [];
  const parameters = valueOf(inputs.parameters);
  const active = valueOf(inputs.activeParameters) ?? parameters;
  const tokens = valueOf(inputs.tokensPerTrajectory);
  if (active === null) missing.push("the parameters of the model are unknown");
  else if (active !== parameters)
    assumptions.push({
      name: "active parameters",
      value: active,
      unit: "parameters",
      source: sourceOf(inputs.activeParameters),
    });
  else assumptions.push({ name: "parameters", value: active, unit: "parameters", source: sourceOf(inputs.parameters) });
  if (tokens === null) missing.push("the tokens per rollout are unknown");
  else
    assumptions.push({
      name: "tokens per rollout",
      value: tokens,
      unit: "tokens",
      source: sourceOf(inputs.tokensPerTrajectory),
    });

  const passes = {
    generated: inputs.passes?.generated ?? 1,
    reference: inputs.passes?.reference ?? 1,
    trained: inputs.passes?.trained ?? 1,
  };
  const generation = 2 * passes.generated;
  const training = 2 * passes.reference + 6 * passes.trained;
  const perToken = generation + training;
  assumptions.push({
    name: "FLOPs per parameter and token",
    value: perToken,
    unit: `2·${passes.generated} generated + 2·${passes.reference} reference + 6·${passes.trained} trained`,
    source:
      inputs.passes?.source ??
      (inputs.passes ? "stated" : "default: one generated, one reference or old-policy and one trained pass"),
  });
  const flops = active === null || tokens === null ? null : perToken * active * tokens;

  const measured = valueOf(inputs.gpuHoursPerRollout);
  let flopsPerGpuHour: number | null = null;
  if (gpu) {
    const seconds =
      generation / (gpu.peakFlops * gpu.utilisation.generation) + training / (gpu.peakFlops * gpu.utilisation.training);
    flopsPerGpuHour = perToken > 0 ? (SECONDS_PER_HOUR * perToken) / seconds : null;
    assumptions.push({ name: "hardware", value: gpu.name, unit: "GPU", source: gpu.sources.peak });
    // Hours that are known, measured or modelled, rest on no preset of ours.
    const used = measured === null || flops === null || gpu.sources.utilisation !== ASSUMED_UTILISATION;
    const utilisation: Assumption[] = [
      { name: "peak", value: gpu.peakFlops, unit: "FLOP/s", source: gpu.sources.peak },
      {
        name: "utilisation in generation",
        value: gpu.utilisation.generation,
        unit: "share of peak",
        source: gpu.sources.utilisation,
      },
      {
        name: "utilisation in training",
        value: gpu.utilisation.training,
        unit: "share of peak",
        source: gpu.sources.utilisation,
      },
    ];
    if (used) assumptions.push(...utilisation);
    if (gpu.usdPerGpuHour !== null)
      assumptions.push({
        name: "price of hardware",
        value: gpu.usdPerGpuHour,
        unit: "USD per GPU-hour",
        source: gpu.sources.price,
      });
  }
  if (measured !== null) {
    assumptions.push({
      name: "GPU-hours per rollout",
      value: measured,
      unit: "GPUh",
      source: sourceOf(inputs.gpuHoursPerRollout, "measured"),
    });
    if (flops !== null && measured > 0) flopsPerGpuHour = flops / measured;
  }
  const gpuHours = measured ?? (flops === null || flopsPerGpuHour === null ? null : flops / flopsPerGpuHour);
  return { flops, gpuHours, flopsPerGpuHour, missing, assumptions };
}
