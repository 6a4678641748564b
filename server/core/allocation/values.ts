import { partShare } from "../cost/evaluate";
import { estimate, thin } from "../numerics/quantiles";
import { drawsAt } from "./predict";
import { lawLevels } from "./problem/prepare";
import type { Prepared } from "./problem/prepare";
import type { AxisValue, Levels, Ratios } from "./problem/types";

/** ∂cost/∂ln x_i at fixed ratios, by axis of the law; at a kink, what one more unit costs. */
function costSlopes(prepared: Prepared, levels: Levels, ratios: Ratios): Record<string, number> {
  const slopes: Record<string, number> = {};
  const level = (axis: string): number => levels[axis] ?? prepared.base[axis] ?? 1;
  for (const axis of prepared.problem.law.axes) slopes[axis] = 0;
  for (const term of prepared.cost.terms) {
    let amount = term.axis === null ? 1 : partShare(term, ratios[term.axis] ?? 0);
    for (const [axis, exponent] of Object.entries(term.exponents)) if (exponent) amount *= level(axis) ** exponent;
    if (amount < term.owned * (1 - 1e-12)) continue;
    for (const [axis, exponent] of Object.entries(term.exponents)) {
      if (exponent && slopes[axis] !== undefined) slopes[axis] += term.coefficient * amount * exponent;
    }
  }
  return slopes;
}

/** Draws that the interval of a doubling is read from: it is shown to a tenth of a point. */
const DOUBLING_DRAWS = 400;

/**
 * What each axis of the law is worth at a split: marginal value (−∂e/∂ln x)/(∂cost/∂ln x), which is equal across free axes
 * at an interior optimum, elasticity, and points for a doubling with their interval.
 */
export function axisValues(prepared: Prepared, levels: Levels, ratios: Ratios): AxisValue[] {
  const { law } = prepared.problem;
  const x = lawLevels(prepared, levels, ratios);
  const error = law.point.error(x);
  const gradient = law.point.gradient(x);
  const slopes = costSlopes(prepared, levels, ratios);
  const cost = prepared.cost.cost(levels, ratios);
  const total = cost.ok ? cost.value : NaN;
  const scale = law.response === "success" ? 100 : 1;
  const draws = thin(drawsAt(prepared, ratios), DOUBLING_DRAWS);
  const errors = draws.map((draw) => draw.error(x));
  const values: AxisValue[] = [];
  law.axes.forEach((axis, i) => {
    if (law.refused.some((refusal) => refusal.axis === axis)) return;
    const doubled = x.map((level, j) => (i === j ? 2 * level : level));
    const slope = slopes[axis] ?? 0;
    const perLog = -(gradient[i] ?? 0);
    values.push({
      axis,
      perLog,
      elasticity: perLog / error,
      doubling: estimate(
        scale * (error - law.point.error(doubled)),
        draws.map((draw, b) => scale * (errors[b] - draw.error(doubled))),
      ),
      costElasticity: slope / total,
      marginalValue: slope > 0 ? perLog / slope : null,
      pointsPerPercent: slope > 0 ? (scale * perLog * total) / slope / 100 : null,
    });
  });
  return values;
}
