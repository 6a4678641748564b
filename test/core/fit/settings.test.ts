import { describe, expect, it } from "vitest";
import { fitTable, openFit, predict } from "../../../server/core/fit";
import { expectedGain } from "../../../server/core/forecast/convergence";
import { randomEffects, summarise, withoutPrior } from "../../../server/core/fit/settings/settings";
import { random } from "../../../server/core/numerics/random";
import type { RunRow } from "../../../server/core/table";
import { Coverage, GRID, simulate, simulatedRun, TRUTHS } from "./simulate";

describe("random effects", () => {
  it("equals the textbook on four studies", () => {
    // Worked by hand: w = 1/s², Q, DerSimonian–Laird τ², Hartung–Knapp variance.
    const effects = [
      { value: 0.2, error: 0.05 },
      { value: 0.3, error: 0.05 },
      { value: 0.4, error: 0.1 },
      { value: 0.1, error: 0.1 },
    ];
    const w = effects.map((one) => 1 / one.error ** 2),
      sum = 1000;
    expect(w.reduce((a, b) => a + b)).toBeCloseTo(sum);
    const common = (400 * 0.2 + 400 * 0.3 + 100 * 0.4 + 100 * 0.1) / sum;
    const q =
      400 * (0.2 - common) ** 2 + 400 * (0.3 - common) ** 2 + 100 * (0.4 - common) ** 2 + 100 * (0.1 - common) ** 2;
    const tau2 = (q - 3) / (sum - (2 * 400 ** 2 + 2 * 100 ** 2) / sum);
    const weight = effects.map((one) => 1 / (one.error ** 2 + tau2)),
      total = weight.reduce((a, b) => a + b);
    const mean = effects.reduce((s, one, i) => s + weight[i] * one.value, 0) / total;
    const error = Math.sqrt(effects.reduce((s, one, i) => s + weight[i] * (one.value - mean) ** 2, 0) / (3 * total));
    const found = randomEffects(effects)!;
    expect(found.tau).toBeCloseTo(Math.sqrt(tau2), 10);
    expect(found.mean).toBeCloseTo(mean, 10);
    expect(found.high - found.mean).toBeCloseTo(3.182446305 * error, 6);
    expect(found.heterogeneity).toBeCloseTo((q - 3) / q, 10);
    expect(found.prediction.high - found.mean).toBeCloseTo(4.30265273 * Math.sqrt(tau2 + error ** 2), 6);
    expect(randomEffects(effects.slice(0, 1))).toBeNull();
  });

  it("covers the mean of few settings where a plain z interval would not", () => {
    const stream = random(4),
      coverage = new Coverage();
    for (let repeat = 0; repeat < 400; repeat++) {
      const effects = Array.from({ length: 4 }, () => {
        const error = 0.03 + 0.04 * stream.next();
        return { value: 0.3 + 0.06 * stream.normal() + error * stream.normal(), error };
      });
      coverage.add("mean", randomEffects(effects)!, 0.3);
    }
    expect(coverage.pooled).toBeGreaterThanOrEqual(92);
    expect(coverage.pooled).toBeLessThanOrEqual(98);
  });

  it("leaves no exponent outside its bounds, however few the settings", () => {
    for (const logarithmic of [false, true]) {
      const { mean, prediction } = summarise(
        "environments",
        [
          { value: 0.15, error: 0.02 },
          { value: 0.8, error: 0.05 },
        ].map((one) => (logarithmic ? { value: Math.log(one.value), error: 0.1 } : one)),
        logarithmic,
      )!.summary;
      expect(mean.estimate).toBeGreaterThan(0.15);
      expect(mean.estimate).toBeLessThan(0.8);
      expect([mean.low, mean.high, prediction.low, prediction.high]).toEqual([0.02, 1.5, 0.02, 1.5]);
    }
  });

  it("takes a prior out of a posterior again", () => {
    const prior = { value: -1.2, error: 0.5 },
      data = { value: -1.6, error: 0.3 };
    const precision = 1 / 0.25 + 1 / 0.09;
    const posterior = { value: (prior.value / 0.25 + data.value / 0.09) / precision, error: Math.sqrt(1 / precision) };
    const freed = withoutPrior(posterior, prior)!;
    expect(freed.value).toBeCloseTo(data.value, 10);
    expect(freed.error).toBeCloseTo(data.error, 10);
    expect(withoutPrior({ value: -1.2, error: 0.49 }, prior)).toBeNull();
  });
});

