export { costModel, posynomialCost } from "./model";
export { hardware, hardwarePreset } from "./hardware";
export type { Hardware } from "./hardware";
export type { CostInputs, CostModel, CostPart, CostTerm, CostUnit, Levels, Money, Ratios, Stated } from "./types";
export { COST_PARTS } from "./runCost";
export type { CostPartName } from "./runCost";
