import { publishedRecipe, growthPath, PUBLISHED_GROWTH, type Levels } from "../core/allocation";
import type { AxisName } from "../core/axes";
import type { Estimate } from "../core/estimate";
import { levelsOf } from "./costs";
import { isAllocated, type ExperimentAssessment } from "./types";
import { isBlocked, TOO_FAR, tooFar } from "./verdict";

/** One budget, as the fit and as the published recipe would spend it. */
export interface GrownBudget {
  /** × the present cost. */
  readonly times: number;
  /** In `Growth.unit`; null where the cost is unknown. */
  readonly budget: number | null;
  readonly best: {
    readonly levels: Levels;
    /** What the split costs, in `Growth.unit`: below the budget where limits stop it. */
    readonly cost: number;
    /** Null beyond the trust region. */
    readonly success: Estimate | null;
    /** Why no success rate is given. */
    readonly reason: string | null;
  } | null;
  /** Why the fit names no split here. */
  readonly reason: string | null;
  /** x_i·C^g_i from the present levels; the recipe predicts no success. */
  readonly recipe: Levels;
}

/** What grows as the budget grows. */
export interface Growth {
  readonly unit: string | null;
  readonly budgets: readonly GrownBudget[];
  /** d ln x/d ln C: along the fit's optimal path at the first budget, and as published. */
  readonly exponents: readonly {
    readonly axis: AxisName;
    readonly fit: number | null;
    readonly published: number | null;
  }[];
}

/**
 * The best split of each budget by the fit, where the verdict lets it speak, beside the published recipe, which starts at the
 * present amounts. `times`: multiples of the present cost, > 0.
 */
export function growthOf({ allocation, verdict, budget, law }: ExperimentAssessment, times: readonly number[]): Growth {
  const view = isAllocated(allocation) ? allocation : null;
  const withheld = !isAllocated(allocation)
    ? allocation.reason
    : !isBlocked(verdict)
      ? null
      : verdict.reasons.map(({ message }) => message).join("; ");
  const now: Levels = view ? view.result.current.levels : levelsOf(budget);
  const cost = view?.result.current.cost ?? null;
  const path =
    view && cost !== null && withheld === null
      ? growthPath(
          view.problem,
          times.map((factor) => factor * cost),
          { unit: view.result.unit },
        )
      : null;
  const points = path?.ok ? path.value.points : [];
  const budgets = times.map((factor): GrownBudget => {
    const amount = cost === null ? null : factor * cost;
    const point = points.find((one) => one.budget === amount);
    const refused = path?.ok ? path.value.refused.find((one) => one.budget === amount)?.problem.message : undefined;
    const recipe = publishedRecipe(now, factor);
    const far = point
      ? (tooFar(point.optimum.extrapolation, point.optimum.levels, law?.law.ranges) ??
        (point.optimum.outOfRange ? TOO_FAR : null))
      : null;
    return {
      times: factor,
      budget: amount,
      best: point
        ? {
            levels: point.optimum.levels,
            cost: point.optimum.cost,
            success: far === null ? point.optimum.predicted : null,
            reason: far,
          }
        : null,
      reason: point ? null : (withheld ?? refused ?? (path && !path.ok ? path.problem.message : null)),
      recipe: recipe.ok ? recipe.value : {},
    };
  });
  const first = points[0]?.exponents ?? {};
  const exponents = Object.keys(now).map((axis) => ({
    axis,
    fit: first[axis] ?? null,
    published: PUBLISHED_GROWTH[axis] ?? null,
  }));
  return { unit: view?.result.unit ?? null, budgets, exponents };
}
