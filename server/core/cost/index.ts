export { costModel, posynomialCost } from "./model";
export { hardware, hardwarePreset } from "./hardware";
export type { Hardware, HardwareOverrides } from "./hardware";
export type {
  Assumption,
  CostInputs,
  CostModel,
  CostPart,
  CostTerm,
  CostUnit,
  Design,
  Footprint,
  Levels,
  Money,
  Passes,
  Ratios,
  Stated,
  TermPart,
} from "./types";
export { runCost, COST_PARTS } from "./runCost";
export type { CostPartName, IntervalShare, RunCost } from "./runCost";
export type { MeasuredRun } from "./calibration";
export type { RunShape } from "./shape";
