import { describe, expect, it } from "vitest";
import { fitTable, readFit, type FitFile } from "../../server/core/fit";
import { fitReport } from "../../server/report/fit";
import { GRID, simulate, TRUTHS, type Levels } from "../core/fit/simulate";

const truth = TRUTHS.multiplicative.error;
const CORNERS = GRID.filter(
  ({ tasks, environments, trajectories }) =>
    [100, 6400].includes(tasks) && [4, 256].includes(environments) && [2, 16].includes(trajectories),
);

function fitted(levels: readonly Levels[], law = "auto"): FitFile {
  const fit = fitTable({ rows: simulate(3, truth, levels), notes: [] }, { bootstrap: 40, starts: 6, law });
  if (!fit.ok) throw new Error(fit.problem.message);
  return fit.value;
}

describe("where the runs are too few", () => {
  const fit = fitted(CORNERS);

  it("each law says how many its AICc and its held-out error need, and that its weight needs neither", () => {
    expect(fit.rows).toBe(8);
    expect(fit.selection.some(({ aicc }) => aicc === null)).toBe(true);
    for (const entry of fit.selection) {
      expect(entry.aicc === null, entry.law).toBe(entry.aiccReason !== undefined);
      expect(entry.heldOutRmse === null, entry.law).toBe(entry.heldOutReason !== undefined);
      if (entry.aicc !== null) continue;
      expect(entry.aiccReason).toMatch(/^needs (9|1\d) runs, has 8; its weight does not$/);
      expect(entry.weight).toBeGreaterThanOrEqual(0);
      expect(fitReport(fit, "few runs").replace(/\u00a0/g, " ")).toContain(`— (${entry.aiccReason})`);
    }
    expect(readFit(JSON.parse(JSON.stringify(fit))).ok).toBe(true);
  });

  it("and with as many as that, both are there", () => {
    const of = (runs: number) =>
      fitted([...CORNERS, ...GRID.filter((x) => !CORNERS.includes(x))].slice(0, runs)).selection;
    for (const one of of(12)) expect(one).toMatchObject({ aicc: expect.any(Number), heldOutRmse: expect.any(Number) });
    for (const one of of(4)) expect(one.heldOutReason).toBe("needs 5 runs, has 4");
    for (const one of of(5)) expect(one.heldOutReason).toBeUndefined();
  });

  it("the law that is shown has the largest weight, and is the first", () => {
    expect(fit.selection[0]).toMatchObject({ law: fit.law });
    const weights = fit.selection.map(({ weight }) => weight ?? 0);
    expect(weights).toEqual([...weights].sort((a, b) => b - a));
  });

  it("laws that could not be fitted at all are named with what they need", () => {
    const left = fitted(CORNERS.slice(0, 3)).warnings.find(({ code }) => code === "selection.left-out");
    expect(left?.message).toMatch(/^3 runs are too few to fit .*the additive law \(needs 4\)/);
    expect(fit.warnings.map(({ code }) => code)).not.toContain("selection.left-out");
  });
});

it("an exponent without a number says why in its cell", () => {
  const report = fitReport(fitted(GRID.map((x) => ({ ...x, environments: 16, trajectories: x.tasks / 50 }))), "stuck");
  expect(report).toContain("| Environments | — (1 level, needs 2) | refused |");
  expect(report).toContain("| Tasks | — (moves with trajectories) | refused |");
});

it("a fit over compute alone says why no config is judged by it", () => {
  const rows = simulate(
    4,
    (x) => 0.1 + 0.5 * (x.compute / 1e18) ** -0.25,
    Array.from({ length: 12 }, (_, i) => ({ compute: 1e18 * 4 ** (i / 3) })),
  );
  const fit = fitTable({ rows, notes: [] }, { bootstrap: 40, starts: 6 });
  if (!fit.ok) throw new Error(fit.problem.message);
  expect(fitReport(fit.value, "compute")).toContain("it depends on compute, and the runs state no unit for it");
  expect(fitReport(fitted(CORNERS), "few runs")).not.toContain("Configs show no success rate");
});
