import type { Estimate } from "../core/estimate";

/** What may be claimed of a split against the best one at the same cost. */
export type VerdictKind = "better-split" | "likely-better" | "no-better-split" | "not-known";

/** Why a verdict is what it is: stable codes `verdict.…`, and one sentence each. */
export interface VerdictReason {
  readonly code: string;
  readonly message: string;
}

/** One object for every surface. A gain that is not known never looks like approval. */
export interface Verdict {
  readonly kind: VerdictKind;
  /** Probability, over laws and draws, that the recommended split is better; null where it may not speak. */
  readonly probability: number | null;
  /** Gain of the recommended split at equal cost: median and 95 %, points of success (or in the loss's unit). Null where nothing is known. */
  readonly gain: Estimate | null;
  readonly reasons: readonly VerdictReason[];
}
