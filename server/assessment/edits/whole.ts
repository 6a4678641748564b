import type { DurationUnit } from "../../configs/wayBack";
import { isKnown, type ExperimentBudget } from "../../budget/budget";
import type { WholeNumbers } from "../../core/allocation";

const GROUP_RELATIVE = /^(?:dr[-_.]?)?(?:grpo|gspo|rloo|dapo|gigpo|cispo|reinforce\+\+|remax)/i;

/**
 * Whole numbers, and the least of each axis, for the proposals of one experiment. Prompts per step and group size stay in a
 * proposal, and so do the framework's rules, which are about them; what binds is what the duration can express: where it
 * counts epochs, rollouts per task come in whole groups a pass, and tasks in whole batches, or a part of each pass would be
 * dropped or drawn twice.
 */
export function wholeNumbers(
  budget: ExperimentBudget,
  duration: DurationUnit | null,
): { readonly whole: WholeNumbers; readonly least: Readonly<Record<string, number>> } {
  const relative = isKnown(budget.algorithm) && GROUP_RELATIVE.test(budget.algorithm.value);
  const group = isKnown(budget.groupSize) ? budget.groupSize.value : null;
  // Rollouts per task come in groups of n, whose size is not moved: fewer than one group per task cannot be had.
  const least = group ?? (relative ? 2 : 1);
  if (duration !== "epochs" || group === null) return { whole: {}, least: { trajectories: least } };
  const prompts =
    isKnown(budget.promptsPerStep) && Number.isInteger(budget.promptsPerStep.value)
      ? budget.promptsPerStep.value
      : null;
  return {
    whole: {
      steps: { trajectories: group, ...(prompts !== null && { tasks: prompts }) },
      ...(prompts !== null && { present: ["tasks"] }),
    },
    least: { trajectories: least },
  };
}
