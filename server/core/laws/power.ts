import { exponent, logCoefficient, type LawFamily } from "./model";

/**
 * e = A·x^−α without a floor: a straight line in log–log, as many papers fit one axis. By name only, since it promises that
 * enough data remove every error.
 */
export const power: LawFamily = {
  name: "power",
  form: "e = A·x^−α",
  note: "One axis and no floor; by name only.",
  byNameOnly: true,
  members: (axes, context) =>
    axes.length !== 1
      ? []
      : [
          {
            law: "power",
            variant: null,
            axes,
            parameters: [logCoefficient("A", context), exponent(axes[0])],
            evaluate(theta, u, m, e, jacobian, byLevel) {
              for (let i = 0; i < m; i++) {
                const value = Math.exp(theta[0] - theta[1] * u[i]);
                e[i] = value;
                if (jacobian) {
                  jacobian[i] = value;
                  jacobian[m + i] = -value * u[i];
                }
                if (byLevel) byLevel[i] = -value * theta[1];
              }
            },
            floor: () => 0,
            posynomial: (theta) => ({ floor: 0, terms: [{ logCoefficient: theta[0], exponents: [-theta[1]] }] }),
            projection: null,
            starts: (_u, m, y, count, next) => {
              let sum = 0;
              for (let i = 0; i < m; i++) sum += Math.log(Math.max(y[i], 1e-3));
              return Array.from({ length: count }, () => [sum / m, 0.03 * Math.pow(40, next())]);
            },
            natural: (theta, logCentre) => [Math.exp(theta[0] + theta[1] * logCentre[0]), theta[1]],
          },
        ],
};
