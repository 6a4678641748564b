import { allocate, type Allocation, type AllocationProblem } from "../core/allocation";
import { refused, ok, type Result } from "../core/result";
import type { LawInForce, ModelChoice } from "./types";

interface ChosenModel {
  readonly problem: AllocationProblem;
  readonly result: Allocation;
  /** The best first; empty where the model is not to be chosen. */
  readonly models: readonly ModelChoice[];
}

/**
 * The best split; where parameters are free, over the model sizes that the fit's runs have (and the present one): a size in
 * between is no model. Codes: those of `allocate`, and `allocation.models` where no size is left.
 */
export function allocateModels(problem: AllocationProblem, { fit, law }: LawInForce): Result<ChosenModel> {
  const isFree = problem.free?.includes("parameters") && !problem.pins?.includes("parameters");
  if (!isFree || !law.axes.includes("parameters")) {
    const result = allocate(problem);
    return result.ok ? ok({ problem, result: result.value, models: [] }) : result;
  }
  const [low, high] = problem.limits?.parameters ?? [null, null];
  const fitted = fit.file.runs.flatMap(({ axes }) => axes.parameters ?? []);
  const sizes = [...new Set([...fitted, problem.current.parameters ?? NaN])].filter(
    (size) => size >= (low ?? 0) && size <= (high ?? Infinity),
  );
  const solved = sizes.map((size) => {
    const at = { ...problem, limits: { ...problem.limits, parameters: [size, size] as const } };
    return { size, at, found: allocate(at) };
  });
  const worked = solved.flatMap(({ size, at, found }) => (found.ok ? [{ size, at, result: found.value }] : []));
  if (worked.length === 0)
    return solved[0]?.found.ok === false
      ? solved[0].found
      : refused("allocation.models", "No size of a fitted model is within the limits of parameters.");
  // Of a loss, less is better.
  const sign = problem.law.response === "success" ? 1 : -1;
  // A target is reached by the cheapest, a budget spent for the most success.
  const worth = ({ mode, best }: Allocation): number =>
    mode === "same-success" ? -best.cost : sign * best.predicted.estimate;
  worked.sort((a, b) => worth(b.result) - worth(a.result));
  return ok({
    problem: worked[0].at,
    result: worked[0].result,
    models: worked.map(({ size, result: { best } }) => ({
      parameters: size,
      levels: best.levels as Record<string, number>,
      success: best.predicted,
      cost: best.cost,
    })),
  });
}
