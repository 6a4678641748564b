import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fitTable } from "../../../server/core/fit";
import { random } from "../../../server/core/numerics/random";
import { effectivePerReal, mixShapeOf } from "../../../server/core/synthesis/mix";
import { effectiveRatio, PUBLISHED_RATIOS, SHAPE_NAMES } from "../../../server/core/fit/synthetic";
import { bounded, LEAST, shapeParameters, SHAPES } from "../../../server/core/synthesis/shapes";
import type { RunRow } from "../../../server/core/table";
import { Coverage, simulatedRun, TRUTHS, type Levels } from "../fit/simulate";

const law = TRUTHS.multiplicative.error;

/** Real-data runs on a grid, and runs with synthetic environments at several ratios that count as `g` says. */
function runs(
  seed: number,
  g: (ratio: number) => number,
  ratios: readonly number[],
  options: { readonly real?: boolean; readonly axis?: string; readonly method?: string } = {},
): RunRow[] {
  const stream = random(seed),
    rows: RunRow[] = [],
    { axis = "environments", method = "genenv" } = options;
  const add = (axes: Levels, effective: Levels, synthesis?: RunRow["synthesis"]): void => {
    rows.push({
      ...simulatedRun(stream, `run-${rows.length}`, axes, law(effective)),
      ...(synthesis ? { synthesis } : {}),
    });
  };
  if (options.real !== false) {
    for (const tasks of [100, 400, 1600])
      for (const environments of [4, 16, 64])
        for (const trajectories of [2, 8])
          add({ tasks, environments, trajectories }, { tasks, environments, trajectories });
  }
  for (const scale of [1, 4]) {
    for (const ratio of ratios) {
      for (const trajectories of [2, 8]) {
        const real: Record<string, number> = { tasks: 400, environments: 6, trajectories };
        real[axis] *= scale;
        if (axis !== "tasks") real.tasks = trajectories === 2 ? 400 : 1600;
        add({ ...real, [axis]: real[axis] * (1 + ratio) }, { ...real, [axis]: real[axis] * g(ratio) } as Levels, {
          [axis]: { real: real[axis], synthetic: real[axis] * ratio, method },
        });
      }
    }
  }
  return rows;
}

const RATIOS = [0.5, 1, 2, 3, 4, 5, 6, 8, 12, 16];
const hurting = (ratio: number): number => 1 + 0.6 * Math.min(ratio, 5) - 0.2 * Math.max(0, ratio - 5);

describe("a generator that counts 0.6 up to ratio 5 and hurts beyond", () => {
  it("κ and r* lie inside their intervals", () => {
    const coverage = new Coverage();
    let priced = 0;
    for (let seed = 1; seed <= 24; seed++) {
      const fit = fitTable(
        { rows: runs(seed, hurting, RATIOS), notes: [] },
        { bootstrap: 40, starts: 8, law: "multiplicative" },
      );
      if (!fit.ok) throw new Error(fit.problem.message);
      const { discount, criticalRatio } = fit.value.synthesis.environments.genenv;
      coverage.add("κ", discount, 0.6);
      coverage.add("r*", criticalRatio, 5);
      if (criticalRatio.estimate !== null) priced++;
      expect(criticalRatio.shape === "saturating" ? criticalRatio.reason : criticalRatio.shape).toBeTruthy();
    }
    console.log("synthesis", coverage.each, "critical ratio found in", priced, "of 24");
    expect(priced).toBeGreaterThanOrEqual(20);
    expect(coverage.each["κ"]).toBeGreaterThanOrEqual(88);
    expect(coverage.each["r*"]).toBeGreaterThanOrEqual(88);
  });

  it("the law's exponents are not bent by the synthetic runs, and over-ratio runs are pointed out", () => {
    const fit = fitTable({ rows: runs(3, hurting, RATIOS), notes: [] }, { bootstrap: 40, starts: 8 });
    if (!fit.ok) throw new Error(fit.problem.message);
    const { low, high } = fit.value.exponents.environments;
    expect(low! < 0.315 && 0.315 < high!).toBe(true);
    expect(fit.value.warnings.map((one) => one.code)).toContain("synthesis.over-critical-ratio");
    const { evidence, shapes } = fit.value.synthesis.environments.genenv;
    expect(evidence).toHaveLength(40);
    expect(shapes.map((one) => one.shape).sort()).toEqual([...SHAPE_NAMES].sort());
    expect(fit.value.rows).toBe(58);
  });
});

