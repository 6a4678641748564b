import type { LawFamily } from "./model";

/**
 * P = P_0 + (A − P_0)/(1 + (x_mid/x)^B), the form of ScaleRL (2025); one axis. B is the exponent with which the error
 * approaches its floor 1 − A.
 */
export const sigmoid: LawFamily = {
  name: "sigmoid",
  form: "P = P_0 + (A − P_0)/(1 + (x_mid/x)^B)",
  note: "One axis, usually compute.",
  members(axes, context) {
    if (axes.length !== 1 || context.response !== "success") return [];
    const range = context.ranges[axes[0]];
    const low = range ? Math.log(range.min / range.centre) - 3 : -10,
      high = range ? Math.log(range.max / range.centre) + 3 : 10;
    return [
      {
        law: "sigmoid",
        variant: null,
        axes,
        parameters: [
          { name: "P_0", role: "shape", low: 0, high: 0.999 },
          { name: "A", role: "ceiling", low: 0.001, high: 1 },
          { name: "x_mid", role: "log-shape", axis: axes[0], low, high, prior: { mean: 0, sd: 2 } },
          { name: "B", role: "exponent", axis: axes[0], low: 0.02, high: 6 },
        ],
        evaluate(theta, u, m, e, jacobian, byLevel) {
          const [start, end, mid, steep] = [theta[0], theta[1], theta[2], theta[3]];
          for (let i = 0; i < m; i++) {
            const s = 1 / (1 + Math.exp(steep * (mid - u[i]))),
              slope = (end - start) * s * (1 - s);
            e[i] = 1 - start - (end - start) * s;
            if (jacobian) {
              jacobian[i] = s - 1;
              jacobian[m + i] = -s;
              jacobian[2 * m + i] = slope * steep;
              jacobian[3 * m + i] = -slope * (u[i] - mid);
            }
            if (byLevel) byLevel[i] = -slope * steep;
          }
        },
        floor: (theta) => 1 - Math.max(theta[0], theta[1]),
        posynomial: () => null,
        projection: null,
        starts(u, m, y, count, next) {
          let best = 1,
            worst = 0;
          for (let i = 0; i < m; i++) {
            best = Math.min(best, y[i]);
            worst = Math.max(worst, y[i]);
          }
          return Array.from({ length: count }, () => [
            Math.max(0, 1 - worst - 0.3 * next() * (1 - worst)),
            Math.min(1, 1 - best + next() * best),
            u[Math.floor(next() * m)] + 2 * (next() - 0.5),
            0.1 * Math.pow(25, next()),
          ]);
        },
        natural: (theta, logCentre) => [theta[0], theta[1], Math.exp(theta[2] + logCentre[0]), theta[3]],
      },
    ];
  },
};
