import { isKnown, known, unknown, type ExperimentBudget } from "../budget/budget";
import type { ScalingFile } from "../configs/scaling/scalingFile";
import { allocate, type Allocation, type AllocationProblem } from "../core/allocation";
import type { AxisName } from "../core/axes";
import type { CostInputs, Levels, Stated } from "../core/cost";
import { refused, ok, type Result } from "../core/result";
import type { LawInForce, ModelChoice } from "./types";

interface ChosenModel {
  readonly problem: AllocationProblem;
  readonly result: Allocation;
  /** The best first; empty where the model is not to be chosen. */
  readonly models: readonly ModelChoice[];
}

/** A model that may be chosen. */
export interface Candidate {
  /** As it is listed; null: a size of the fitted runs, or the present one. */
  readonly name: string | null;
  readonly parameters: number;
  /** Null: all of them, or as many of them as of the present model. */
  readonly activeParameters: number | null;
}

/**
 * The models to choose among where parameters are free: those that scaling.yaml lists, else the sizes of the fit's runs, and
 * the present one: a size in between is no model. Null where the model stays; empty where limits leave none.
 */
export function candidateModels(
  free: readonly AxisName[],
  pins: readonly AxisName[],
  { fit, law }: LawInForce,
  { parameters: present }: Levels,
  scaling: ScalingFile | null,
): readonly Candidate[] | null {
  if (!free.includes("parameters") || pins.includes("parameters") || !law.axes.includes("parameters")) return null;
  const listed = scaling?.models ?? [];
  const fitted = fit.file.runs.flatMap(({ axes }) => axes.parameters ?? []);
  const sized = (sizes: readonly number[]): Candidate[] =>
    sizes.map((parameters) => ({ name: null, parameters, activeParameters: null }));
  const found = listed.length > 0 ? listed.map(({ value }) => value) : sized(fitted);
  const here = present !== undefined && !found.some(({ parameters }) => parameters === present);
  const { low, high } = scaling?.limits.parameters ?? { low: 0, high: Infinity };
  const within = [...found, ...(here ? sized([present]) : [])].filter(
    ({ parameters }) => parameters >= low && parameters <= high,
  );
  return within.filter((one, i) => within.findIndex((other) => isSame(one, other)) === i);
}

/** Two that a person would call one model: a size that is written 8B here and 8.0e9 there. */
function isSame(a: Candidate, b: Candidate): boolean {
  const near = (one: number, other: number) => Math.abs(Math.log(one / other)) < 0.005;
  return (
    a.name === b.name &&
    near(a.parameters, b.parameters) &&
    near(a.activeParameters ?? a.parameters, b.activeParameters ?? b.parameters)
  );
}

/** How a rollout's cost grows from the present model to another one: as hours are modelled for both, else as active parameters. */
export function exponentOf(
  { name, parameters, activeParameters }: Candidate,
  present: ExperimentBudget["model"],
  { gpuHoursPerRollout }: CostInputs,
  hours: (model: ExperimentBudget["model"]) => number | null,
): Stated {
  const here = isKnown(present.parameters) ? present.parameters.value : NaN;
  const active = isKnown(present.activeParameters) ? present.activeParameters.value : here;
  const there = activeParameters ?? (parameters * active) / here;
  if (!(Math.abs(Math.log(parameters / here)) > 1e-6)) return 1;
  const model = {
    name: name === null ? unknown("a size of the fitted runs") : known(name, "scaling.yaml"),
    parameters: known(parameters, "scaling.yaml"),
    activeParameters: known(there, "scaling.yaml"),
  };
  const [own, other] = gpuHoursPerRollout === undefined ? [null, null] : [hours(present), hours(model)];
  const scale = Math.log(parameters / here);
  return own !== null && other !== null
    ? { value: Math.log(other / own) / scale, source: "modelled on published runs, for both models" }
    : { value: Math.log(there / active) / scale, source: "active parameters of both models" };
}

/**
 * The best split; of several models, each by its own cost, the best model's. Codes: those of `allocate`, and
 * `allocation.models` where no size is left.
 */
export function allocateModels(
  problem: AllocationProblem,
  models: readonly Candidate[] | null,
  problemOf: (model: Candidate) => AllocationProblem,
): Result<ChosenModel> {
  if (models === null) {
    const result = allocate(problem);
    return result.ok ? ok({ problem, result: result.value, models: [] }) : result;
  }
  const solved = models.map((model) => {
    const size = model.parameters;
    const own = problemOf(model);
    const at = { ...own, limits: { ...own.limits, parameters: [size, size] as const } };
    return { model, at, found: allocate(at) };
  });
  const worked = solved.flatMap(({ model, at, found }) => (found.ok ? [{ model, at, result: found.value }] : []));
  if (worked.length === 0)
    return solved[0]?.found.ok === false
      ? solved[0].found
      : refused("allocation.models", "No listed or fitted model is within the limits of parameters.");
  // Of a loss, less is better.
  const sign = problem.law.response === "success" ? 1 : -1;
  // A target is reached by the cheapest, a budget spent for the most success.
  const worth = ({ mode, best }: Allocation): number =>
    mode === "same-success" ? -best.cost : sign * best.predicted.estimate;
  worked.sort((a, b) => worth(b.result) - worth(a.result));
  return ok({
    problem: worked[0].at,
    result: worked[0].result,
    models: worked.map(({ model, result: { best } }) => ({
      name: model.name,
      parameters: model.parameters,
      levels: best.levels as Record<string, number>,
      success: best.predicted,
      cost: best.cost,
    })),
  });
}
