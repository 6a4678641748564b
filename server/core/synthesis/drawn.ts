import type { AxisName } from "../axes";

import type { DrawnDiscount } from "../laws/law";
import { parameterNames } from "./shapes";

type Rows = readonly ArrayLike<number>[];

/** A method's discount in each draw, where the draws have it; null where they do not, or where it has no estimate. */
export function drawnDiscounts(
  axis: AxisName,
  method: string,
  estimate: SynthesisEstimate,
  names: readonly string[],
  rows: Rows | (() => Rows | null),
): DrawnDiscount[] | null {
  const {
    criticalRatio: { shape, estimate: critical },
  } = estimate;
  if (estimate.discount.estimate === null) return null;
  const wanted = parameterNames(shape, axis, method),
    at = wanted.map((name) => names.indexOf(name));
  if (at.includes(-1)) return null;
  const drawn = typeof rows === "function" ? rows() : rows;
  if (!drawn || drawn.length === 0) return null;
  return drawn.map((row): DrawnDiscount => {
    const discount = row[at[0]],
      second = Math.exp(row[at[1]]);
    return {
      discount,
      criticalRatio: shape === "saturating" || critical === null ? null : second,
      shapeParameter:
        shape === "broken"
          ? row[at[2]]
          : shape === "saturating"
            ? second
            : shape === "peak"
              ? discount / (2 * second)
              : null,
    };
  });
}

/** κ of a method on an axis, and its critical ratio. */
export interface SynthesisEstimate {
  readonly discount: {
    readonly estimate: number | null;
    readonly low: number | null;
    readonly high: number | null;
    readonly source: "fitted" | "prior" | "refused";
    readonly reason?: string;
  };
  /** `estimate` null with a reason where the shape has none or the ratios cannot show it; `shape` is always named. */
  readonly criticalRatio: {
    readonly estimate: number | null;
    readonly low: number | null;
    readonly high: number | null;
    readonly shape: "cap" | "broken" | "peak" | "saturating";
    readonly source: "fitted" | "published" | "refused";
    readonly reason?: string;
  };
  /** δ of a falling shape, s of the saturating one; null for the cap. */
  readonly shapeParameter: number | null;
  /** QAICc of the four shapes, best first. */
  readonly shapes: readonly { readonly shape: string; readonly aicc: number | null }[];
  /** What each run says by itself: its ratio and the discount that inverts the law at its success. Null: the law cannot reach it. */
  readonly evidence: readonly { readonly id: string; readonly ratio: number; readonly discount: number | null }[];
}
