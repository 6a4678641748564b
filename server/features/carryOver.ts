import type { FieldSite } from "../budget/budget";
import type { Span } from "../syntax/text";
import type { ExperimentAssessment } from "../assessment/types";

/**
 * Where a span of an older text stands in a newer one. The texts differ in one region (what is between their common head
 * and tail); a span that touches it is lost.
 */
export function spanMapper(before: string, after: string): (span: Span) => Span | null {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before.charCodeAt(head) === after.charCodeAt(head)) head++;
  let tail = 0;
  while (
    tail < shorter - head &&
    before.charCodeAt(before.length - 1 - tail) === after.charCodeAt(after.length - 1 - tail)
  )
    tail++;
  const shift = after.length - before.length;
  return (span) => {
    if (span.end <= head) return span;
    if (span.start >= before.length - tail) return { start: span.start + shift, end: span.end + shift };
    return null;
  };
}

/** The experiment as last understood, with its places moved into the newer text; sites that were edited are dropped. */
export function carryOver(
  experiment: ExperimentAssessment,
  map: (span: Span) => Span | null,
  length: number,
): ExperimentAssessment {
  const { budget } = experiment;
  const anchor = map(budget.anchor) ?? {
    start: Math.min(budget.anchor.start, length),
    end: Math.min(budget.anchor.end, length),
  };
  const sites: FieldSite[] = [];
  for (const site of budget.sites) {
    const keySpan = map(site.keySpan);
    const valueSpan = map(site.valueSpan);
    if (keySpan && valueSpan)
      sites.push({ ...site, keySpan, valueSpan, editable: false, whyNot: "The document has a syntax error." });
  }
  return { ...experiment, budget: { ...budget, anchor, sites } };
}
