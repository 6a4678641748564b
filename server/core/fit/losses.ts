import { digamma, lnGamma } from "./special";

/** What was observed, ready for the kernels: y = 1 − success rate, or the loss; n = evaluation tasks (1 where it plays no part). */
export interface Observed {
  readonly m: number;
  /** Centred logs, axes × m. */
  readonly u: Float64Array;
  readonly y: Float64Array;
  readonly n: Float64Array;
}

/** Objective Σ w·ℓ(e; y, n) with its slope and a positive curvature in e, all that Levenberg–Marquardt needs. */
export interface Loss {
  readonly name: "binomial" | "beta-binomial" | "gaussian" | "huber";
  /** `identity`: residuals in the error; `log`: residuals in its logarithm. */
  readonly link: "identity" | "log";
  /** Huber's δ. */
  readonly delta?: number;
  /** Fills slope and curvature where given, returns the objective. */
  evaluate(e: Float64Array, seen: Observed, weight: Float64Array, slope: Float64Array | null, curvature: Float64Array | null): number;
}

/** The likelihood's clamp (model.md section 3): laws without a link can leave [0, 1]. */
export const CLAMP = 1e-6;

function clamp(e: number): number {
  return e < CLAMP ? CLAMP : e > 1 - CLAMP ? 1 - CLAMP : e;
}

/** Half the binomial deviance: −log likelihood less its saturated value. */
export const binomial: Loss = {
  name: "binomial", link: "identity",
  evaluate(e, { m, y, n }, weight, slope, curvature) {
    let total = 0;
    for (let i = 0; i < m; i++) {
      const w = weight[i] * n[i];
      if (w === 0) {
        if (slope) slope[i] = curvature![i] = 0;
        continue;
      }
      const p = clamp(e[i]), o = y[i];
      let value = 0;
      if (o > 0) value += o * Math.log(o / p);
      if (o < 1) value += (1 - o) * Math.log((1 - o) / (1 - p));
      total += w * value;
      if (slope) {
        const c = w / (p * (1 - p));
        slope[i] = c * (p - o);
        curvature![i] = c;
      }
    }
    return total;
  },
};

/** −log likelihood of the beta-binomial with intraclass correlation ρ, up to the binomial coefficients. */
export function betaBinomial(rho: number): Loss {
  const s = (1 - rho) / rho;
  return {
    name: "beta-binomial", link: "identity",
    evaluate(e, { m, y, n }, weight, slope, curvature) {
      let total = 0;
      for (let i = 0; i < m; i++) {
        const w = weight[i];
        if (w === 0) {
          if (slope) slope[i] = curvature![i] = 0;
          continue;
        }
        const p = clamp(e[i]), trials = n[i], failures = y[i] * trials, a = p * s, b = (1 - p) * s;
        total -= w * (lnGamma(failures + a) - lnGamma(a) + lnGamma(trials - failures + b) - lnGamma(b) - lnGamma(trials + s) + lnGamma(s));
        if (slope) {
          slope[i] = -w * s * (digamma(failures + a) - digamma(a) - digamma(trials - failures + b) + digamma(b));
          curvature![i] = (w * trials) / (p * (1 - p) * (1 + (trials - 1) * rho));
        }
      }
      return total;
    },
  };
}

/** Half the sum of squares, of the error or of its logarithm. */
export function gaussian(link: "identity" | "log"): Loss {
  return { ...huber(Infinity, link), name: "gaussian" };
}

/** Σ Huber_δ(residual); the curvature is the reweighting ω = min(1, δ/|r|), so the steps are reweighted least squares. */
export function huber(delta: number, link: "identity" | "log"): Loss {
  const log = link === "log";
  return {
    name: "huber", link, delta,
    evaluate(e, { m, y }, weight, slope, curvature) {
      let total = 0;
      for (let i = 0; i < m; i++) {
        const w = weight[i];
        const level = log ? Math.max(e[i], 1e-12) : 1;
        const r = log ? Math.log(level / y[i]) : e[i] - y[i];
        const size = Math.abs(r);
        const inside = size <= delta;
        total += w * (inside ? 0.5 * r * r : delta * (size - 0.5 * delta));
        if (slope) {
          const omega = (inside ? w : (w * delta) / size) / level;
          slope[i] = omega * r;
          curvature![i] = omega / level;
        }
      }
      return total;
    },
  };
}
