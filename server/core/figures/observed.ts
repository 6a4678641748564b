import type { FittedLaw } from "../laws/law";
import type { RunRow } from "../table";
import { plural } from "./words";

/** 1 − success rate, or the loss; null where the outcome has no value. */
export function observedError(row: RunRow): number | null {
  const { outcome } = row;
  if (outcome.kind === "loss") return outcome.loss;
  if (outcome.kind === "rate") return 1 - outcome.rate;
  return outcome.trials > 0 ? 1 - outcome.successes / outcome.trials : null;
}

/** `95 % of 1,000 bootstrap draws`: how an interval came to be. */
export function drawKindNote(law: FittedLaw): string {
  return law.draws.length === 0 ? "unknown (no draws)" : `95 % of ${plural(law.draws.length, `${law.drawKind} draw`)}`;
}
