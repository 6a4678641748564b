export { allocate } from "./allocate";
export { meanLaw } from "./solve/compile";
export { compareSplits } from "./difference";
export { withDrawnDiscounts } from "./problem/drawn";
export { neverVaried, withUnvaried } from "./problem/unvaried";
export type { Difference } from "./difference";
export { computeEquivalentGain, growthPath } from "./growth";
export { disagreement, PUBLISHED_GROWTH, publishedRecipe, RECIPE_READING } from "./recipe";
export { BASELINES } from "./paths";
export type { Baseline } from "./paths";
export { criticalRatio, effectivePerRaw, effectivePerReal } from "../synthesis/mix";
export type { MixShape } from "../synthesis/mix";
export type {
  Allocation,
  AllocationProblem,
  Cap,
  Pinned,
  IntegerRule,
  Levels,
  Mode,
  Split,
  SynthesisMix,
  WholeNumbers,
} from "./problem/types";