describe("several settings", () => {
  const stream = random(12);
  const settings = ["4B · grpo", "8B · grpo", "8B · ppo", "14B · grpo"];
  const rows = settings.flatMap((setting) => {
    const tasks = 0.25 + 0.02 * stream.normal(),
      environments = 0.315 + 0.02 * stream.normal(),
      level = 0.14 + 0.08 * stream.next();
    return simulate(
      stream.below(1e6),
      (x) =>
        0.08 +
        level * (x.tasks / 800) ** -tasks * (x.environments / 32) ** -environments * (x.trajectories / 5.66) ** -0.12,
      GRID,
      { setting },
    );
  });
  const fit = fitTable({ rows, notes: [] }, { bootstrap: 200, starts: 8, law: "multiplicative" });
  if (!fit.ok) throw new Error(fit.problem.message);
  const { value } = fit;

  it("each is fitted apart, and the exponents are their random-effects means", () => {
    expect(value.settings.map((one) => one.setting)).toEqual(settings);
    expect(value.summary.map((one) => one.axis)).toEqual(["tasks", "environments", "trajectories"]);
    for (const [axis, alpha] of Object.entries(TRUTHS.multiplicative.exponents)) {
      const { low, high } = value.exponents[axis];
      expect(low! < alpha + 0.03 && alpha - 0.03 < high!).toBe(true);
      const { prediction, mean } = value.summary.find((one) => one.axis === axis)!;
      expect(prediction.low <= mean.low && mean.high <= prediction.high).toBe(true);
    }
    expect(value.ordering).toMatchObject({ axes: ["environments", "tasks", "trajectories"] });
    expect(value.ordering.probability).toBeGreaterThan(0.9);
    expect(value.warnings.map((one) => one.code)).toContain("settings.several");
  });

  it("predictions can be had for each", () => {
    const at = { tasks: 800, environments: 32, trajectories: 6 };
    const values = settings.map((setting) => {
      const law = openFit(value, setting);
      if (!law.ok) throw new Error(law.problem.message);
      return predict(law.value, at).value.estimate;
    });
    expect(new Set(values.map((v) => v.toFixed(4))).size).toBe(4);
    expect(openFit(value, "70B · grpo")).toMatchObject({ ok: false, problem: { code: "fit.unknown-setting" } });
  });

  it("a setting that cannot be fitted is named and does not spoil the rest", () => {
    const lone = fitTable(
      { rows: [...rows, { ...rows[0], id: "lone", setting: "70B · grpo" }], notes: [] },
      { bootstrap: 50, starts: 4, law: "multiplicative" },
    );
    if (!lone.ok) throw new Error(lone.problem.message);
    expect(lone.value.settings.at(-1)).toMatchObject({ setting: "70B · grpo", refused: { code: "table.one-run" } });
    expect(lone.value.warnings.find((one) => one.code === "setting.refused")!.message).toContain("70B");
  });
});

describe("worlds against structures", () => {
  it("are fitted in place of environments where the runs state all three", () => {
    const rows = simulate(9, (x) => 0.08 + 0.2 * (x.tasks / 800) ** -0.25 * (x.environments / 32) ** -0.3, GRID).map(
      (row, i): RunRow => {
        const structures = [2, 4][i % 2];
        return { ...row, axes: { ...row.axes, structures, worlds: row.axes.environments! / structures } };
      },
    );
    const fit = fitTable({ rows, notes: [] }, { bootstrap: 100, starts: 6, law: "multiplicative" });
    if (!fit.ok) throw new Error(fit.problem.message);
    expect(Object.keys(fit.value.exponents).sort()).toEqual(["environments", "tasks", "trajectories"]);
    expect(Object.keys(fit.value.worldsAndStructures!.exponents)).toEqual(
      expect.arrayContaining(["worlds", "structures"]),
    );
    expect(fit.value.worldsAndStructures!.ordering.axes).toEqual(
      ["worlds", "structures", "tasks", "trajectories"].filter(
        (axis) => fit.value.worldsAndStructures!.exponents[axis].status !== "refused",
      ),
    );
  });
});

describe("reward density", () => {
  const stream = random(3);
  const rows = GRID.map((axes, i): RunRow => {
    const rewardDensity = [0.05, 0.1, 0.2, 0.5][stream.below(4)];
    const error = 0.08 + (TRUTHS.multiplicative.error(axes) - 0.08) * (rewardDensity / 0.15) ** -0.2;
    return { ...simulatedRun(stream, `r${i}`, axes, error), rewardDensity };
  });
  const exponent = (
    table: readonly RunRow[],
  ): { codes: string[]; fit: Extract<ReturnType<typeof fitTable>, { ok: true }>["value"] } => {
    const fit = fitTable({ rows: table, notes: [] }, { bootstrap: 60, starts: 8, law: "multiplicative" });
    if (!fit.ok) throw new Error(fit.problem.message);
    return { codes: fit.value.warnings.map((one) => one.code), fit: fit.value };
  };

  it("with three levels it enters as a factor, and its effect is found", () => {
    const { codes, fit } = exponent(rows);
    expect(codes).toContain("reward.controlled");
    const { low, high } = fit.parameters.gamma_reward_density;
    expect(low < 0.2 && 0.2 < high).toBe(true);
    expect(openFit(fit).ok).toBe(true);
  });

  it("different schemes are not pooled", () => {
    const { codes, fit } = exponent(
      rows.map((row, i): RunRow => ({ ...row, rewardDensity: undefined, rewardScheme: i % 2 ? "terminal" : "shaped" })),
    );
    expect(codes).toContain("reward.confounded");
    expect(fit.settings.map((one) => one.setting).sort()).toEqual(["shaped", "terminal"]);
  });

  it("two levels are named as a confounder", () => {
    expect(
      exponent(rows.map((row): RunRow => ({ ...row, rewardDensity: row.rewardDensity! > 0.15 ? 0.5 : 0.1 }))).codes,
    ).toContain("reward.confounded");
  });
});

