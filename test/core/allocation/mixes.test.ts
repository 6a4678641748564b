import { describe, expect, it } from "vitest";
import { allocate, criticalRatio, effectivePerRaw, effectivePerReal } from "../../../server/core/allocation";
import type { MixShape, SynthesisMix } from "../../../server/core/allocation";
import { costModel, hardware, posynomialCost } from "../../../server/core/cost";
import type { CostModel } from "../../../server/core/cost";
import { fitted, instance, multiplicative, value } from "./support";

const SHAPES: Readonly<Record<string, MixShape>> = {
  cap: { kind: "cap", discount: 0.6, criticalRatio: 5 },
  broken: { kind: "broken", discount: 0.6, criticalRatio: 5, harm: 0.2 },
  peak: { kind: "peak", discount: 0.6, harm: 0.05 },
  saturating: { kind: "saturating", discount: 0.6, ceiling: 2 },
};

const AXES = ["environments", "trajectories"];
const ALPHA = [0.32, 0.12];
const law = fitted(AXES, instance(AXES, multiplicative(0.05, 2, ALPHA)));

/** Real environments at 40, synthetic ones at `synthetic`, rollouts at `rollout` per environment and trajectory. */
function prices(synthetic: number, rollout = 0.3, owned = { real: 0, synthetic: 0 }): CostModel {
  return posynomialCost(
    [
      {
        id: "environments",
        label: "making environments",
        axis: "environments",
        part: "real",
        coefficient: 40,
        exponents: { environments: 1 },
        owned: owned.real,
      },
      {
        id: "environments:synthetic",
        label: "making synthetic environments",
        axis: "environments",
        part: "synthetic",
        coefficient: synthetic,
        exponents: { environments: 1 },
        owned: owned.synthetic,
      },
      {
        id: "rollouts",
        label: "rollouts",
        axis: null,
        part: "all",
        coefficient: rollout,
        exponents: { environments: 1, trajectories: 1 },
        owned: 0,
      },
      {
        id: "tools",
        label: "tools",
        axis: null,
        part: "all",
        coefficient: 2,
        exponents: { trajectories: 1 },
        owned: 0,
      },
    ],
    "USD",
  );
}

/** Least error by trying ratios and amounts on a fine grid; the budget decides the trajectories. */
function grid(mix: SynthesisMix, cost: CostModel, budget: number, ceiling: number): number {
  let best = Infinity;
  const steps = 100;
  for (let i = 0; i <= steps; i++) {
    const ratio = (ceiling * i) / steps;
    for (let j = 0; j <= 500; j++) {
      const raw = Math.exp((j / 500) * 8);
      if (mix.pool !== undefined && raw / (1 + ratio) > mix.pool * (1 + 1e-12)) break;
      const fixed = value(cost.cost({ environments: raw, trajectories: 0 }, { environments: ratio }));
      const each = value(cost.cost({ environments: raw, trajectories: 1 }, { environments: ratio })) - fixed;
      const trajectories = (budget - fixed) / each;
      if (trajectories < 1) continue;
      best = Math.min(best, law.point.error([raw * effectivePerRaw(mix.shape, ratio), trajectories]));
    }
  }
  return best;
}

describe("shapes of synthetic data", () => {
  it("agree with their formulas", () => {
    expect(effectivePerReal(SHAPES.cap, 3)).toBeCloseTo(1 + 0.6 * 3, 12);
    expect(effectivePerReal(SHAPES.cap, 9)).toBeCloseTo(1 + 0.6 * 5, 12);
    expect(effectivePerReal(SHAPES.broken, 9)).toBeCloseTo(1 + 0.6 * 5 - 0.2 * 4, 12);
    expect(effectivePerReal(SHAPES.peak, 4)).toBeCloseTo(1 + 0.6 * 4 - 0.05 * 16, 12);
    expect(effectivePerReal(SHAPES.saturating, 4)).toBeCloseTo(1 + 2 * (1 - Math.exp(-1.2)), 12);
    expect([SHAPES.cap, SHAPES.broken, SHAPES.saturating].map(criticalRatio)).toEqual([5, 5, null]);
    expect(criticalRatio(SHAPES.peak)).toBeCloseTo(6, 12);
    // One effective unit is 1/g real ones with r/g synthetic ones beside them: (p_R + r·p_S)/g.
    const raw = 1 / effectivePerRaw(SHAPES.cap, 3);
    expect(value(prices(6, 0).cost({ environments: raw, trajectories: 0 }, { environments: 3 }))).toBeCloseTo(
      (40 + 18) / 2.8,
      12,
    );
  });
});

