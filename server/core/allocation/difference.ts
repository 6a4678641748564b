import type { Estimate } from "../estimate";
import { ok, refused } from "../result";
import type { Result } from "../result";
import { NOISE_POINTS } from "./allocate";
import { estimate } from "../numerics/quantiles";
import { describe, errorsAt } from "./predict";
import { discrepancyBetween, spreadBy } from "../laws/predictive";
import { lawLevels, prepare } from "./problem/prepare";
import type { AllocationProblem, Split } from "./problem/types";

export interface Difference {
  readonly first: Split;
  readonly second: Split;
  /** Points of success (or loss) that the second has over the first, draw by draw, so that what both share cancels, with what laws may miss. */
  readonly points: Estimate;
  /** cost(second)/cost(first), in one unit. */
  readonly costRatio: number;
  /** Probability over the draws that the second is better; null without draws. */
  readonly probability: number | null;
  readonly withinNoise: boolean;
}

/** Two splits under one fitted law. Codes: `compare.law` (they rest on different fits), and those of `allocate`. */
export function compareSplits(first: AllocationProblem, second: AllocationProblem): Result<Difference> {
  if (first.law !== second.law)
    return refused("compare.law", "The two splits rest on different fits, whose draws cannot be paired.");
  const [a, b] = [prepare(first), prepare(second)];
  if (!a.ok) return a;
  if (!b.ok) return b;
  const [one, two] = [describe(a.value, a.value.base, a.value.ratios), describe(b.value, b.value.base, b.value.ratios)];
  if (!one.ok) return one;
  if (!two.ok) return two;
  const converted = second.cost.convert(two.value.cost, second.cost.unit, first.cost.unit);
  const from = errorsAt(a.value, a.value.base, a.value.ratios);
  const to = errorsAt(b.value, b.value.base, b.value.ratios);
  const success = first.law.response === "success";
  const scale = success ? 100 : -1;
  // Laws miss something too, and not the same at both splits.
  const off = discrepancyBetween(
    first.law,
    lawLevels(a.value, a.value.base, a.value.ratios),
    lawLevels(b.value, b.value.base, b.value.ratios),
  );
  const draws = spreadBy(
    Math.abs(scale) * off,
    from.draws.map((error, i) => scale * (error - (to.draws[i] ?? NaN))),
  );
  const points = estimate(scale * (from.point - to.point), draws);
  return ok({
    first: one.value,
    second: two.value,
    points,
    costRatio: converted.ok ? converted.value / one.value.cost : NaN,
    probability: draws.length === 0 ? null : draws.filter((gain) => gain > 0).length / draws.length,
    withinNoise: (points.low <= 0 && points.high >= 0) || (success && Math.abs(points.estimate) < NOISE_POINTS),
  });
}
