import type { ExperimentBudget, PlannedEdit, Remainder } from "../../budget/budget";
import type { CostModel } from "../../core/cost";
import type { Split } from "../../core/allocation";
import { lineEnd, newlineOf } from "../../syntax/text";

/** Numbers of rollouts this near to one another are the same. */
const NEAR = 5e-4;

/**
 * Measured GPU-hours are those of the rollouts that were made. Where a split moves the rollouts, the number that was measured is
 * written beside them, or the same file would price a rollout anew the next time it is read. Nothing where none are measured, or
 * the number stands there; a remainder where it cannot be written.
 */
export function measuredEdit(
  text: string,
  { spend: { measured }, sites }: ExperimentBudget,
  cost: CostModel,
  now: Split,
  then: Split,
): { readonly edit?: PlannedEdit; readonly rest?: Remainder } {
  if (!measured || measured.rollouts !== null) return {};
  const [made, next] = [now, then].map(({ levels }) => {
    const footprint = cost.footprint(levels);
    return footprint.ok ? footprint.value.rollouts : NaN;
  });
  if (!(made > 0) || !(next > 0) || Math.abs(next / made - 1) <= NEAR) return {};
  const rollouts = Math.max(1, Math.round(made));
  const site = sites.find(({ field, path }) => field === "measured" && path === "measured.gpu_hours");
  const reason =
    "the measured GPU-hours are those of as many rollouts: state it, so that they stay true of another split";
  if (!site?.editable) return { rest: { axis: "measured.rollouts", from: null, to: rollouts, reason } };
  const { keySpan, valueSpan } = site;
  const key = text.slice(keySpan.start, valueSpan.start).replace("gpu_hours", "rollouts");
  const indent = text.slice(text.lastIndexOf("\n", keySpan.start - 1) + 1, keySpan.start);
  // Within braces a comma parts two keys; a key that begins its line is followed by one on the next, below its comment.
  const inBraces = text.slice(text.lastIndexOf("measured", keySpan.start), keySpan.start).includes("{");
  const span = { start: valueSpan.start, end: inBraces ? valueSpan.end : lineEnd(text, valueSpan.end) };
  const from = text.slice(span.start, span.end);
  const to = `${from}${inBraces ? ", " : `${newlineOf(text)}${indent}`}${key}${rollouts}`;
  return { edit: { path: "measured.rollouts", from, to, span, label: `measured for ${rollouts} rollouts` } };
}
