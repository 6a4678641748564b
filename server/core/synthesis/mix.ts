export { PUBLISHED_RATIOS as PUBLISHED_CRITICAL_RATIOS } from "./shapes";

/**
 * How much synthetic units count beside real ones: effective = real·g(r), r = synthetic ÷ real. `discount` is κ, the worth
 * of the first synthetic unit in real ones.
 */
export type MixShape =
  /** 1 + κ·min(r, r*): more than r* adds nothing. */
  | { readonly kind: "cap"; readonly discount: number; readonly criticalRatio: number }
  /** 1 + κ·min(r, r*) − δ·max(0, r − r*): more than r* hurts. */
  | { readonly kind: "broken"; readonly discount: number; readonly criticalRatio: number; readonly harm: number }
  /** 1 + κr − δr², at its best at r* = κ/2δ. */
  | { readonly kind: "peak"; readonly discount: number; readonly harm: number }
  /** 1 + s·(1 − e^(−κr/s)): ever less, no r*. */
  | { readonly kind: "saturating"; readonly discount: number; readonly ceiling: number };

/** g(r), the effective units per real unit. Never below a hair above 0. */
export function effectivePerReal(shape: MixShape, ratio: number): number {
  switch (shape.kind) {
    case "cap":
      return 1 + shape.discount * Math.min(ratio, shape.criticalRatio);
    case "broken":
      return Math.max(
        1e-9,
        1 +
          shape.discount * Math.min(ratio, shape.criticalRatio) -
          shape.harm * Math.max(0, ratio - shape.criticalRatio),
      );
    case "peak":
      return Math.max(1e-9, 1 + shape.discount * ratio - shape.harm * ratio * ratio);
    case "saturating":
      return 1 + shape.ceiling * (1 - Math.exp((-shape.discount * ratio) / shape.ceiling));
  }
}

/** r*, or null for the shape that has none. */
export function criticalRatio(shape: MixShape): number | null {
  switch (shape.kind) {
    case "cap":
    case "broken":
      return shape.criticalRatio;
    case "peak":
      return shape.harm > 0 ? shape.discount / (2 * shape.harm) : null;
    case "saturating":
      return null;
  }
}

/** Effective units per raw unit (real and synthetic together). */
export function effectivePerRaw(shape: MixShape, ratio: number): number {
  return effectivePerReal(shape, ratio) / (1 + ratio);
}

/** True where the cost at given effective amounts is monotone in r, so that an end of [0, r*] is best. */
export function bestAtAnEnd(shape: MixShape): boolean {
  return shape.kind === "cap" || shape.kind === "broken";
}
