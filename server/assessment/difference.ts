import { compareSplits } from "../core/allocation";
import type { Estimate } from "../core/estimate";
import { isAllocated, isPredicted, type ExperimentAssessment } from "./types";

/**
 * Points of success of `b` over `a`; null where either is unknown. Draws are paired where one law judges both, so that
 * what they share cancels; without, there is no interval (NaN).
 */
export function difference(
  a: ExperimentAssessment,
  b: ExperimentAssessment,
): Pick<Estimate, "estimate" | "low" | "high"> | null {
  if (!isPredicted(a.prediction) || !isPredicted(b.prediction)) return null;
  const estimate = 100 * (b.prediction.successRate.estimate - a.prediction.successRate.estimate);
  const unpaired = { estimate, low: NaN, high: NaN };
  if (!isAllocated(a.allocation) || !isAllocated(b.allocation)) return unpaired;
  const paired = compareSplits(a.allocation.problem, b.allocation.problem);
  return paired.ok ? paired.value.points : unpaired;
}
