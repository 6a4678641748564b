import { innerSpan, rewriteNumber } from "../../syntax/quantity/rewrite";
import { isKnown, type ExperimentBudget, type PlannedEdit, type Remainder } from "../../budget/budget";
import type { Split } from "../../core/allocation";

/** A declared spend this near to the one of a split stays as it stands. */
const NEAR = 0.005;
/** An amount with at most a unit after it; anything else is an expression, which no longer holds. */
const AMOUNT = /^([\d_]+(?:\.\d+)?(?:[eE][-+]?\d+)?)(\s*[A-Za-z].*)?$/;

/**
 * The spend that a budget declares is that of its rollouts: where they move, it moves with them, or the same file would price a
 * rollout anew the next time it is read. Nothing where none is declared or it still holds; a remainder where it cannot be edited.
 */
export function declaredEdit(
  text: string,
  budget: ExperimentBudget,
  now: Split,
  then: Split,
  limit: number,
): { readonly edit?: PlannedEdit; readonly rest?: Remainder } {
  const declared =
    budget.declaredSpend ??
    (isKnown(budget.compute) && budget.compute.source === "config"
      ? { value: budget.compute.value, unit: "FLOPs" }
      : null);
  const [before, after] = [now, then].map(({ parts }) => parts.find(({ id }) => id === "rollouts")?.cost ?? 0);
  if (!declared || !(before > 0) || !(after > 0)) return {};
  const ratio = after / before;
  if (Math.abs(ratio - 1) <= NEAR && then.cost - after + before <= limit * (1 + 1e-9)) return {};
  const site = budget.sites.filter(({ field }) => field === "compute").at(-1);
  if (!site?.editable) {
    const reason = `the declared spend is that of the rollouts and has to move with them, but \`compute\` cannot be edited here: ${site?.whyNot ?? "it stands elsewhere"}`;
    return { rest: { axis: "compute", from: declared.value, to: floored(declared.value * ratio), reason } };
  }
  const span = innerSpan(text, site.valueSpan);
  const from = text.slice(span.start, span.end);
  const amount = AMOUNT.exec(from.trim());
  const to = amount
    ? rewriteNumber(from, floored(Number(amount[1].replaceAll("_", "")) * ratio)).text
    : `${floored(declared.value * ratio)} ${declared.unit}`;
  return { edit: { path: site.path, from, to, span, label: `the spend of as many rollouts: ${from} → ${to}` } };
}

/** Four significant digits, never more than the value. */
function floored(value: number): number {
  const scale = 10 ** (Math.floor(Math.log10(value)) - 3);
  return Number((Math.floor(value / scale + 1e-9) * scale).toPrecision(4));
}
