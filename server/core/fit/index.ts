/** The statistical engine: runs → fit → predictions. Nothing here throws; wrong input is a refusal with a dotted code. */
export type { FitFile } from "./file/file";
export { fitTable } from "./fit";
export type { FitOptions } from "./options";
export { openFit, predict } from "./file/open";
export { isRecord, readFit } from "./file/read";
export { printedFit } from "./file/print";
export { PUBLISHED_EXPONENTS } from "../solve/priors";
export { calibrateFit, relativeGains } from "./calibrate";