describe("honest silence", () => {
  it("no critical ratio where no run goes beyond one", () => {
    const fit = fitTable(
      { rows: runs(5, (r) => 1 + 0.7 * r, [0.5, 1, 2, 3]), notes: [] },
      { bootstrap: 40, starts: 8, law: "multiplicative" },
    );
    if (!fit.ok) throw new Error(fit.problem.message);
    const { discount, criticalRatio } = fit.value.synthesis.environments.genenv;
    expect(discount.low! < 0.7 && 0.7 < discount.high!).toBe(true);
    expect(criticalRatio.estimate).toBeNull();
    expect(criticalRatio.reason).toBeTruthy();
  });

  it("an axis without an exponent has no ruler: its discount is refused with the reason", () => {
    const rows = runs(6, hurting, RATIOS, { real: false }).map((row): RunRow => ({
      ...row,
      synthesis: { environments: { ...row.synthesis!.environments!, real: 6 } },
      axes: { ...row.axes, environments: 6 },
    }));
    const fit = fitTable({ rows, notes: [] }, { bootstrap: 20, starts: 4 });
    if (!fit.ok) throw new Error(fit.problem.message);
    expect(fit.value.exponents.environments.status).toBe("refused");
    expect(fit.value.synthesis.environments.genenv.discount).toMatchObject({ estimate: null, source: "refused" });
  });

  it("runs without any real data have no ratio and are left out by name", () => {
    const rows = [
      ...runs(7, hurting, [1, 4]),
      {
        ...runs(8, hurting, [1])[20],
        id: "all made up",
        synthesis: { environments: { real: 0, synthetic: 40, method: "genenv" } },
      },
    ];
    const fit = fitTable({ rows, notes: [] }, { bootstrap: 20, starts: 4, law: "multiplicative" });
    if (!fit.ok) throw new Error(fit.problem.message);
    expect(fit.value.warnings.find((one) => one.code === "synthesis.no-real")!.message).toContain("all made up");
    expect(fit.value.runs.some((run) => run.id === "all made up")).toBe(false);
  });
});

describe("shapes", () => {
  it.each(SHAPE_NAMES)("%s: one real unit is one unit, slopes agree with finite differences", (name) => {
    const shape = SHAPES[name],
      slopes = new Float64Array(3),
      h = 1e-6;
    fc.assert(
      fc.property(
        fc.double({ min: 0.05, max: 1.2, noNaN: true }),
        fc.double({ min: 0.3, max: 2.5, noNaN: true }),
        fc.double({ min: 0.01, max: 0.2, noNaN: true }),
        fc.double({ min: 0.01, max: 4, noNaN: true }),
        (kappa, second, delta, ratio) => {
          // Kinks have no derivative.
          fc.pre(Math.abs(ratio - Math.exp(second)) > 0.01);
          const extra = [kappa, second, delta];
          expect(shape.g(extra, 0, 0, null)).toBe(1);
          const g = bounded(shape, extra, 0, ratio, slopes);
          fc.pre(g > 0.05);
          for (let i = 0; i < shape.count; i++) {
            const up = extra.map((v, j) => (j === i ? v + h : v)),
              down = extra.map((v, j) => (j === i ? v - h : v));
            expect(slopes[i]).toBeCloseTo((shape.g(up, 0, ratio, null) - shape.g(down, 0, ratio, null)) / (2 * h), 4);
          }
          expect(shapeParameters(shape, "tasks", "m", 5)).toHaveLength(shape.count);
        },
      ),
      { numRuns: 60 },
    );
  });

  it("effective data at known points", () => {
    expect(effectiveRatio("cap", 0.6, 5, null, 3)).toBeCloseTo(2.8);
    expect(effectiveRatio("cap", 0.6, 5, null, 9)).toBeCloseTo(4);
    expect(effectiveRatio("broken", 0.6, 5, 0.2, 9)).toBeCloseTo(3.2);
    expect(effectiveRatio("peak", 0.6, 5, null, 5)).toBeCloseTo(2.5);
    expect(effectiveRatio("saturating", 0.6, null, 3, 1e6)).toBeCloseTo(4);
    expect(PUBLISHED_RATIOS).toMatchObject({ environments: 9.4, tasks: 3.4, trajectories: 1.4 });
  });
});

describe("g(r)", () => {
  it("is one number for one input, in fits, prices and pictures", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...SHAPE_NAMES),
        fc.double({ min: 0.01, max: 2, noNaN: true }),
        fc.double({ min: 0.1, max: 20, noNaN: true }),
        fc.double({ min: 0.01, max: 2, noNaN: true }),
        fc.double({ min: 0, max: 60, noNaN: true }),
        (shape, kappa, critical, third, ratio) => {
          const theta = [kappa, Math.log(shape === "saturating" ? third : critical), third];
          const fitted = bounded(SHAPES[shape], theta, 0, ratio, null);
          const parameter = shape === "peak" ? kappa / (2 * critical) : shape === "cap" ? null : third;
          const priced = effectivePerReal(mixShapeOf(shape, kappa, critical, parameter), ratio);
          expect(priced).toBeCloseTo(fitted, 9);
          expect(effectiveRatio(shape, kappa, critical, parameter, ratio)).toBe(priced);
          expect(priced).toBeGreaterThanOrEqual(LEAST);
        },
      ),
    );
    // Three answers once: 0.02, 1e-9 and −0.62.
    expect(effectiveRatio("broken", 0.6, 2, 0.5, 7.64)).toBe(LEAST);
  });
});
