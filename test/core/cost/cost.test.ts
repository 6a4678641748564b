import { describe, expect, it } from "vitest";
import { costModel, hardware, hardwarePreset } from "../../../server/core/cost";
import type { CostInputs } from "../../../server/core/cost";
import { gpuNamed } from "../../../server/core/cost/gpus";
import { value } from "../allocation/support";

const levels = { tasks: 2000, environments: 24, trajectories: 16 };
const base: CostInputs = { parameters: 8e9, tokensPerTrajectory: 12000, design: { kind: "nested" } };
/** 2 generated + 2 reference + 6 trained, per parameter and token. */
const FLOPS = 10 * 8e9 * 12000;

describe("rollouts", () => {
  it("cost 2·N·L generated, 2·N·L per reference pass and 6·N·L trained", () => {
    expect(value(value(costModel(base)).cost(levels))).toBeCloseTo(FLOPS * 2000 * 16, -6);
    const two = value(costModel({ ...base, passes: { reference: 2, trained: 1 } }));
    expect(value(two.cost(levels)) / value(value(costModel(base)).cost(levels))).toBeCloseTo(1.2, 12);
    const generated = value(costModel({ ...base, passes: { reference: 0, trained: 0 } }));
    expect(value(generated.cost(levels))).toBeCloseTo(2 * 8e9 * 12000 * 32000, -6);
  });

  it("count the active parameters of a mixture of experts", () => {
    const model = value(costModel({ ...base, parameters: 30e9, activeParameters: 3e9 }));
    expect(value(model.cost(levels))).toBeCloseTo(10 * 3e9 * 12000 * 32000, -6);
    expect(model.assumptions.map((one) => one.name)).toContain("active parameters");
  });

  it("follow the design: nested cells are tasks, factorial ones tasks × environments × coverage", () => {
    const cells = (inputs: Partial<CostInputs>) =>
      value(value(costModel({ ...base, ...inputs })).footprint(levels)).cells;
    expect(cells({})).toBe(2000);
    expect(cells({ design: { kind: "nested", environmentsPerTask: 3 } })).toBe(6000);
    expect(cells({ design: { kind: "factorial" } })).toBe(48000);
    expect(cells({ design: { kind: "factorial", coverage: 0.25 } })).toBe(12000);
    const split = value(
      costModel({
        ...base,
        design: { kind: "factorial" },
        environmentAxes: { kind: "worlds-structures", pairShare: 0.5 },
      }),
    );
    expect(value(split.footprint({ tasks: 100, worlds: 6, structures: 4, trajectories: 2 })).cells).toBe(100 * 12);
  });

  it("grow with the parameters where those move", () => {
    const model = value(costModel(base));
    expect(value(model.cost({ ...levels, parameters: 16e9 })) / value(model.cost(levels))).toBeCloseTo(2, 12);
    const squared = value(costModel({ ...base, parameterExponent: 1.5 }));
    expect(value(squared.cost({ ...levels, parameters: 16e9 })) / value(squared.cost(levels))).toBeCloseTo(
      2 ** 1.5,
      12,
    );
    expect(value(squared.cost(levels))).toBeCloseTo(value(model.cost(levels)), -6);
  });
});

