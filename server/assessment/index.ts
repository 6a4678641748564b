export type * from "./types";
export { isAllocated, isPredicted } from "./types";
export { assess, assessDocument, readDocument, type AssessOptions, type AssessRequest } from "./assess";
export { lawFor, loadedFit, loadFit, type FitRequest } from "./fits";
export { findScaling, readScaling, type Scaling } from "./scaling";
export { recommendedSplit } from "./target";
export { resolveSources } from "./sources";
export { hashOf } from "./hash";
