/** What the fit leaves unknown, in what is said of a config. */
import { describe, expect, it } from "vitest";
import { assessDocument } from "../../server/assessment/assess";
import { isAllocated, isPredicted } from "../../server/assessment/types";
import { loadedFit } from "../../server/assessment/law";
import { readConfig } from "../../server/configs/read";
import { readScalingFile } from "../../server/configs/scaling/scalingFile";
import { fitTable, type FitFile } from "../../server/core/fit";
import { random } from "../../server/core/numerics/random";
import type { RunRow } from "../../server/core/table";
import { GRID, simulate, simulatedRun, TRUTHS } from "../core/fit/simulate";

const scaling = readScalingFile("file:///w/scaling.yaml", "prices: { environment: 40 USD, task: 0.5 USD }\n");

function fitted(rows: readonly RunRow[]): FitFile {
  const fit = fitTable({ rows, notes: [] }, { bootstrap: 100, starts: 4 });
  if (!fit.ok) throw new Error(fit.problem.message);
  return fit.value;
}

async function assess(fit: FitFile, synthesis = "") {
  const text = `name: x\nmodel: Qwen3-8B\ndesign: nested\nbudget: { tasks: 1600, environments: 40, trajectories: 8 }\ntokens_per_trajectory: 5000\n${synthesis}`;
  const document = await readConfig({ uri: "file:///w/x.budget.yaml", text, readText: async () => undefined });
  return assessDocument(document, "file:///w/x.budget.yaml", scaling, loadedFit(fit, "runs", "unknowns"))
    .experiments[0];
}

describe("synthetic data with a fitted discount", () => {
  it("widen what is expected by what is unknown of it, and lens and optimum say the same", async () => {
    const stream = random(11),
      truth = TRUTHS.multiplicative.error;
    const rows: RunRow[] = GRID.map((axes, i) =>
      simulatedRun(stream, `real-${i}`, axes, truth(axes), { trials: 4000, noise: 0.004 }),
    );
    for (const [i, ratio] of [1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6].entries()) {
      const real = { tasks: 400 + 100 * i, environments: 8, trajectories: 4 };
      rows.push({
        ...simulatedRun(
          stream,
          `made-${i}`,
          { ...real, environments: 8 * (1 + ratio) },
          truth({ ...real, environments: 8 * (1 + 0.6 * ratio) }),
        ),
        synthesis: { environments: { real: 8, synthetic: 8 * ratio, method: "genenv" } },
      });
    }
    const fit = fitted(rows);
    const [made, real] = [
      await assess(fit, "synthesis:\n  environments: { method: genenv, real: 8, synthetic: 32 }\n"),
      await assess(fit),
    ];
    if (!isPredicted(made.prediction) || !isPredicted(real.prediction) || !isAllocated(made.allocation))
      throw new Error("unknown");
    expect(made.prediction.successRate).toEqual(made.allocation.result.current.predicted);
    const width = ({ low, high }: { low: number; high: number }) => high - low;
    expect(width(made.prediction.successRate)).toBeGreaterThan(1.15 * width(real.prediction.successRate));
  });
});

describe("a fit over compute alone", () => {
  it("shows no figure, and says that the runs' compute has no unit", async () => {
    const fit = fitted(
      simulate(
        4,
        (x) => 0.1 + 0.5 * (x.compute / 1e18) ** -0.25,
        Array.from({ length: 12 }, (_, i) => ({ compute: 1e18 * 4 ** (i / 3) })),
      ),
    );
    const { prediction, allocation, missing } = await assess(fit);
    expect(prediction).toMatchObject({
      reason: "compute unknown: the runs state no unit for it, so this config's compute cannot be compared with theirs",
    });
    expect(isAllocated(allocation)).toBe(false);
    expect(missing.map(({ axis }) => axis)).toEqual(["compute"]);
  });
});
