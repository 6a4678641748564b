export { allocate, NOISE_POINTS } from "./allocate";
export { meanLaw } from "./solve/compile";
export { compareSplits } from "./difference";
export { withDrawnDiscounts } from "./problem/drawn";
export { neverVaried, withUnvaried } from "./problem/unvaried";
export type { Difference } from "./difference";
export { computeEquivalentGain, growthPath } from "./growth";
export type { EquivalentGain, GrowthPath, GrowthPoint } from "./growth";
export { disagreement, INFERRED_EXPONENTS, PUBLISHED_GROWTH, publishedRecipe, RECIPE_READING } from "./recipe";
export type { Disagreement, DisagreementRow } from "./recipe";
export { BASELINES } from "./paths";
export type { Baseline } from "./paths";
export {
  bestAtAnEnd,
  criticalRatio,
  effectivePerRaw,
  effectivePerReal,
  PUBLISHED_CRITICAL_RATIOS,
} from "../synthesis/mix";
export type { MixShape } from "../synthesis/mix";
export type {
  Allocation,
  AllocationOptions,
  AllocationProblem,
  AxisValue,
  Cap,
  Certificate,
  Corner,
  IntegerRule,
  Levels,
  Mode,
  Pinned,
  Ratios,
  Regret,
  Rounding,
  Sensitivity,
  Split,
  SynthesisMix,
  WholeNumbers,
} from "./problem/types";
