import type { AxisName } from "../axes";
import type { Posynomial } from "./law";
import { exponent, floorParameter, logCoefficient, type LawFamily, type Model, type LawContext } from "./model";

/** e = E + A·x_1^−α_1·∏_{i≥2}(1 + B_i·x_i^−α_i), B_i ≥ 0. Every choice of the leading axis is a member of its own. */
export const interaction: LawFamily = {
  name: "interaction",
  form: "e = E + A·x_1^−α_1·∏ (1 + B_i·x_i^−α_i)",
  note: "A leading axis, on which the others depend.",
  members: (axes, context) => (axes.length < 2 ? [] : axes.map((_, lead) => member(axes, lead, context))),
};

function member(axes: readonly AxisName[], lead: number, context: LawContext): Model {
  const k = axes.length;
  const others = axes.map((_, i) => i).filter((i) => i !== lead);
  // θ = [E, ln A, ln B of the others…, α of every axis in axis order]
  const B = new Map(others.map((axis, j) => [axis, 2 + j] as const));
  const alpha = (axis: number): number => 1 + k + axis;
  const parameters = [
    floorParameter(context),
    logCoefficient("A", context),
    ...others.map((i) => ({ ...logCoefficient(`B_${axes[i]}`, { ...context, top: 1 }, axes[i]), high: 8 })),
    ...axes.map(exponent),
  ];
  let product = new Float64Array(0),
    factors: Float64Array[] = [];
  return {
    law: "interaction",
    variant: `${axes[lead]} leads`,
    axes,
    parameters,
    evaluate(theta, u, m, e, jacobian, byLevel) {
      if (product.length < m) {
        product = new Float64Array(m);
        factors = others.map(() => new Float64Array(m));
      }
      const value = product,
        aLead = theta[alpha(lead)],
        atLead = lead * m;
      for (let i = 0; i < m; i++) value[i] = Math.exp(theta[1] - aLead * u[atLead + i]);
      for (let j = 0; j < others.length; j++) {
        const factor = factors[j],
          c = theta[2 + j],
          a = theta[alpha(others[j])],
          at = others[j] * m;
        for (let i = 0; i < m; i++) {
          const b = Math.exp(c - a * u[at + i]);
          factor[i] = b;
          value[i] *= 1 + b;
        }
      }
      for (let i = 0; i < m; i++) e[i] = theta[0] + value[i];
      if (jacobian) {
        const atAlpha = alpha(lead) * m;
        for (let i = 0; i < m; i++) {
          jacobian[i] = 1;
          jacobian[m + i] = value[i];
          jacobian[atAlpha + i] = -value[i] * u[atLead + i];
        }
      }
      if (byLevel) for (let i = 0; i < m; i++) byLevel[atLead + i] = -value[i] * aLead;
      if (!jacobian && !byLevel) return;
      for (let j = 0; j < others.length; j++) {
        const factor = factors[j],
          a = theta[alpha(others[j])],
          at = others[j] * m,
          atB = (2 + j) * m,
          atAlpha = alpha(others[j]) * m;
        for (let i = 0; i < m; i++) {
          // The derivative of the product through factor (1 + b) is value·b/(1 + b), once every factor is in.
          const part = (value[i] * factor[i]) / (1 + factor[i]);
          if (jacobian) {
            jacobian[atB + i] = part;
            jacobian[atAlpha + i] = -part * u[at + i];
          }
          if (byLevel) byLevel[at + i] = -part * a;
        }
      }
    },
    floor: (theta) => theta[0],
    posynomial(theta): Posynomial {
      const terms: { logCoefficient: number; exponents: number[] }[] = [];
      for (let subset = 0; subset < 1 << others.length; subset++) {
        let log = theta[1];
        const by = new Array<number>(k).fill(0);
        by[lead] = -theta[alpha(lead)];
        others.forEach((axis, j) => {
          if (!(subset & (1 << j))) return;
          log += theta[B.get(axis)!];
          by[axis] = -theta[alpha(axis)];
        });
        terms.push({ logCoefficient: log, exponents: by });
      }
      return { floor: theta[0], terms };
    },
    projection: {
      exponents: k,
      maximumColumns: k,
      // First-order terms only: enough for a start, and linear.
      bases(trial, u, m, columns) {
        for (let i = 0; i < m; i++) {
          const first = Math.exp(-trial[lead] * u[lead * m + i]);
          columns[i] = first;
          others.forEach((axis, j) => (columns[(j + 1) * m + i] = first * Math.exp(-trial[axis] * u[axis * m + i])));
        }
        return k;
      },
      assemble(trial, coefficients) {
        const theta = new Array<number>(parameters.length).fill(0);
        const total = others.reduce((sum, _, j) => sum + coefficients[j + 2], coefficients[1]);
        const A = Math.max(coefficients[1], 0.05 * total, 1e-9);
        theta[0] = coefficients[0];
        theta[1] = Math.log(A);
        others.forEach((axis, j) => (theta[B.get(axis)!] = Math.log(Math.max(coefficients[j + 2] / A, 1e-3))));
        axes.forEach((_, i) => (theta[alpha(i)] = trial[i]));
        return theta;
      },
    },
    natural(theta, logCentre) {
      return parameters.map((p, i) => {
        if (i === 1) return Math.exp(theta[1] + theta[alpha(lead)] * logCentre[lead]);
        if (p.role !== "log-coefficient") return theta[i];
        const axis = axes.indexOf(p.axis!);
        return Math.exp(theta[i] + theta[alpha(axis)] * logCentre[axis]);
      });
    },
  };
}
