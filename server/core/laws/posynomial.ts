import type { AxisName } from "../axes";
import type { Model, Parameter } from "./model";

/** One term exp(θ[coefficient] − Σ θ[exponent]·u[axis]); numbers are positions in the model's parameters and axes. */
export interface Term {
  readonly coefficient: number;
  readonly powers: readonly { readonly exponent: number; readonly axis: number }[];
}

/**
 * A law e = E + Σ exp(c_t − Σ α·u): parameters are [E, log coefficients and exponents in any order].
 * Additive, multiplicative, nested and single-axis laws differ only in the table of terms.
 */
export function posynomialModel(
  law: string, variant: string | null, axes: readonly AxisName[], parameters: readonly Parameter[], terms: readonly Term[],
): Model {
  const exponents = parameters.flatMap((p, i) => (p.role === "exponent" ? [i] : []));
  const gridPosition = new Map(exponents.map((p, i) => [p, i] as const));
  return {
    law, variant, axes, parameters,
    evaluate(theta, u, m, e, jacobian, byLevel) {
      e.fill(theta[0], 0, m);
      if (jacobian) {
        jacobian.fill(0, m, parameters.length * m);
        jacobian.fill(1, 0, m);
      }
      byLevel?.fill(0, 0, axes.length * m);
      for (const { coefficient, powers } of terms) {
        const c = theta[coefficient];
        const count = powers.length;
        const first = count > 0 ? powers[0] : null;
        const a0 = first ? theta[first.exponent] : 0, o0 = first ? first.axis * m : 0;
        for (let i = 0; i < m; i++) {
          let log = c - a0 * u[o0 + i];
          for (let p = 1; p < count; p++) log -= theta[powers[p].exponent] * u[powers[p].axis * m + i];
          const value = Math.exp(log);
          e[i] += value;
          if (jacobian) {
            jacobian[coefficient * m + i] += value;
            for (let p = 0; p < count; p++) jacobian[powers[p].exponent * m + i] -= value * u[powers[p].axis * m + i];
          }
          if (byLevel) for (let p = 0; p < count; p++) byLevel[powers[p].axis * m + i] -= value * theta[powers[p].exponent];
        }
      }
    },
    floor: (theta) => theta[0],
    posynomial(theta) {
      return {
        floor: theta[0],
        terms: terms.map(({ coefficient, powers }) => {
          const by = new Array<number>(axes.length).fill(0);
          for (const p of powers) by[p.axis] -= theta[p.exponent];
          return { logCoefficient: theta[coefficient], exponents: by };
        }),
      };
    },
    projection: {
      exponents: exponents.length,
      maximumColumns: terms.length,
      bases(trial, u, m, columns) {
        terms.forEach(({ powers }, t) => {
          for (let i = 0; i < m; i++) {
            let log = 0;
            for (const p of powers) log -= trial[gridPosition.get(p.exponent)!] * u[p.axis * m + i];
            columns[t * m + i] = Math.exp(log);
          }
        });
        return terms.length;
      },
      assemble(trial, coefficients) {
        const theta = new Array<number>(parameters.length).fill(0);
        theta[0] = coefficients[0];
        exponents.forEach((p, i) => (theta[p] = trial[i]));
        terms.forEach(({ coefficient }, t) => (theta[coefficient] = Math.log(Math.max(coefficients[t + 1], 1e-300))));
        return theta;
      },
    },
    natural(theta, logCentre) {
      const shift = new Map<number, number>();
      for (const { coefficient, powers } of terms) {
        let s = 0;
        for (const p of powers) s += theta[p.exponent] * logCentre[p.axis];
        shift.set(coefficient, s);
      }
      return parameters.map((p, i) => (p.role === "log-coefficient" ? Math.exp(theta[i] + (shift.get(i) ?? 0)) : theta[i]));
    },
  };
}