describe("units", () => {
  const gpu = hardware("NVIDIA H100 80GB HBM3", {
    usdPerGpuHour: 2.5,
    generationUtilisation: 0.25,
    trainingUtilisation: 0.4,
  });

  it("convert through generation and training at their own utilisation", () => {
    const model = value(costModel({ ...base, hardware: gpu }));
    const seconds = (2 * 8e9 * 12000) / (989e12 * 0.25) + (8 * 8e9 * 12000) / (989e12 * 0.4);
    expect(value(model.convert(1, "rollouts", "GPUh"))).toBeCloseTo(seconds / 3600, 12);
    expect(value(model.convert(1, "rollouts", "FLOPs"))).toBeCloseTo(FLOPS, -3);
    expect(value(model.convert(10, "GPUh", "USD"))).toBeCloseTo(25, 12);
    for (const [from, to] of [
      ["FLOPs", "USD"],
      ["GPUh", "FLOPs"],
      ["USD", "rollouts"],
    ] as const) {
      expect(value(model.convert(value(model.convert(7, from, to)), to, from))).toBeCloseTo(7, 9);
    }
  });

  it("give the same split of the cost whatever the unit", () => {
    const inputs: CostInputs = {
      ...base,
      hardware: gpu,
      prices: { environments: { real: { value: 40, unit: "USD" } }, tasks: { real: { value: 0.2, unit: "GPUh" } } },
    };
    const shares = (["USD", "GPUh", "FLOPs"] as const).map((unit) =>
      value(value(costModel({ ...inputs, unit })).breakdown(levels)).map((part) => part.share),
    );
    shares[0].forEach((share, i) => {
      expect(shares[1][i]).toBeCloseTo(share, 12);
      expect(shares[2][i]).toBeCloseTo(share, 12);
    });
    expect(value(costModel(inputs)).unit).toBe("USD");
    expect(value(costModel(base)).unit).toBe("FLOPs");
  });

  it("fall back to rollouts where neither model nor tokens are known, and say why", () => {
    const model = value(costModel({ design: { kind: "nested" } }));
    expect(model.unit).toBe("rollouts");
    expect(value(model.cost(levels))).toBe(32000);
    expect(value(model.footprint(levels)).unknown).toEqual([
      "the parameters of the model are unknown",
      "the tokens per rollout are unknown",
    ]);
    expect(value(model.footprint(levels)).flops).toBeNull();
    expect(model.convert(1, "FLOPs", "USD")).toMatchObject({ ok: false, problem: { code: "cost.no-conversion" } });
    expect(
      costModel({ design: { kind: "nested" }, prices: { tasks: { real: { value: 1, unit: "USD" } } } }),
    ).toMatchObject({ ok: false, problem: { code: "cost.rollout-unknown" } });
  });

  it("take GPUs that cost nothing as such: hours come to 0 USD, and no money comes to hours", () => {
    const model = value(costModel({ ...base, hardware: hardware("H100", { usdPerGpuHour: 0 }) }));
    expect(model.convert(5, "GPUh", "USD")).toEqual({ ok: true, value: 0 });
    expect(model.convert(5, "USD", "GPUh")).toMatchObject({
      ok: false,
      problem: { code: "cost.no-conversion", message: expect.stringContaining("costs 0 USD") as string },
    });
  });

  it("take GPU-hours from logs before FLOPs ÷ utilisation", () => {
    const model = value(costModel({ ...base, hardware: gpu, gpuHoursPerRollout: { value: 0.02, source: "logs" } }));
    expect(value(model.footprint(levels)).gpuHours).toBeCloseTo(0.02 * 32000, 9);
    expect(value(model.footprint(levels)).usd).toBeCloseTo(0.02 * 32000 * 2.5, 9);
    expect(value(model.convert(0.02, "GPUh", "FLOPs"))).toBeCloseTo(FLOPS, -3);
  });
});

describe("making data", () => {
  it("is free up to what is owned", () => {
    const model = value(
      costModel({
        ...base,
        hardware: hardware("H100"),
        prices: { tasks: { real: { value: 0.5, unit: "USD" } }, environments: { real: { value: 40, unit: "USD" } } },
        owned: { tasks: 400, environments: 30 },
      }),
    );
    const parts = Object.fromEntries(value(model.breakdown(levels)).map((part) => [part.id, part.cost]));
    expect(parts.tasks).toBeCloseTo(0.5 * 1600, 9);
    expect(parts.environments).toBe(0);
  });

  it("prices synthetic units apart, and assumes the real price where none is stated", () => {
    const inputs: CostInputs = {
      ...base,
      hardware: hardware("H100"),
      prices: { environments: { real: { value: 40, unit: "USD" }, synthetic: { value: 6, unit: "USD" } } },
      owned: { environments: { real: 6, synthetic: 4 } },
    };
    const parts = Object.fromEntries(
      value(value(costModel(inputs)).breakdown(levels, { environments: 3 })).map((part) => [part.id, part.cost]),
    );
    expect(parts.environments).toBe(0);
    expect(parts["environments:synthetic"]).toBeCloseTo(6 * 14, 9);
    const assumed = value(costModel({ ...inputs, prices: { environments: { real: { value: 40, unit: "USD" } } } }));
    expect(assumed.terms.filter((term) => term.assumed).map((term) => term.id)).toEqual(["environments:synthetic"]);
  });

  it("prices an environment that is a pair of world and structure", () => {
    const model = value(
      costModel({
        ...base,
        hardware: hardware("H100"),
        prices: { environments: { real: { value: 40, unit: "USD" } } },
        environmentAxes: { kind: "worlds-structures" },
      }),
    );
    const parts = Object.fromEntries(
      value(model.breakdown({ tasks: 10, worlds: 6, structures: 4, trajectories: 2 })).map((part) => [
        part.id,
        part.cost,
      ]),
    );
    expect(parts.environments).toBeCloseTo(40 * 24, 9);
  });
});

