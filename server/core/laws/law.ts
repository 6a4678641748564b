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
  /**
   * The law as a posynomial, or null where it is none (logistic, sigmoid, saturating, custom). Of success laws error() is kept
   * within [0, 1] by a soft clamp (soft.ts) that the posynomial leaves out: they differ only where success is below 3 points.
   */
  posynomial(): Posynomial | null;
  /**
   * A posynomial with which error() rises, strictly and everywhere: minimising it is minimising the error, exactly, and is a
   * geometric program. The law's own posynomial where it is one; under a logistic law exp(−(a + Σ b_i ln x_i)), one monomial.
   * Absent or null where none is known. Its value is no error: read that from error() at the levels that minimise it.
   */
  increasingIn?(): Posynomial | null;
}

/** One law of a mixture with its share of belief. */
export interface MemberLaw {
  readonly law: string;
  /** Which member of the family, such as `environments leads`; null where the family has one. */
  readonly variant: string | null;
  /** Share of belief, 0 to 1; those of a fit's members sum to 1. */
  readonly weight: number;
  /** The law at its posterior centre (or best fit). */
  readonly point: LawInstance;
  /** The law's own draws, not in proportion to the weight. */
  readonly draws: readonly LawInstance[];
}

/** A fitted law that predictions, regrets and intervals are computed from. */
export interface FittedLaw {
  /** The law that is shown, `additive`, `multiplicative`, …: the one with the largest weight. */
  readonly law: string;
  /** What error() means. */
  readonly response: "success" | "loss";
  readonly axes: readonly AxisName[];
  /** Success (or loss) as it is predicted: the mean of the members at their centres by weight. One member: that law itself. */
  readonly point: LawInstance;
  /** Every law that the runs do not rule out, largest weight first. Absent: the law alone. */
  readonly members?: readonly MemberLaw[];
  /**
   * Standard deviation, in success (0 to 1) or the loss's unit, by which the laws themselves may be off at these levels: an interval
   * of a prediction adds it to the draws in quadrature (`predictive.ts`). Absent: 0.
   */
  discrepancy?(x: readonly number[]): number;
  /** Bootstrap or posterior draws of all members in proportion to their weights (any first part of them too), all in the same axis order. Empty: no interval can be shown. */
  readonly draws: readonly LawInstance[];
  readonly drawKind: "bootstrap" | "posterior";
  /** Range of each axis over the fitted runs, for extrapolation factors; `centre` is the geometric mean. */
  readonly ranges: Readonly<Record<string, { readonly min: number; readonly max: number; readonly centre: number }>>;
  /** Axes that the law does not have or cannot move alone (one level, moving together): predictions hold them at `level`, allocation pins them. */
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
