import type { BudgetTarget } from "../../budget/budget";
import type { Allocation } from "../../core/allocation";
import { isKnownAxis } from "../../core/axes";

/** The split that is recommended. */
export function recommendedSplit(result: Allocation): Allocation["optimum"] {
  return result.best;
}

/** What the recommendation asks of a config: the axes that move. */
export function targetOf(result: Allocation): BudgetTarget {
  const { levels: to, ratios } = recommendedSplit(result);
  const target: Record<string, number> = {};
  for (const [axis, level] of Object.entries(to)) {
    if (level === undefined || !isKnownAxis(axis) || result.pinned.some((pin) => pin.axis === axis)) continue;
    const from = result.current.levels[axis];
    if (from === undefined || Math.abs(level - from) > 1e-6 * from) target[axis] = Math.round(level);
  }
  const synthesis = Object.fromEntries(
    Object.entries(ratios).flatMap(([axis, ratio]) => {
      const level = to[axis],
        from = result.current.ratios[axis];
      if (
        level === undefined ||
        ratio === undefined ||
        from === undefined ||
        Math.abs(ratio - from) <= 1e-9 * from ||
        result.pinned.some((pin) => pin.axis === axis)
      )
        return [];
      const real = Math.round(level / (1 + ratio));
      return [[axis, { real, synthetic: Math.round(level) - real }]];
    }),
  );
  return { ...target, ...(Object.keys(synthesis).length > 0 ? { synthesis } : {}) };
}
