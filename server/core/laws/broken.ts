import { exponent, floorParameter, logCoefficient, type LawContext, type LawFamily, type Model } from "./model";

/**
 * e = E + A·x^−α·(1 + (x/x_b)^(Δ·s))^(−1/s), Δ ≥ 0: a power law whose slope turns from α to α + Δ about x_b (M4 of Alabdulmohsin et al.,
 * 2022); one axis. `smooth` has s = 1, which few points can carry; `sharp` fits how sudden the turn is.
 */
export const broken: LawFamily = {
  name: "broken-power",
  form: "e = E + A·x^−α·(1 + (x/x_b)^(Δ·s))^(−1/s)",
  note: "One axis whose slope turns from α to α + Δ about x_b.",
  share: () => 0.5,
  members: (axes, context) =>
    axes.length !== 1 ? [] : [member(axes[0], context, false), member(axes[0], context, true)],
};

function member(axis: string, context: LawContext, free: boolean): Model {
  const range = context.ranges[axis];
  const low = range ? Math.log(range.min / range.centre) : -5,
    high = range ? Math.log(range.max / range.centre) : 5;
  // θ = [E, ln A, α, Δ, ln x_b, ln s]
  return {
    law: "broken-power",
    variant: free ? "sharp" : "smooth",
    axes: [axis],
    parameters: [
      floorParameter(context),
      logCoefficient("A", context),
      exponent(axis),
      { name: "delta", role: "shape", low: 0, high: 3, prior: { mean: 0.4, sd: 0.5 } },
      {
        name: "x_b",
        role: "log-shape",
        axis,
        low: low - 1,
        high: high + 1,
        prior: { mean: (low + high) / 2, sd: 1.5 },
      },
      ...(free
        ? [
            {
              name: "s",
              role: "log-shape" as const,
              low: Math.log(0.25),
              high: Math.log(8),
              prior: { mean: 0, sd: 0.7 },
            },
          ]
        : []),
    ],
    evaluate(theta, u, m, e, jacobian, byLevel) {
      const [floor, logA, alpha, delta, bend] = [theta[0], theta[1], theta[2], theta[3], theta[4]];
      const s = free ? Math.exp(theta[5]) : 1;
      for (let i = 0; i < m; i++) {
        const d = u[i] - bend,
          t = Math.min(delta * s * d, 600),
          w = Math.exp(t),
          log1 = Math.log1p(w),
          share = w / (1 + w);
        const value = Math.exp(logA - alpha * u[i] - log1 / s);
        e[i] = floor + value;
        if (jacobian) {
          jacobian[i] = 1;
          jacobian[m + i] = value;
          jacobian[2 * m + i] = -value * u[i];
          jacobian[3 * m + i] = -value * share * d;
          jacobian[4 * m + i] = value * share * delta;
          if (free) jacobian[5 * m + i] = value * (log1 / s - share * delta * d);
        }
        if (byLevel) byLevel[i] = -value * (alpha + share * delta);
      }
    },
    floor: (theta) => theta[0],
    posynomial: () => null,
    // The error falls along its one axis, whatever the turn.
    increasingIn: () => ({ floor: 0, terms: [{ logCoefficient: 0, exponents: [-1] }] }),
    projection: null,
    starts(u, m, y, count, next) {
      let least = Infinity,
        sum = 0;
      for (let i = 0; i < m; i++) {
        least = Math.min(least, y[i]);
        sum += y[i];
      }
      return Array.from({ length: count }, () => {
        const floor = least * 0.98 * next();
        return [
          floor,
          Math.log(Math.max(sum / m - floor, 1e-4) * (1 + next())),
          0.03 * Math.pow(30, next()),
          0.05 + 1.5 * next() * next(),
          u[Math.floor(next() * m)],
          ...(free ? [Math.log(0.5) + next() * Math.log(8)] : []),
        ];
      });
    },
    natural: (theta, logCentre) => {
      const turned = [
        theta[0],
        Math.exp(theta[1] + theta[2] * logCentre[0]),
        theta[2],
        theta[3],
        Math.exp(theta[4] + logCentre[0]),
      ];
      return free ? [...turned, Math.exp(theta[5])] : turned;
    },
  };
}