describe("assumptions", () => {
  it("name every number that was not stated, with its source", () => {
    const model = value(
      costModel({
        ...base,
        hardware: hardware(undefined),
        prices: { environments: { real: { value: 40, unit: "USD", source: "scaling.yaml" } } },
      }),
    );
    const named = new Map(model.assumptions.map((one) => [one.name, one]));
    for (const name of [
      "parameters",
      "tokens per rollout",
      "FLOPs per parameter and token",
      "hardware",
      "peak",
      "utilisation in generation",
      "utilisation in training",
      "price of hardware",
      "design",
      "price of making environments",
    ]) {
      expect(named.get(name)?.source, name).toBeTruthy();
    }
    expect(named.get("hardware")?.source).toContain("assumed");
    expect(named.get("price of making environments")?.source).toBe("scaling.yaml");
  });

  it("a number that goes on names no accelerator that is known", () => {
    for (const name of ["H1000", "A1000 Ada", "h1003"]) expect(gpuNamed(name), name).toBeNull();
    for (const name of ["h100x8", "8xH100-80G", "A100-SXM4-80GB", "NPU910B", "v5p-8"])
      expect(gpuNamed(name), name).not.toBeNull();
  });

  it("hardware is found by name, overridden, or given whole", () => {
    for (const name of ["A100", "H100", "H200", "B200"])
      expect(hardwarePreset(`nvidia ${name.toLowerCase()} sxm`)?.name).toBe(name);
    expect(hardwarePreset("MI300X")?.peakFlops).toBe(1307e12);
    expect(hardwarePreset("Cerebras")).toBeNull();
    const custom = hardware("MI300X", { peakFlops: 1307e12, usdPerGpuHour: 2, source: "scaling.yaml" });
    expect(custom).toMatchObject({
      name: "MI300X",
      peakFlops: 1307e12,
      usdPerGpuHour: 2,
      sources: { peak: "scaling.yaml", price: "scaling.yaml" },
    });
    expect(hardware("Cerebras").sources.peak).toContain("unknown");
  });

  it("refuses numbers that cannot be", () => {
    const code = (bad: Partial<CostInputs>): string => {
      const model = costModel({ ...base, ...bad });
      return model.ok ? "ok" : model.problem.code;
    };
    expect(code({ parameters: 0 })).toBe("cost.input");
    expect(code({ tokensPerTrajectory: -1 })).toBe("cost.input");
    expect(code({ hardware: hardware("H100", { generationUtilisation: 1.4 }) })).toBe("cost.input");
    expect(code({ prices: { tasks: { real: { value: -2, unit: "USD" } } } })).toBe("cost.input");
    expect(code({ design: { kind: "factorial", coverage: 0 } })).toBe("cost.input");
    expect(value(costModel(base)).cost({ tasks: 3 })).toMatchObject({
      ok: false,
      problem: { code: "cost.level-unknown" },
    });
    expect(value(costModel(base)).cost({ tasks: -3, trajectories: 1 })).toMatchObject({
      ok: false,
      problem: { code: "cost.level-invalid" },
    });
  });
});
