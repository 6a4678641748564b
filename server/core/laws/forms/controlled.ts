import type { Model } from "../model";

/**
 * A control variable (reward density) as a factor on what the law can reduce: e = E + D^−γ·(law − E), γ of either sign.
 * `levels` are centred logs, one per row in the rows' order; predictions hold the control at its centre, where the factor is 1.
 */
export function controlled(base: Model, levels: Float64Array): Model {
  const p = base.parameters.length;
  return {
    ...base,
    bound: true,
    parameters: [...base.parameters, { name: "gamma_reward_density", role: "control", low: -2, high: 2 }],
    evaluate(theta, u, m, e, jacobian, byLevel) {
      base.evaluate(theta, u, m, e, jacobian, byLevel);
      const floor = base.floor(theta) ?? 0;
      const atFloor = base.parameters.findIndex((one) => one.role === "floor");
      for (let i = 0; i < m; i++) {
        const factor = Math.exp(-theta[p] * levels[i]),
          reducible = (e[i] - floor) * factor;
        e[i] = floor + reducible;
        if (jacobian) {
          for (let j = 0; j < p; j++)
            jacobian[j * m + i] = j === atFloor ? 1 + factor * (jacobian[j * m + i] - 1) : jacobian[j * m + i] * factor;
          jacobian[p * m + i] = -levels[i] * reducible;
        }
        if (byLevel) for (let a = 0; a < base.axes.length; a++) byLevel[a * m + i] *= factor;
      }
    },
    posynomial: () => null,
    projection: base.projection && {
      ...base.projection,
      assemble: (trial, coefficients) => [...base.projection!.assemble(trial, coefficients), 0],
    },
    ...(base.starts
      ? { starts: (u, m, y, count, next) => base.starts!(u, m, y, count, next).map((start) => [...start, 0]) }
      : {}),
    natural: (theta, logCentre) => [...base.natural(theta, logCentre), theta[p]],
  };
}
