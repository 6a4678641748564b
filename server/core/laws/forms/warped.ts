import type { Model, Parameter } from "../model";

/**
 * A change of one axis's level that brings parameters of its own: saturating repetition, or a discount on synthetic data.
 * Works on centred logs; `extra` are its parameters.
 */
export interface Warp {
  /** Position of the axis in the base law. */
  readonly axis: number;
  readonly parameters: readonly Parameter[];
  /**
   * Fills the effective centred log levels, and where given their derivatives by u (m) and by each own parameter (parameters × m).
   */
  apply(
    extra: ArrayLike<number>,
    u: Float64Array,
    m: number,
    out: Float64Array,
    byU: Float64Array,
    byExtra: Float64Array | null,
  ): void;
  /** Starting values of its parameters for a trial number in (0, 1): one number sweeps them all. */
  trial(t: number): number[];
  natural(extra: ArrayLike<number>): number[];
}

/** The base law seen through a warp; its parameters are the base's, then the warp's. */
export function warped(base: Model, law: string, variant: string | null, warp: Warp): Model {
  const k = base.axes.length,
    p = base.parameters.length,
    q = warp.parameters.length,
    at = warp.axis;
  let effective = new Float64Array(0),
    byLevel = new Float64Array(0),
    byU = new Float64Array(0),
    byExtra = new Float64Array(0);
  const apply = (theta: ArrayLike<number>, u: Float64Array, m: number, derivatives: boolean): void => {
    if (byU.length < m) {
      effective = new Float64Array(k * m);
      byLevel = new Float64Array(k * m);
      byU = new Float64Array(m);
      byExtra = new Float64Array(q * m);
    }
    for (let i = 0; i < k * m; i++) effective[i] = u[i];
    const extra = Array.from({ length: q }, (_, j) => theta[p + j]);
    warp.apply(
      extra,
      u.subarray(at * m, (at + 1) * m),
      m,
      effective.subarray(at * m, (at + 1) * m),
      byU,
      derivatives ? byExtra : null,
    );
  };
  const atExtra = (theta: ArrayLike<number>): number[] => warp.parameters.map((_, j) => theta[p + j]);
  const projection = base.projection;
  return {
    law,
    variant,
    axes: base.axes,
    parameters: [...base.parameters, ...warp.parameters],
    evaluate(theta, u, m, e, jacobian, slopes) {
      apply(theta, u, m, jacobian !== null);
      base.evaluate(theta, effective, m, e, jacobian, jacobian || slopes ? byLevel : null);
      if (jacobian)
        for (let j = 0; j < q; j++)
          for (let i = 0; i < m; i++) jacobian[(p + j) * m + i] = byLevel[at * m + i] * byExtra[j * m + i];
      if (slopes)
        for (let a = 0; a < k; a++)
          for (let i = 0; i < m; i++) slopes[a * m + i] = byLevel[a * m + i] * (a === at ? byU[i] : 1);
    },
    floor: (theta) => base.floor(theta),
    posynomial: () => null,
    projection: projection && {
      exponents: projection.exponents + 1,
      maximumColumns: projection.maximumColumns,
      bases(trial, u, m, columns) {
        const theta = new Array<number>(p).fill(0).concat(warp.trial(trial[projection.exponents]));
        apply(theta, u, m, false);
        return projection.bases(trial, effective, m, columns);
      },
      assemble: (trial, coefficients) => [
        ...projection.assemble(trial, coefficients),
        ...warp.trial(trial[projection.exponents]),
      ],
    },
    natural: (theta, logCentre) => [...base.natural(theta, logCentre), ...warp.natural(atExtra(theta))],
  };
}
