import type { AxisName } from "../axes";

/**
 * error(x) = floor + Σ_t exp(terms[t].logCoefficient + Σ_i terms[t].exponents[i] · ln x_i).
 * Every exponent is ≤ 0, so that the error falls as an axis grows; `exponents` follows the law's axis order.
 */
export interface Posynomial {
  readonly floor: number;
  readonly terms: readonly { readonly logCoefficient: number; readonly exponents: readonly number[] }[];
}

/** A law with its numbers: the point estimate, or one draw. Levels `x` are raw (not logs), in the order of `axes`. */
export interface LawInstance {
  readonly axes: readonly AxisName[];
  /** e = 1 − P, or a loss. It may leave [0, 1]: say "out of range", never clip silently. */
  error(x: readonly number[]): number;
  /** ∂e/∂ln x_i, in axis order. */
  gradient(x: readonly number[]): number[];
  /** The law as a posynomial, or null where it is none (sigmoid, saturating, custom). */
  posynomial(): Posynomial | null;
}

/** A fitted law that predictions, regrets and intervals are computed from. */
export interface FittedLaw {
  /** `additive`, `multiplicative`, … */
  readonly law: string;
  /** What error() means. */
  readonly response: "success" | "loss";
  readonly axes: readonly AxisName[];
  readonly point: LawInstance;
  /** Bootstrap or posterior draws, all in the same axis order. Empty: no interval can be shown. */
  readonly draws: readonly LawInstance[];
  readonly drawKind: "bootstrap" | "posterior";
  /** Range of each axis over the fitted runs, for extrapolation factors; `centre` is the geometric mean. */
  readonly ranges: Readonly<Record<string, { readonly min: number; readonly max: number; readonly centre: number }>>;
  /** Axes whose exponent could not be identified: predictions hold them at `level`, allocation pins them. */
  readonly refused: readonly {
    readonly axis: AxisName;
    readonly level: number;
    readonly reason: string;
    /** Axes that it moved together with, and its step (in ln level) along the line they share: predictions hold on that line. */
    readonly with?: readonly AxisName[];
    readonly ray?: number;
  }[];
  /** Axes whose exponent rests on the prior alone (few runs). */
  readonly priorOnly: readonly AxisName[];
  /** Synthetic data that were priced together with the law. */
  readonly synthesis?: readonly DrawnSynthesis[];
}

/** What each draw of a fit says of one method's synthetic data. */
export interface DrawnSynthesis {
  readonly axis: AxisName;
  readonly method: string;
  /** κ of the point estimate. */
  readonly discount: number;
  /** In the order of the law's draws, each fitted with the law of the same draw. (A setting without such runs takes those of another, which are independent of its own draws.) */
  readonly draws: readonly DrawnDiscount[];
}

export interface DrawnDiscount {
  readonly discount: number;
  /** Null where the runs show none. */
  readonly criticalRatio: number | null;
  /** δ of a falling shape, s of the saturating one. */
  readonly shapeParameter: number | null;
}
