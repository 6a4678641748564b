import type { LayoutName } from "./budget";

export type { CostFacts, EvaluationFacts, LayoutName } from "./budget";

export const LAYOUTS: readonly LayoutName[] = ["colocated", "disaggregated", "async"];
