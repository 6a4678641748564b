import { isKnownAxis, type AxisName } from "../core/axes";
import { list } from "../core/numbers";
import type { RunRow } from "../core/table";

/** Axes that not every run states, in a sentence: a law knows only what the runs say. Empty for losses, whose axes are any columns. */
export function unstated(rows: readonly RunRow[]): string {
  if (rows.some(({ outcome }) => outcome.kind === "loss")) return "";
  // Runs over other axes (compute, say) judge no config anyway, which the fit says.
  if (!rows.some(({ axes }) => Object.keys(axes).some(isKnownAxis))) return "";
  const stated = (axis: AxisName) => rows.filter(({ axes }) => axes[axis] !== undefined).length;
  const inParts = stated("worlds") + stated("structures") > 0;
  const lacking = ["tasks", ...(inParts ? [] : ["environments"]), "trajectories"].filter(
    (axis) => stated(axis) < rows.length,
  );
  return lacking.length === 0
    ? ""
    : `Not stated by every run: ${list(lacking.map((axis) => `${axis} (by ${stated(axis)} of ${rows.length})`))}. Say them under \`facts\` in scaling.yaml, by file.`;
}