describe("the synthetic ratio", () => {
  const budget = 4000;
  for (const [name, shape] of Object.entries(SHAPES)) {
    for (const synthetic of [4, 30, 60]) {
      it(`is as good as a fine grid (${name}, synthetic at ${synthetic})`, () => {
        const mix: SynthesisMix = { axis: "environments", shape, ratio: 1, optimise: true };
        const cost = prices(synthetic);
        const allocation = value(
          allocate({
            law,
            cost,
            current: { environments: 20, trajectories: 20 },
            mode: { kind: "budget", amount: budget },
            mixes: [mix],
            options: { sensitivity: false },
          }),
        );
        const error = 1 - allocation.continuous.predicted.estimate;
        const best = grid(mix, cost, budget, criticalRatio(shape) ?? 10);
        expect(error).toBeLessThanOrEqual(best * (1 + 1e-9));
        expect(error / best).toBeGreaterThan(1 - 2e-3);
        const exact = name === "cap" || name === "broken";
        expect(allocation.certificate.kind).toBe(exact ? "global" : "local");
        if (exact) expect([0, 5]).toContain(allocation.continuous.ratios.environments);
        expect(allocation.continuous.effective.environments).toBeCloseTo(
          (allocation.continuous.levels.environments ?? NaN) *
            effectivePerRaw(shape, allocation.continuous.ratios.environments ?? NaN),
          9,
        );
      });
    }
  }

  it("goes beyond a real pool with synthetic units, between the ends", () => {
    const mix: SynthesisMix = { axis: "environments", shape: SHAPES.cap, ratio: 0, optimise: true, pool: 12 };
    const cost = prices(30);
    const allocation = value(
      allocate({
        law,
        cost,
        current: { environments: 10, trajectories: 20 },
        mode: { kind: "budget", amount: budget },
        mixes: [mix],
        options: { sensitivity: false },
      }),
    );
    const error = 1 - allocation.continuous.predicted.estimate;
    expect(error).toBeLessThanOrEqual(grid(mix, cost, budget, 5) * (1 + 1e-9));
    const ratio = allocation.continuous.ratios.environments ?? NaN;
    expect((allocation.continuous.levels.environments ?? NaN) / (1 + ratio)).toBeCloseTo(12, 4);
    expect(ratio).toBeGreaterThan(0.1);
    expect(allocation.certificate.kind).toBe("local");
    expect(allocation.corners.map((corner) => corner.bound)).toContain("pool");
  });

  it("counts owned units as free", () => {
    const mix: SynthesisMix = { axis: "environments", shape: SHAPES.cap, ratio: 3, optimise: true };
    const cost = prices(6, 0.3, { real: 6, synthetic: 18 });
    const allocation = value(
      allocate({
        law,
        cost,
        current: { environments: 24, trajectories: 40 },
        mixes: [mix],
        options: { sensitivity: false },
      }),
    );
    expect(allocation.current.parts.map((part) => part.id)).not.toContain("environments:synthetic");
    const error = 1 - allocation.continuous.predicted.estimate;
    expect(error).toBeLessThanOrEqual(grid(mix, cost, allocation.budget, 5) * (1 + 1e-6));
  });

  it("stays where it is unless it may move, and splits whole amounts into whole real and synthetic ones", () => {
    const mix: SynthesisMix = { axis: "environments", shape: SHAPES.cap, ratio: 3 };
    const allocation = value(
      allocate({ law, cost: prices(6), current: { environments: 24, trajectories: 40 }, mixes: [mix], whole: {} }),
    );
    expect(allocation.continuous.ratios.environments).toBe(3);
    const raw = allocation.optimum.levels.environments ?? NaN;
    const real = raw / (1 + (allocation.optimum.ratios.environments ?? NaN));
    expect(Number.isInteger(raw)).toBe(true);
    expect(real).toBeCloseTo(Math.round(real), 9);
  });

  it("chooses both ends where two axes are synthesised", () => {
    const axes = ["tasks", "environments", "trajectories"];
    const two = fitted(axes, instance(axes, multiplicative(0.05, 3, [0.25, 0.32, 0.12])));
    const cost = value(
      costModel({
        prices: {
          tasks: { real: { value: 2, unit: "USD" }, synthetic: { value: 1.8, unit: "USD" } },
          environments: { real: { value: 40, unit: "USD" }, synthetic: { value: 2, unit: "USD" } },
        },
        hardware: hardware("H100"),
        parameters: 8e9,
        tokensPerTrajectory: 12000,
        design: { kind: "nested" },
      }),
    );
    const mixes: SynthesisMix[] = [
      { axis: "tasks", shape: { kind: "cap", discount: 0.5, criticalRatio: 3.4 }, ratio: 1, optimise: true },
      { axis: "environments", shape: { kind: "cap", discount: 0.7, criticalRatio: 9.4 }, ratio: 1, optimise: true },
    ];
    const allocation = value(
      allocate({ law: two, cost, current: { tasks: 800, environments: 20, trajectories: 16 }, mixes }),
    );
    // A synthetic task costs nearly as much as a real one and counts half; a synthetic environment is nearly free.
    expect(allocation.continuous.ratios).toEqual({ tasks: 0, environments: 9.4 });
    expect(allocation.certificate.kind).toBe("global");
    // Limits that the best end does not touch leave it global; a limit that it would break does not.
    const loose = value(
      allocate({
        law: two,
        cost,
        current: { tasks: 800, environments: 20, trajectories: 16 },
        mixes,
        limits: { environments: [1, 5000] },
      }),
    );
    expect(loose.certificate.kind).toBe("global");
    const tight = value(
      allocate({
        law: two,
        cost,
        current: { tasks: 800, environments: 20, trajectories: 16 },
        mixes,
        limits: { environments: [1, 30] },
      }),
    );
    expect(tight.certificate.kind).toBe("local");
    expect(tight.continuous.levels.environments).toBeCloseTo(30, 6);
  });
});
