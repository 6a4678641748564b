import type { AxisName } from "../../axes";
import type { Model, Parameter } from "../model";

/**
 * P = (1 − E)·(ℓ + (1 − ℓ)·s), s = 1/(1 + exp(−(a + Σ b_i·u_i))): between L = ℓ(1 − E) and U = 1 − E, a logistic curve over every
 * axis. `bounded`: with E and ℓ as parameters; else L = 0 and U = 1. θ = [E, ℓ,] a, b of every axis.
 */
export function logisticModel(law: string, axes: readonly AxisName[], bounded: boolean): Model {
  const at = bounded ? 2 : 0;
  const ends: Parameter[] = bounded
    ? [
        { name: "E", role: "floor", low: 0, high: 0.999 },
        { name: "L", role: "start", low: 0, high: 0.999 },
      ]
    : [];
  return {
    law,
    variant: null,
    axes,
    parameters: [
      ...ends,
      { name: "a", role: "shape", low: -12, high: 12, prior: { mean: 0, sd: 1.5 } },
      ...axes.map((axis): Parameter => ({ name: `b_${axis}`, role: "exponent", axis, low: 0.02, high: 6 })),
    ],
    evaluate(theta, u, m, e, jacobian, byLevel) {
      const floor = bounded ? theta[0] : 0,
        start = bounded ? theta[1] : 0,
        reach = (1 - floor) * (1 - start);
      for (let i = 0; i < m; i++) {
        let log = theta[at];
        for (let a = 0; a < axes.length; a++) log += theta[at + 1 + a] * u[a * m + i];
        const s = 1 / (1 + Math.exp(-log)),
          slope = -reach * s * (1 - s);
        e[i] = 1 - (1 - floor) * (start + (1 - start) * s);
        if (jacobian) {
          if (bounded) {
            jacobian[i] = start + (1 - start) * s;
            jacobian[m + i] = -(1 - floor) * (1 - s);
          }
          jacobian[at * m + i] = slope;
          for (let a = 0; a < axes.length; a++) jacobian[(at + 1 + a) * m + i] = slope * u[a * m + i];
        }
        if (byLevel) for (let a = 0; a < axes.length; a++) byLevel[a * m + i] = slope * theta[at + 1 + a];
      }
    },
    floor: (theta) => (bounded ? theta[0] : 0),
    posynomial: () => null,
    increasingIn: (theta) => ({
      floor: 0,
      terms: [{ logCoefficient: -theta[at], exponents: axes.map((_, a) => -theta[at + 1 + a]) }],
    }),
    projection: null,
    starts(_u, m, y, count, next) {
      let best = 1,
        worst = 0,
        sum = 0;
      for (let i = 0; i < m; i++) {
        best = Math.min(best, y[i]);
        worst = Math.max(worst, y[i]);
        sum += y[i];
      }
      const mean = Math.min(Math.max(1 - sum / m, 0.02), 0.98);
      return Array.from({ length: count }, () => [
        ...(bounded ? [best * next() * 0.95, (1 - worst) * next()] : []),
        Math.log(mean / (1 - mean)) + 1.5 * (next() - 0.5),
        ...axes.map(() => 0.08 * Math.pow(15, next())),
      ]);
    },
    natural: (theta, logCentre) =>
      Array.from({ length: at + 1 + axes.length }, (_, j) =>
        j === at
          ? axes.reduce((sum, _axis, a) => sum - theta[at + 1 + a] * logCentre[a], theta[at])
          : bounded && j === 1
            ? theta[1] * (1 - theta[0])
            : theta[j],
      ),
  };
}
