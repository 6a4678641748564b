import type { Remainder } from "../configs/budget";
import { compareSplits, type Allocation, type AllocationProblem, type Difference } from "../core/allocation";
import { count, decimal, list } from "../core/figures/words";
import { recommendedSplit } from "./target";
import type { Note } from "./types";

/** A budget is held to within this share. */
const TOLERANCE = 0.01;

/**
 * What the edits make of the split without the remainder, which somebody has to do by hand: an optimum is balanced, and
 * half of it need not be better than what stood there. Null where nothing is left, or the law has no answer.
 */
export function editsAlone(problem: AllocationProblem, result: Allocation, remainder: readonly Remainder[]): Difference | null {
  const best = recommendedSplit(result);
  const left = new Map(remainder.filter(({ axis }) => best.levels[axis] !== undefined).map(({ axis, from }) => [axis, from ?? result.current.levels[axis]] as const));
  if (left.size === 0) return null;
  const levels = Object.fromEntries(Object.entries(best.levels).map(([axis, level]) => [axis, left.get(axis) ?? level]));
  const mixes = problem.mixes?.map((mix) => ({ ...mix, ratio: (left.has(mix.axis) ? undefined : best.ratios[mix.axis]) ?? mix.ratio }));
  const compared = compareSplits(problem, { ...problem, current: levels, ...(mixes ? { mixes } : {}) });
  return compared.ok ? compared.value : null;
}

/** Said where the edits alone leave the budget or win nothing. */
export function aloneNote(alone: Difference, result: Allocation, remainder: readonly Remainder[]): Note | null {
  const over = result.mode !== "same-success" && alone.second.cost > result.budget * (1 + TOLERANCE);
  if (!over && alone.points.estimate > 0) return null;
  const costs = over ? `cost ${count(alone.second.cost)} ${result.unit} rather than ${count(result.budget)}` : "";
  const wins = alone.points.estimate <= 0 ? `change the expected success by ${decimal(alone.points.estimate, 1)} points` : "";
  return { severity: "information", code: "allocation.partial", message: `Without what is not written into this file, the edits alone would ${[costs, wins].filter((part) => part !== "").join(" and ")}: do both, or pin ${list([...new Set(remainder.map(({ axis }) => axis))])} to optimise the rest.` };
}
