/** Runs that are on, in a fit by their forecasts. */
import { describe, expect, it } from "vitest";
import { fitTable } from "../../../server/core/fit";
import { random } from "../../../server/core/numerics/random";
import type { RunRow } from "../../../server/core/table";
import { fittable } from "../../../server/runs/results";

const END = 0.7;

function running(id: string, until: number, more: Partial<RunRow> = {}): RunRow {
  const stream = random(until);
  const curve = [];
  for (let step = 4; step <= until; step += 4)
    curve.push({ step, rate: 0.1 + (END - 0.1) / (1 + (step / 40) ** -3) + 0.01 * stream.normal() });
  return {
    id,
    axes: { tasks: 4000, trajectories: (8 * until) / 200 },
    outcome: { kind: "rate", rate: curve[curve.length - 1].rate, trials: 500 },
    setting: "",
    steps: until,
    plannedSteps: 200,
    state: "running",
    curve,
    files: [],
    ...more,
  };
}

const finished = [250, 500, 1000, 2000, 8000, 16000].map((tasks, i): RunRow => {
  const trials = 500;
  const successes = Math.round(trials * (0.8 - 1.2 * tasks ** -0.25 + 0.004 * (i % 2)));
  return {
    id: `r${i}`,
    axes: { tasks, trajectories: 8 },
    outcome: { kind: "counts", successes, trials },
    setting: "",
    files: [],
  };
});

describe("include: running", () => {
  it("leaves a run that is on out by default, and says so", () => {
    const table = fittable({ rows: [...finished, running("on", 120)], notes: [] });
    expect(table.rows.map(({ id }) => id)).not.toContain("on");
    expect(table.notes.map(({ code }) => code)).toContain("run.not-a-result");
  });

  it("counts it by its forecast at its planned end, a wide one as few tasks", () => {
    const trials = [60, 180].map((until) => {
      const table = fittable({ rows: [...finished, running("on", until)], notes: [] }, "running");
      const row = table.rows.find(({ id }) => id === "on")!;
      expect(row.axes.trajectories).toBeCloseTo(8, 9);
      expect(row.steps).toBe(200);
      const { outcome, forecastSd: sd } = row;
      if (outcome.kind !== "rate" || sd === undefined) throw new Error("no forecast");
      expect(Math.abs(outcome.rate - END)).toBeLessThan(3 * sd);
      expect(Math.abs((outcome.rate * (1 - outcome.rate)) / sd ** 2 - outcome.trials!)).toBeLessThanOrEqual(0.5);
      expect(table.notes.find(({ code }) => code === "run.by-forecast")?.message).toMatch(/on \(\d+ % ± \d+ points\)/);
      expect(table.notes.map(({ code }) => code)).not.toContain("run.not-a-result");
      const fit = fitTable(table, { bootstrap: 20, law: "multiplicative" });
      if (!fit.ok) throw new Error(fit.problem.message);
      expect(fit.value.rows).toBe(7);
      return outcome.trials!;
    });
    expect(trials[0]).toBeLessThan(trials[1]);
  });

  it("leaves out what has no forecast: no planned end, or a crash", () => {
    const rows = [
      ...finished,
      running("endless", 120, { plannedSteps: undefined }),
      running("broken", 120, { state: "crashed" }),
    ];
    const table = fittable({ rows, notes: [] }, "running");
    expect(table.rows).toHaveLength(finished.length);
    expect(table.notes.find(({ code }) => code === "run.not-a-result")?.message).toContain(
      "endless (running), broken (crashed)",
    );
  });
});
