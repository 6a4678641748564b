import type { AxisName } from "../axes";
import type { SynthesisEstimate } from "../fit/file/file";
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
