import { LEAST, type ShapeName } from "./shapes";

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

/** g(r), the effective units per real unit: the one place where it is said. Never below `LEAST`, however harmful the synthetic. */
export function effectivePerReal(shape: MixShape, ratio: number): number {
  return Math.max(LEAST, plainG(shape, ratio));
}

function plainG(shape: MixShape, ratio: number): number {
  switch (shape.kind) {
    case "cap":
      return 1 + shape.discount * Math.min(ratio, shape.criticalRatio);
    case "broken":
      return (
        1 +
        shape.discount * Math.min(ratio, shape.criticalRatio) -
        shape.harm * Math.max(0, ratio - shape.criticalRatio)
      );
    case "peak":
      return 1 + shape.discount * ratio - shape.harm * ratio * ratio;
    case "saturating":
      return shape.ceiling > 0 ? 1 + shape.ceiling * (1 - Math.exp((-shape.discount * ratio) / shape.ceiling)) : 1;
  }
}

/** A fitted shape by its name: `parameter` is δ of a falling shape or s of the saturating one; without r* it has none in reach. */
export function mixShapeOf(
  shape: ShapeName,
  discount: number,
  critical: number | null,
  parameter: number | null,
): MixShape {
  const criticalRatio = critical ?? Infinity;
  switch (shape) {
    case "cap":
      return { kind: "cap", discount, criticalRatio };
    case "broken":
      return { kind: "broken", discount, criticalRatio, harm: parameter ?? 0 };
    case "peak":
      return { kind: "peak", discount, harm: parameter ?? discount / (2 * criticalRatio) };
    case "saturating":
      return { kind: "saturating", discount, ceiling: parameter ?? 1e6 };
  }
}

/** D_eff/D_real of a fitted shape at a ratio. */
export function effectiveRatio(
  shape: ShapeName,
  discount: number,
  critical: number | null,
  parameter: number | null,
  ratio: number,
): number {
  return effectivePerReal(mixShapeOf(shape, discount, critical, parameter), ratio);
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
