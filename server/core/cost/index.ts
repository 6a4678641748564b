export { costModel, posynomialCost } from "./model";
export { hardware, hardwarePreset, HARDWARE_PRESETS } from "./hardware";
export type { Hardware, HardwareOverrides, HardwarePreset } from "./hardware";
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
