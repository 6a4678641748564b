import type { ScalarNode } from "../../syntax/tree";

/** The span of the text inside quotes, so that an edit keeps them. */
export function innerSpan(
  span: { readonly start: number; readonly end: number },
  text: string,
): { start: number; end: number } {
  const quotes = span.end - span.start - text.length;
  return quotes === 2 ? { start: span.start + 1, end: span.end - 1 } : { start: span.start, end: span.end };
}

/** What an edit is for, and what moves along with it by design. */
export function withThose(label: string, { along }: ScalarNode): string {
  return along === undefined ? label : `${label}; ${along.join(", ")} ${along.length > 1 ? "move" : "moves"} along`;
}
