import { isKnown, type ExperimentBudget } from "../budget/budget";
import type { Cap } from "../core/allocation";
import { costModel, type CostInputs } from "../core/cost";
import type { AssessOptions } from "./options";

/**
 * GPU-hours and hours on the wall as budgets of their own: data are not bought with them, so only rollouts count. A sentence where one
 * was asked for and cannot be known.
 */
export function capsOf(
  budget: ExperimentBudget,
  inputs: CostInputs,
  asked: AssessOptions["caps"] = {},
): readonly Cap[] | string {
  if (asked.gpuHours === undefined && asked.deadline === undefined) return [];
  const hours = costModel({ ...inputs, prices: {}, unit: "GPUh" });
  if (!hours.ok) return `a limit on GPU-hours cannot hold: ${hours.problem.message}`;
  const caps: Cap[] = [];
  if (asked.gpuHours !== undefined) caps.push({ name: "GPU-hours", cost: hours.value, amount: asked.gpuHours });
  if (asked.deadline !== undefined) {
    if (!isKnown(budget.gpus)) return `a deadline cannot hold: the number of GPUs is unknown: ${budget.gpus.reason}`;
    const gpus = budget.gpus.value;
    caps.push({
      name: "deadline",
      cost: hours.value,
      amount: asked.deadline * gpus,
      unit: "hours",
      scale: 1 / gpus,
    });
  }
  return caps;
}
