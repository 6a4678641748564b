import { isKnown, type ExperimentBudget } from "../budget/budget";
import type { Allocation, Cap, Pinned } from "../core/allocation";
import { isStepPart, type AxisName, type StepPart } from "../core/axes";
import { costModel, type CostInputs, type Levels } from "../core/cost";

const WORDS: Readonly<Record<StepPart, string>> = {
  steps: "steps",
  promptsPerStep: "prompts per step",
  groupSize: "the group size",
};

/**
 * Why steps, prompts per step or the group size cannot be freed; null where none was asked for, or the law knows them. The
 * optimum over them is told only by runs that vary them.
 */
export function notFreed(free: readonly AxisName[], lawAxes: readonly AxisName[]): string | null {
  const asked = free.filter(isStepPart).filter((part) => !lawAxes.includes(part));
  if (asked.length === 0) return null;
  return `${asked.map((part) => WORDS[part]).join(" and ")} cannot be freed: no run of the fit varies ${asked.length > 1 ? "them" : "it"} apart from the rollouts; fit runs that do, with a column of that name`;
}

/** With prompts per step and group size as they are, pinned steps are pinned rollouts. */
export function stepCaps(
  pins: readonly AxisName[],
  { steps }: ExperimentBudget,
  inputs: CostInputs,
  levels: Levels,
): readonly Cap[] {
  if (!pins.includes("steps")) return [];
  const model = costModel({ design: inputs.design, environmentAxes: inputs.environmentAxes, unit: "rollouts" });
  const now = model.ok ? model.value.cost(levels) : model;
  if (!model.ok || !now.ok) return [];
  const counted = isKnown(steps) ? { unit: "steps", scale: steps.value / now.value } : {};
  return [{ name: "steps", cost: model.value, amount: now.value, lasting: true, ...counted }];
}

/** A result that lists what was pinned beside the axes of the law. */
export function withStepPins(result: Allocation, pins: readonly AxisName[], budget: ExperimentBudget): Allocation {
  const pinned = [...new Set(pins.filter(isStepPart))].map((part): Pinned => {
    const fact = budget[part];
    const reason =
      part === "steps"
        ? "pinned: as many rollouts as now, since prompts per step and the group size stay"
        : "pinned, as it is by default: only tasks and rollouts per task move";
    return { axis: part, level: isKnown(fact) ? fact.value : NaN, code: "user", reason };
  });
  return pinned.length === 0 ? result : { ...result, pinned: [...result.pinned, ...pinned] };
}
