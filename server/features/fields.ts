import { isAllocated, type AllocationView, type ExperimentAssessment } from "../assessment/types";
import { recommendedSplit } from "../assessment/edits/target";
import { known } from "../budget/budget";
import type { BudgetField, ExperimentBudget, Fact, FieldSite, PlannedEdit } from "../budget/budget";
import type { AxisName } from "../core/axes";
import type { Levels } from "../core/cost";
import { spend } from "../core/numbers";

/** What the budget says of a field, where the field is one value. */
export function factOf(
  { axes, model, ...budget }: ExperimentBudget,
  field: BudgetField,
): Fact<number | string> | undefined {
  const facts: Readonly<Partial<Record<BudgetField, Fact<number | string>>>> = {
    model: model.name,
    parameters: model.parameters,
    activeParameters: model.activeParameters,
    ...axes,
    promptsPerStep: budget.promptsPerStep,
    groupSize: budget.groupSize,
    steps: budget.steps,
    epochs: budget.epochs,
    maxPromptTokens: budget.maxPromptTokens,
    maxResponseTokens: budget.maxResponseTokens,
    maxTurns: budget.maxTurns,
    gpus: budget.gpus,
    algorithm: budget.algorithm,
    ...stated(budget.spend),
    tokensPerTrajectory: budget.tokensPerTrajectory,
    domain: budget.domain,
    rewardScheme: budget.rewardScheme,
    design: budget.design,
    coverage: budget.coverage,
  };
  return facts[field];
}

/** What is to be spent and what was measured, with their units. */
function stated({
  compute,
  measured,
}: ExperimentBudget["spend"]): Readonly<Partial<Record<BudgetField, Fact<string>>>> {
  return {
    ...(compute && { compute: known(spend(compute.value, compute.unit), "config", { span: compute.span }) }),
    ...(measured && { measured: known(spend(measured.gpuHours, "GPUh"), "config", { span: measured.span }) }),
  };
}

/** The axis that a budget field moves, where it moves one. */
const AXIS_OF: Readonly<Partial<Record<BudgetField, AxisName>>> = {
  tasks: "tasks",
  environments: "environments",
  worlds: "worlds",
  structures: "structures",
  trajectories: "trajectories",
  groupSize: "trajectories",
  epochs: "trajectories",
  steps: "trajectories",
  parameters: "parameters",
  model: "parameters",
};

export function axisOf(field: BudgetField): AxisName | null {
  return AXIS_OF[field] ?? null;
}

/** Fields whose own number is the level of an axis, in the axis's unit. */
const LEVELS: readonly BudgetField[] = ["tasks", "environments", "worlds", "structures", "trajectories", "parameters"];

export function isLevel(field: BudgetField): boolean {
  return LEVELS.includes(field);
}

/** The amounts that are recommended, by axis. */
export function recommendation(allocation: AllocationView): Levels {
  return recommendedSplit(allocation.result).levels;
}

/** Where a value should go by what its own file can do; where only hands can move the axis, by what the whole best split asks for. */
export function aimOf(allocation: AllocationView, axis: AxisName): number | undefined {
  const { alone, remainder } = allocation;
  return alone && !remainder.some((rest) => rest.axis === axis)
    ? alone.change.second.levels[axis]
    : recommendation(allocation)[axis];
}

/** The planned edit that changes this very value. */
export function editOf(experiment: ExperimentAssessment, site: FieldSite): PlannedEdit | null {
  if (!isAllocated(experiment.allocation)) return null;
  const { start, end } = site.valueSpan;
  return experiment.allocation.edits.find((edit) => edit.span.start >= start && edit.span.end <= end) ?? null;
}

/** The same where it may be made alone: a value that falls pays for others that rise, and by itself only lowers the success. */
export function setOf(experiment: ExperimentAssessment, site: FieldSite): PlannedEdit | null {
  const edit = editOf(experiment, site);
  const axis = axisOf(site.field);
  if (!edit || axis === null || !isAllocated(experiment.allocation)) return edit;
  const from = experiment.allocation.result.current.levels[axis];
  const to = aimOf(experiment.allocation, axis);
  return from !== undefined && to !== undefined && to < from ? null : edit;
}
