import type { AxisName } from "../../axes";
import type { FitRun } from "../file/file";
import type { Run } from "../../solve/run";

/** A run as the fit file keeps it. */
export function compactRun(
  run: Run,
  axes: readonly AxisName[],
  response: "success" | "loss",
  heldOut: ReadonlySet<string>,
): FitRun {
  const { row } = run;
  return {
    id: row.id,
    axes: Object.fromEntries(axes.map((axis) => [axis, row.axes[axis]!])),
    setting: run.setting,
    heldOut: heldOut.has(row.id),
    ...(row.seed === undefined ? {} : { seed: row.seed }),
    ...(row.simulated ? { simulated: true } : {}),
    ...(row.synthesis ? { synthesis: row.synthesis as FitRun["synthesis"] } : {}),
    ...(response === "loss"
      ? { loss: run.y }
      : { rate: 1 - run.y, ...(run.n > 0 ? { trials: run.n, ...wilson(1 - run.y, run.n) } : {}) }),
  };
}

/** Wilson's 95 % interval of a rate. */
function wilson(rate: number, n: number): { low: number; high: number } {
  const z = 1.959963985,
    centre = (rate + (z * z) / (2 * n)) / (1 + (z * z) / n);
  const half = (z * Math.sqrt((rate * (1 - rate)) / n + (z * z) / (4 * n * n))) / (1 + (z * z) / n);
  return { low: Math.max(0, centre - half), high: Math.min(1, centre + half) };
}
