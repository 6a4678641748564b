import type { Allocation, AllocationProblem, Difference } from "../../core/allocation";
import type { Estimate } from "../../core/estimate";

/** Points of success that the second split has over the first, or of loss that it has less. */
export function gainOf(
  { points }: Difference,
  response: Allocation["response"],
): Pick<Estimate, "estimate" | "low" | "high"> {
  return response === "success" ? points : { estimate: -points.estimate, low: -points.high, high: -points.low };
}

/**
 * An axis that a change moves to where the fitted runs say nothing, though no limit allows it: the same region that the solver
 * keeps to. `back`: the way back, −1 for less. Null where all that moves can be told.
 */
export function straysIn(
  { law, trust, limits }: AllocationProblem,
  { first, second }: Difference,
): { readonly axis: string; readonly back: -1 | 1 } | null {
  if (!trust) return null;
  for (const [axis, range] of Object.entries(law.ranges)) {
    const [now, then] = [first.levels[axis], second.levels[axis]];
    const seen = second.effective[axis];
    if (!range || now === undefined || then === undefined || seen === undefined) continue;
    if (Math.abs(then / now - 1) <= 1e-9) continue;
    const [low, high] = limits?.[axis] ?? [null, null];
    if (seen > trust * range.max * (1 + 1e-9) && high === null && then > (low ?? 0) * (1 + 1e-9))
      return { axis, back: -1 };
    if (seen < (range.min / trust) * (1 - 1e-9) && low === null && then < (high ?? Infinity) * (1 - 1e-9))
      return { axis, back: 1 };
  }
  return null;
}
