import type { AxisName } from "../axes";
import type { CustomLaw } from "../laws/forms/custom";
import type { ExponentPriors } from "../solve/priors";
import type { LossName } from "./file/file";

/** How a table is to be fitted. Everything has a default; `custom` is needed where law is "custom". */
export interface FitOptions {
  /** A law's name, or "auto" (the default): all are fitted and one is chosen. */
  readonly law?: string;
  /** Default: binomial where every run states its trials, gaussian where not, huber for losses. */
  readonly loss?: LossName;
  /** Default 1.35 × the noise's standard deviation. */
  readonly huberDelta?: number;
  /** Number of refits (or posterior draws); default 1000, above 2,000 runs 400. */
  readonly bootstrap?: number;
  readonly seed?: number;
  /** Default: every axis that most runs state. */
  readonly axes?: readonly AxisName[];
  readonly custom?: CustomLaw;
  /** `auto`: posterior below 30 runs (or 12 configurations). */
  readonly mode?: "auto" | "bootstrap" | "posterior";
  /** Priors for exponents in place of the published ones. */
  readonly priors?: ExponentPriors;
  /** Local refinements per law; at least 50 by default. */
  readonly starts?: number;
  /** What happens to runs whose own curve still climbs: `keep` (default) them as they ended, or `drop` them. */
  readonly convergence?: "keep" | "drop";
  /** Kept in the file as it is: files, hashes, command. */
  readonly provenance?: Readonly<Record<string, unknown>>;
}

/** Called now and then; return false to cancel. `done` of `total` are shares of the whole. */
export type Progress = (done: number, total: number, label: string) => boolean;
