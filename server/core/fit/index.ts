/** The statistical engine: runs → fit → predictions. Nothing here throws; wrong input is a refusal with a dotted code. */
export type { FitFile, FitRun, ExponentEstimate, FloorEstimate, ParameterEstimate, SelectionEntry, SettingFit, SynthesisEstimate, AxisSummary, RefusedAxis, LossName } from "./file";
export { fitTable, type FitOptions, type Progress } from "./table";
export { openFit, predict, type Prediction } from "./open";
export { readFit } from "./read";
export { printedFit, type PrintedFit } from "./print";
export { PUBLISHED_EXPONENTS, type ExponentPriors } from "./priors";
export { calibrateFit, relativeGains, type CalibrateOptions, type RelativeGain } from "./calibrate";
