/** Pricing synthetic data: discounts κ and critical ratios r*, fitted together with the law. */
export { effectiveRatio } from "../../synthesis/mix";
export { PUBLISHED_RATIOS, SHAPE_NAMES } from "../../synthesis/shapes";
export { isSynthetic, joinSynthesis, methodsOf, onRealData, type Joined } from "./join";
export { effectiveRanges, synthesisOf, unpriced } from "./report";
