import type { FigurePayload } from "./figures";
import type { Estimate } from "../core/estimate";

/** What one place of a document says. A number keeps its kind, interval and unit until a printer shows it. */
export type Cell =
  string | { readonly code: string } | { readonly strong: Cell } | { readonly unknown: string } | Quantity;

export interface Quantity {
  readonly n: number;
  /** `percent` of a share in [0, 1]; `points` are signed differences of percentages. */
  readonly as: "count" | "percent" | "points" | "times" | "fixed";
  /** Ends of the 95 % interval, where there is one. */
  readonly low?: number;
  readonly high?: number;
  readonly unit?: string;
  readonly digits?: number;
}

/** Cells one after another, as one piece of text. */
export type Line = readonly Cell[];

/** The four kinds of row that documents are made of. */
export type Row =
  | { readonly kind: "say"; readonly line: Line; readonly tone?: "caveat" | "item" }
  | { readonly kind: "table"; readonly head: readonly Line[]; readonly rows: readonly (readonly Line[])[] }
  | { readonly kind: "figure"; readonly figure: FigurePayload }
  | {
      readonly kind: "action";
      readonly label: string;
      readonly command: string;
      readonly args: readonly unknown[];
    };

export interface Section {
  readonly title?: Line;
  readonly level: 1 | 2 | 3;
  /** Details that open at a click, where a printer can. */
  readonly folded?: boolean;
  readonly rows: readonly Row[];
}

export const say = (...line: Cell[]): Row => ({ kind: "say", line });
export const item = (...line: Cell[]): Row => ({ kind: "say", line, tone: "item" });
export const caveat = (...line: Cell[]): Row => ({ kind: "say", line, tone: "caveat" });

/** An estimate with its interval; the ends are left out where there are none. */
export function quantity(
  { estimate, low, high }: Estimate,
  as: Quantity["as"],
  more: Pick<Quantity, "unit" | "digits"> = {},
): Quantity {
  const bounded = Number.isFinite(low) && Number.isFinite(high);
  return { n: estimate, as, ...(bounded && { low, high }), ...more };
}
