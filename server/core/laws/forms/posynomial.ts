import type { AxisName } from "../../axes";
import type { Model, Parameter } from "../model";

/** One term exp(θ[coefficient] − Σ θ[exponent]·u[axis]); numbers are positions in the model's parameters and axes. */
export interface Term {
  readonly coefficient: number;
  readonly powers: readonly { readonly exponent: number; readonly axis: number }[];
}

/**
 * A law e = E + Σ exp(c_t − Σ α·u): parameters are [E, log coefficients and exponents in any order].
 * Additive, multiplicative, nested and single-axis laws differ only in the table of terms. Every coefficient and every
 * exponent belongs to one term.
 */
export function posynomialModel(
  law: string,
  variant: string | null,
  axes: readonly AxisName[],
  parameters: readonly Parameter[],
  terms: readonly Term[],
): Model {
  const exponents = parameters.flatMap((p, i) => (p.role === "exponent" ? [i] : []));
  const gridPosition = new Map(exponents.map((p, i) => [p, i] as const));
  let log = new Float64Array(0);
  return {
    law,
    variant,
    axes,
    parameters,
    evaluate(theta, u, m, e, jacobian, byLevel) {
      e.fill(theta[0], 0, m);
      jacobian?.fill(1, 0, m);
      byLevel?.fill(0, 0, axes.length * m);
      for (const { coefficient, powers } of terms) {
        const c = theta[coefficient],
          atC = coefficient * m;
        if (powers.length === 1) {
          // The common case, kept tight: it is where fits spend their time.
          const alpha = theta[powers[0].exponent],
            atU = powers[0].axis * m,
            atA = powers[0].exponent * m;
          for (let i = 0; i < m; i++) {
            const x = u[atU + i],
              value = Math.exp(c - alpha * x);
            e[i] += value;
            if (jacobian) {
              jacobian[atC + i] = value;
              jacobian[atA + i] = -value * x;
            }
          }
          if (byLevel) for (let i = 0; i < m; i++) byLevel[atU + i] -= alpha * Math.exp(c - alpha * u[atU + i]);
          continue;
        }
        if (log.length < m) log = new Float64Array(m);
        log.fill(c, 0, m);
        for (const { exponent, axis } of powers) {
          const alpha = theta[exponent],
            atU = axis * m;
          for (let i = 0; i < m; i++) log[i] -= alpha * u[atU + i];
        }
        for (let i = 0; i < m; i++) {
          log[i] = Math.exp(log[i]);
          e[i] += log[i];
        }
        if (jacobian) {
          for (let i = 0; i < m; i++) jacobian[atC + i] = log[i];
          for (const { exponent } of powers) jacobian.fill(0, exponent * m, (exponent + 1) * m);
          for (const { exponent, axis } of powers) {
            const atA = exponent * m,
              atU = axis * m;
            for (let i = 0; i < m; i++) jacobian[atA + i] -= log[i] * u[atU + i];
          }
        }
        if (byLevel) {
          for (const { exponent, axis } of powers)
            for (let i = 0; i < m; i++) byLevel[axis * m + i] -= log[i] * theta[exponent];
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
      return parameters.map((p, i) =>
        p.role === "log-coefficient" ? Math.exp(theta[i] + (shift.get(i) ?? 0)) : theta[i],
      );
    },
  };
}
