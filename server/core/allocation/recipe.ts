import type { AxisName } from "../axes";
import type { Estimate } from "../estimate";
import { PUBLISHED_EXPONENTS } from "../solve/priors";
import type { FittedLaw, LawInstance } from "../laws/law";
import { ok, refused } from "../result";
import type { Result } from "../result";
import { median } from "./gain";
import type { Allocation, Levels } from "./problem/types";

/** D_E ∝ C^0.34, D_T ∝ C^0.27, D_τ ∝ C^0.13, N ∝ C^0.26 (arXiv 2610.23946) [paper]. */
export const PUBLISHED_GROWTH: Readonly<Record<string, number>> = {
  environments: 0.34,
  tasks: 0.27,
  trajectories: 0.13,
  parameters: 0.26,
};

/**
 * Exponents that make the published growth the optimal spend shares α_i/Σα of a multiplicative law with α_T = 0.25
 * [inferred]; the ranges come from the growth exponents' rounding to two decimals.
 */
const INFERRED_EXPONENTS: Readonly<Record<string, Estimate>> = {
  environments: { estimate: PUBLISHED_EXPONENTS.environments, low: 0.3, high: 0.329 },
  tasks: { estimate: PUBLISHED_EXPONENTS.tasks, low: 0.25, high: 0.25 },
  trajectories: { estimate: PUBLISHED_EXPONENTS.trajectories, low: 0.115, high: 0.126 },
  parameters: { estimate: PUBLISHED_EXPONENTS.parameters, low: 0.229, high: 0.251 },
};

/**
 * The published recipe: a reference allocation scaled by x_i = x_i,ref·(C/C_ref)^g_i. At C = C_ref it returns its input, and it
 * predicts no success rate. Axes without a published growth stay. Code `recipe.factor`.
 */
export function publishedRecipe(reference: Levels, factor: number): Result<Levels> {
  if (!(factor > 0) || !Number.isFinite(factor))
    return refused("recipe.factor", `C/C_ref must be above 0, not ${factor}.`);
  return ok(
    Object.fromEntries(
      Object.entries(reference).map(([axis, level]) => [axis, (level ?? 0) * factor ** (PUBLISHED_GROWTH[axis] ?? 0)]),
    ),
  );
}

export interface Disagreement {
  readonly rows: readonly DisagreementRow[];
  /** Pairs of axes that the fit's draws order against the published exponents in at least 90 % of them. */
  readonly reversed: readonly { readonly larger: AxisName; readonly smaller: AxisName; readonly probability: number }[];
  /** True where every interval holds the published value. */
  readonly agrees: boolean;
}

interface DisagreementRow {
  readonly axis: AxisName;
  /** Published growth exponent, rescaled to sum to 1 over the axes that are compared. */
  readonly publishedShare: number;
  readonly publishedExponent: Estimate;
  /**
   * −∂ln(e − E)/∂ln x at the centre of the fitted range: the exponent itself under a multiplicative law. The median of the draws, where
   * there are any: a mixture of laws has no one floor.
   */
  readonly fittedExponent: Estimate;
  /** Share of the marginal spend at the fit's optimum: the optimal spend share under additive costs. */
  readonly fittedShare: number | null;
  readonly agrees: boolean;
}

/** The user's fit beside the published recipe, axis by axis. Code `recipe.no-common-axis`. */
export function disagreement(law: FittedLaw, allocation: Allocation | null): Result<Disagreement> {
  const axes = law.axes.filter(
    (axis) => PUBLISHED_GROWTH[axis] !== undefined && !law.refused.some((refusal) => refusal.axis === axis),
  );
  if (axes.length === 0)
    return refused("recipe.no-common-axis", "The fit and the published recipe have no axis in common.");
  const total = axes.reduce((sum, axis) => sum + (PUBLISHED_GROWTH[axis] ?? 0), 0);
  const at = law.axes.map((axis) => law.ranges[axis]?.centre ?? 1);
  const point = localExponents(law.point, at);
  const draws = law.draws.map((draw) => localExponents(draw, at));
  const weights = allocation?.values.optimum.filter((value) => axes.includes(value.axis)) ?? [];
  const spend = weights.reduce((sum, value) => sum + value.costElasticity, 0);
  const rows = axes.map((axis): DisagreementRow => {
    const index = law.axes.indexOf(axis);
    const fittedExponent = median(
      point[index],
      draws.map((draw) => draw[index]),
    );
    const publishedExponent = INFERRED_EXPONENTS[axis] ?? { estimate: NaN, low: NaN, high: NaN };
    const weight = weights.find((value) => value.axis === axis);
    const overlap = Number.isNaN(fittedExponent.low)
      ? Math.abs(fittedExponent.estimate - publishedExponent.estimate) < 0.05
      : fittedExponent.low <= publishedExponent.high && fittedExponent.high >= publishedExponent.low;
    return {
      axis,
      publishedExponent,
      fittedExponent,
      agrees: overlap,
      publishedShare: (PUBLISHED_GROWTH[axis] ?? 0) / total,
      fittedShare: weight && spend > 0 ? weight.costElasticity / spend : null,
    };
  });
  const reversed = axes.flatMap((larger) =>
    axes.flatMap((smaller) => {
      if (
        (INFERRED_EXPONENTS[larger]?.estimate ?? 0) >= (INFERRED_EXPONENTS[smaller]?.estimate ?? 0) ||
        draws.length === 0
      )
        return [];
      const [i, j] = [law.axes.indexOf(larger), law.axes.indexOf(smaller)];
      const probability = draws.filter((draw) => draw[i] > draw[j]).length / draws.length;
      return probability >= 0.9 ? [{ larger, smaller, probability }] : [];
    }),
  );
  return ok({ rows, reversed, agrees: rows.every((row) => row.agrees) && reversed.length === 0 });
}

function localExponents(instance: LawInstance, at: readonly number[]): number[] {
  const above = instance.error(at) - (instance.posynomial()?.floor ?? 0);
  return instance.gradient(at).map((slope) => (above > 0 ? -slope / above : NaN));
}

/** The plain reading of the recipe, for people (model.md § 7). Each paragraph stands by itself. */
export const RECIPE_READING: readonly string[] = [
  "The published recipe says how each amount grows with compute C: environments ∝ C^0.34, tasks ∝ C^0.27, rollouts per task ∝ C^0.13, parameters ∝ C^0.26 [paper]. It starts from the split that you have, so at your present compute it changes nothing. It predicts no success rate.",
  "Its order depends on the law. Under an additive law, where the cost is the product of the amounts, the best growth is proportional to 1/α: the axis with the largest exponent grows slowest, and the published order turns round.",
  "The inferred exponents take the published growth for the best shares of the spend, α_i/Σα, as under a multiplicative law when the costs of the axes add up. With α_T = 0.25, that gives α_E ≈ 0.315 (0.300–0.329), α_τ ≈ 0.120 (0.115–0.126) and α_N ≈ 0.241 (0.229–0.251) [inferred].",
  "Without a fit, or one run's measured success to calibrate the prior, there is no success rate and no best split; tokens, compute and units need neither.",
];
