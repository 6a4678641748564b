import type { Estimate } from "../core/estimate";
import { count, decimal, list } from "../core/figures/words";
import { gainOf } from "./writer";
import { recommendedSplit } from "./target";
import type { AllocationView, Note } from "./types";

/** What the edits of a file come to by themselves, and what the whole optimum would need beside them; null where they make it. */
export function aloneSentence({ result, edits, remainder, alone }: AllocationView): string | null {
  if (!alone) return null;
  const { change, held } = alone;
  const best = recommendedSplit(result);
  const by = `by hand: ${list([...new Set(remainder.map(({ axis }) => axis))])}`;
  const left = held.length === 0 ? "" : `, with ${list(held)} as they are`;
  const nothing = "No edit of this file alone gains anything.";
  if (result.mode === "same-success") {
    const first = edits.length === 0 ? nothing : `The edits alone need ${count(change.second.cost)} rather than ${count(change.first.cost)} ${result.unit} for the same success${left}.`;
    return `${first} The whole optimum needs ${count(best.cost)} ${result.unit}, and a part of it has to be done ${by}.`;
  }
  const noun = result.response === "success" ? "points of success" : "of loss";
  const first = edits.length === 0 ? nothing : `The edits alone come to ${signed(gainOf(change, result.response))} ${noun}${left}.`;
  return `${first} The whole optimum comes to ${signed(result.change)}, and a part of it has to be done ${by}.`;
}

/** Said wherever notes are, unless the present split is as good as the optimum. */
export function partialNote(view: AllocationView): Note | null {
  const message = view.result.regret.withinNoise ? null : aloneSentence(view);
  return message === null ? null : { severity: "information", code: "allocation.partial", message };
}

/** `+1.2 [0.4 to 2]`. */
function signed({ estimate, low, high }: Pick<Estimate, "estimate" | "low" | "high">): string {
  const text = decimal(estimate, 1);
  const range = Number.isFinite(low) && Number.isFinite(high) ? ` [${decimal(low, 1)} to ${decimal(high, 1)}]` : "";
  return `${estimate > 0 && text !== "0" ? "+" : ""}${text}${range}`;
}
