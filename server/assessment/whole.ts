import { isKnown, type ExperimentBudget } from "../configs/budget";
import type { WholeNumbers } from "../core/allocation";

const GROUP_RELATIVE = /^(?:dr[-_.]?)?(?:grpo|gspo|rloo|dapo|gigpo|cispo|reinforce\+\+|remax)/i;

/** Whole numbers, and the least of each axis, for the proposals of one experiment. */
export function wholeNumbers(budget: ExperimentBudget, framework: string | null): { readonly whole: WholeNumbers; readonly least: Readonly<Record<string, number>> } {
  const relative = isKnown(budget.algorithm) && GROUP_RELATIVE.test(budget.algorithm.value);
  const group = isKnown(budget.groupSize) ? budget.groupSize.value : null;
  // A framework's rollouts per task come in groups of n, whose size is not moved: fewer than one group per task cannot be had.
  const least = framework !== "native" && group !== null ? group : relative ? 2 : 1;
  return { whole: {}, least: { trajectories: least } };
}
