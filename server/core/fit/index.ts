/** The statistical engine: runs → fit → predictions. Nothing here throws; wrong input is a refusal with a dotted code. */
export type {
  FitFile,
  FitRun,
  ExponentEstimate,
  FloorEstimate,
  ParameterEstimate,
  SelectionEntry,
  SettingFit,
  AxisSummary,
  RefusedAxis,
  LossName,
} from "./file/file";
export type { SynthesisEstimate } from "../synthesis/drawn";
export { fitTable, type FitOptions, type Progress } from "./fit";
export { openFit, predict, type Prediction } from "./file/open";
export { readFit } from "./file/read";
export { printedFit, type PrintedFit } from "./file/print";
export { PUBLISHED_EXPONENTS, type ExponentPriors } from "../solve/priors";
export { calibrateFit, relativeGains, type CalibrateOptions, type RelativeGain } from "./calibrate";
