import type { CoefficientName, CoefficientValues } from "./phases";
import type { RunClass } from "./shape";

/** The coefficients as they were fitted, with everything that an interval needs of the fit. */
export interface FittedCoefficients {
  /** Medians. */
  readonly values: CoefficientValues;
  /** Order of the rows of `cholesky`. */
  readonly names: readonly CoefficientName[];
  /** Exponents: moved as they are, where the others move as logarithms. */
  readonly linear: readonly CoefficientName[];
  /** Lower Cholesky factor of the posterior covariance, row by row. */
  readonly cholesky: readonly (readonly number[])[];
  /** Scale of ln(observed ÷ predicted) that is left, by class of run. */
  readonly residual: Readonly<Record<RunClass, number>>;
  /** Degrees of freedom of its Student distribution. */
  readonly degrees: number;
  readonly rows: number;
  readonly sources: number;
}