describe("runs that have not converged", () => {
  const curve = (mid: number, noise = 0.004): { step: number; rate: number }[] => {
    const stream = random(8);
    return Array.from({ length: 12 }, (_, i) => ({
      step: 20 * (i + 1),
      rate: 0.2 + 0.5 / (1 + (mid / (20 * (i + 1))) ** 2) + noise * stream.normal(),
    }));
  };

  it("the gain at twice the steps is the curve's own", () => {
    // True gains at 480 against 240 steps: 2.5 points for a midpoint of 60, 17 points for one of 200.
    expect(expectedGain(curve(200), 1)! - 0.17).toBeLessThan(0.08);
    expect(expectedGain(curve(200), 1)).toBeGreaterThan(0.08);
    expect(expectedGain(curve(15), 1) ?? 0).toBeLessThan(0.02);
    expect(expectedGain(curve(200).slice(0, 4), 1)).toBeNull();
  });

  it("are named and kept as they ended, or dropped where that is asked", () => {
    const rows = simulate(3, TRUTHS.multiplicative.error, GRID).map((row, i): RunRow => ({
      ...row,
      curve: curve(i === 4 ? 200 : 15),
    }));
    for (const [convergence, kept] of [
      ["keep", 64],
      ["drop", 63],
    ] as const) {
      const fit = fitTable({ rows, notes: [] }, { bootstrap: 20, law: "multiplicative", convergence });
      if (!fit.ok) throw new Error(fit.problem.message);
      expect(fit.value.rows).toBe(kept);
      expect(fit.value.warnings.find((one) => one.code === "run.unconverged")!.message).toContain("run-4");
    }
    const all = rows.map((row): RunRow => ({ ...row, curve: curve(200) }));
    expect(fitTable({ rows: all, notes: [] }, { convergence: "drop" })).toMatchObject({
      ok: false,
      problem: { code: "runs.unconverged" },
    });
  });
});

describe("two settings of a dozen runs", () => {
  it("hold common exponents and levels of their own, and cover in simulation", () => {
    const coverage = new Coverage();
    let widest = 0;
    for (let repeat = 1; repeat <= 6; repeat++) {
      const stream = random(repeat * 77);
      const exponents: Readonly<Record<string, number>> = {
        tasks: 0.25 * Math.exp(0.3 * stream.normal()),
        environments: 0.315 * Math.exp(0.3 * stream.normal()),
        trajectories: 0.12,
      };
      const error =
        (floor: number, size: number) =>
        (x: Readonly<Record<string, number>>): number =>
          floor +
          size *
            (x.tasks / 800) ** -exponents.tasks *
            (x.environments / 32) ** -exponents.environments *
            (x.trajectories / 5.66) ** -exponents.trajectories;
      const settings = { one: error(0.05, 0.18), other: error(0.15, 0.25) };
      const rows = Object.entries(settings).flatMap(([setting, truth], i) => {
        const left = [...GRID];
        const levels = Array.from({ length: 12 }, () => left.splice(stream.below(left.length), 1)[0]);
        return simulate(10 * repeat + i, truth, levels, { setting });
      });
      const fit = fitTable({ rows, notes: [] }, { law: "multiplicative", seed: repeat, bootstrap: 300 });
      if (!fit.ok) throw new Error(fit.problem.message);
      for (const [axis, alpha] of Object.entries(exponents)) {
        const found = fit.value.exponents[axis];
        coverage.add("exponents", found, alpha);
        widest = Math.max(widest, found.high! / found.low!);
      }
      for (const [setting, truth] of Object.entries(settings)) {
        const law = openFit(fit.value, setting);
        if (!law.ok) throw new Error(law.problem.message);
        for (const x of [
          { tasks: 800, environments: 32, trajectories: 6 },
          { tasks: 12800, environments: 512, trajectories: 32 },
        ])
          coverage.add("predictions", predict(law.value, x).value, 1 - truth(x));
      }
    }
    expect(widest).toBeLessThan(12);
    for (const percent of Object.values(coverage.each)) expect(percent).toBeGreaterThanOrEqual(85);
  });
});
