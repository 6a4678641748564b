import type { Estimate } from "../core/estimate";
import { count, decimal, list } from "../core/numbers";
import { gainOf } from "./edits/change";
import { recommendedSplit } from "./edits/target";
import type { AllocationView, Note } from "./types";
import { isClaimed } from "./verdict";
import { type Verdict } from "./verdictTypes";

type Gain = Pick<Estimate, "estimate" | "low" | "high">;

/** What a file gains by its own edits (points of success, or loss), where they do not make the whole best split: 0 without edits. Null where they do. */
export function aloneGain({ result, edits, alone }: AllocationView): Gain | null {
  if (!alone) return null;
  return edits.length === 0 ? { estimate: 0, low: 0, high: 0 } : gainOf(alone.change, result.response);
}

/** Whether a success is asked for that edits of this file cannot bring: the rest is to be changed by hand. */
export function isOutOfReach({ result, problem, edits, alone }: AllocationView): boolean {
  const wanted = problem.mode?.kind === "same-success" ? problem.mode.success : undefined;
  if (wanted === undefined || !alone || edits.length > 0) return false;
  const { estimate } = result.current.predicted;
  return result.response === "success" ? estimate < wanted - 1e-9 : estimate > wanted + 1e-9;
}

/** What a file gains by itself, and what the whole best split would need beside; null where its edits make the optimum. */
export function aloneSentence(view: AllocationView): string | null {
  const { result, edits, remainder, alone } = view;
  const gain = aloneGain(view);
  if (!alone || !gain) return null;
  const { change, held } = alone;
  const best = recommendedSplit(result);
  const byHand = `with ${list([...new Set(remainder.map(({ axis }) => axis))])} changed by hand`;
  const left = held.length === 0 ? "" : `, with ${list(held)} as they are`;
  const nothing = "Nothing is to be gained in this file alone.";
  if (result.mode === "same-success") {
    const first =
      edits.length === 0
        ? isOutOfReach(view)
          ? "In this file alone the success that is asked for is out of reach."
          : nothing
        : `This file alone needs ${count(change.second.cost)} rather than ${count(change.first.cost)} ${result.unit} for the same success${left}.`;
    return `${first} The whole best split needs ${count(best.cost)} ${result.unit}, ${byHand}.`;
  }
  const unit = result.response === "success" ? "points" : "of loss";
  const first = edits.length === 0 ? nothing : `This file alone gains ${signed(gain, unit)}${left}.`;
  return `${first} The whole best split gains ${signed(result.change, unit)}, ${byHand}.`;
}

/** Said wherever notes are, where a better split is claimed. */
export function partialNote(view: AllocationView, verdict: Verdict): Note | null {
  const message = isClaimed(verdict) ? aloneSentence(view) : null;
  return message === null ? null : { severity: "information", code: "allocation.partial", message };
}

/** `+1.2 points [0.4–2]`; negative ends are kept apart by a word. */
function signed({ estimate, low, high }: Gain, unit: string): string {
  const text = decimal(estimate, 1);
  const range =
    Number.isFinite(low) && Number.isFinite(high)
      ? ` [${decimal(low, 1)}${low < 0 || high < 0 ? " to " : "–"}${decimal(high, 1)}]`
      : "";
  return `${estimate > 0 && text !== "0" ? "+" : ""}${text} ${unit}${range}`;
}
