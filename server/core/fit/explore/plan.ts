import type { AxisName, AxisRange } from "../../axes";
import type { CustomLaw } from "../../laws/forms/custom";
import type { LawContext, Model } from "../../laws/model";
import type { Problem } from "../../result";
import type { Loss, Observed } from "../../solve/likelihood";
import type { ManyStarts } from "../../solve/manyStarts";
import type { Mode } from "../../solve/posteriorMode";
import type { ExponentPriors } from "../../solve/priors";
import type { Identified } from "../data/identify";
import type { Run } from "../../solve/run";
import type { LossName } from "../file/file";
import type { Part } from "./parts";

/** What a fit of one setting needs to know besides its runs. */
export interface Plan {
  readonly response: "success" | "loss";
  readonly axes: readonly AxisName[];
  readonly law: string;
  readonly custom?: CustomLaw;
  readonly loss?: LossName;
  readonly huberDelta?: number;
  readonly mode: "auto" | "bootstrap" | "posterior";
  readonly priors?: ExponentPriors;
  readonly seed: number;
  readonly starts: number;
  /** Reward density enters as a factor. */
  readonly control: boolean;
  /** Synthetic data are priced beside the law: their kinks defeat importance sampling. */
  readonly joint?: boolean;
}

export interface Candidate {
  /** The law, in the terms of the fit file. */
  readonly base: Model;
  /** What was fitted: the law, with a control where one enters. */
  readonly model: Model;
  readonly fit: ManyStarts;
  readonly aicc: number | null;
  readonly heldOutRmse: number | null;
  /** Why one of these is not there. */
  readonly missing?: { readonly aicc?: string; readonly heldOut?: string };
  /** Where the posterior is highest; posterior fits only. */
  readonly mode: Mode | null;
  /** The law with every axis and without some, weighed; null where the law's evidence was not sampled. */
  readonly parts: readonly Part[] | null;
  /** ln p(runs | law), over its parts; posterior fits only. */
  readonly evidence: number | null;
}

/** One setting with every candidate law fitted, before one is chosen. */
export interface Explored {
  readonly setting: string;
  readonly runs: readonly Run[];
  readonly identified: Identified;
  /** Of every axis, refused ones too. */
  readonly ranges: Readonly<Record<string, AxisRange>>;
  readonly context: LawContext;
  /** For counts, with the trials that each run is worth beside run-to-run noise; `raw` has them as they are. */
  readonly seen: Observed;
  readonly raw: Observed;
  readonly loss: Loss;
  readonly rho?: number;
  readonly posterior: boolean;
  /** Student's t in place of the normal, where a few runs lie far off. */
  readonly tails?: number;
  readonly candidates: readonly Candidate[];
  /** φ of plain counts about the closest law, as it is shown. */
  readonly phi: number;
  /** The scale that is left in `seen`, and its degrees of freedom: what intervals and selection use. */
  readonly dispersion: number;
  readonly freedom: number;
  readonly heldOut: readonly boolean[];
  /** Positions of the runs that share every level. */
  readonly configurations: readonly (readonly number[])[];
  readonly warnings: readonly Problem[];
  /** The plan, with priors for axes that stand for others. */
  readonly plan: Plan;
}
