import { digamma, lnGamma } from "../numerics/special";

/** What was observed, ready for the kernels: y = 1 − success rate, or the loss; n = evaluation tasks (1 where it plays no part). */
export interface Observed {
  readonly m: number;
  /** Centred logs, axes × m. */
  readonly u: Float64Array;
  readonly y: Float64Array;
  readonly n: Float64Array;
}

/**
 * Objective Σ w·ℓ(e; y, n) with its slope and a positive curvature in e, all that Levenberg–Marquardt needs. Beyond a
 * clamp the objective is flat; with `pull` such rows still point the way back to what was observed.
 */
export interface Loss {
  readonly name: "binomial" | "beta-binomial" | "gaussian" | "huber";
  /** `identity`: residuals in the error; `log`: residuals in its logarithm. */
  readonly link: "identity" | "log";
  /** Huber's δ. */
  readonly delta?: number;
  /** The objective is flat beyond the clamp. */
  readonly clamps?: boolean;
  /** Fills slope and curvature where given, returns the objective. */
  evaluate(
    e: Float64Array,
    seen: Observed,
    weight: Float64Array,
    slope: Float64Array | null,
    curvature: Float64Array | null,
    pull?: boolean,
  ): number;
}

/** The likelihood's clamp (model.md section 3): laws without a link can leave [0, 1]. */
export const CLAMP = 1e-6;

function clamp(e: number): number {
  return e < CLAMP ? CLAMP : e > 1 - CLAMP ? 1 - CLAMP : e;
}

/**
 * The observed curvature of a binomial row, not Fisher's 1/(p(1 − p)): near 0 and 1 that one exceeds it a million times over
 * for a run that agrees with the law, and would hold the whole fit where it stands.
 */
function steepness(p: number, o: number): number {
  return o / (p * p) + (1 - o) / ((1 - p) * (1 - p));
}

/** A row beyond the clamp: no say in the step, or a pull as of least squares. */
function outside(
  slope: Float64Array,
  curvature: Float64Array,
  i: number,
  w: number,
  e: number,
  o: number,
  pull: boolean,
): void {
  const agrees = (e > 0.5 && o === 1) || (e < 0.5 && o === 0);
  const c = pull && !agrees ? w / Math.max(o * (1 - o), 1e-3) : 0;
  slope[i] = c * (e - o);
  curvature[i] = c;
}

/** Half the binomial deviance: −log likelihood less its saturated value. */
export const binomial: Loss = {
  name: "binomial",
  link: "identity",
  clamps: true,
  evaluate(e, { m, y, n }, weight, slope, curvature, pull = false) {
    let total = 0;
    for (let i = 0; i < m; i++) {
      const w = weight[i] * n[i];
      if (w === 0) {
        if (slope) slope[i] = curvature![i] = 0;
        continue;
      }
      const p = clamp(e[i]),
        o = y[i];
      let value = 0;
      if (o > 0) value += o * Math.log(o / p);
      if (o < 1) value += (1 - o) * Math.log((1 - o) / (1 - p));
      total += w * value;
      if (slope) {
        if (p === e[i]) {
          slope[i] = (w * (p - o)) / (p * (1 - p));
          curvature![i] = w * steepness(p, o);
        } else outside(slope, curvature!, i, w, e[i], o, pull);
      }
    }
    return total;
  },
};

/** −log likelihood of the beta-binomial with intraclass correlation ρ, up to the binomial coefficients. */
export function betaBinomial(rho: number): Loss {
  const s = (1 - rho) / rho;
  return {
    name: "beta-binomial",
    link: "identity",
    clamps: true,
    evaluate(e, { m, y, n }, weight, slope, curvature, pull = false) {
      let total = 0;
      for (let i = 0; i < m; i++) {
        const w = weight[i];
        if (w === 0) {
          if (slope) slope[i] = curvature![i] = 0;
          continue;
        }
        const p = clamp(e[i]),
          trials = n[i],
          failures = y[i] * trials,
          a = p * s,
          b = (1 - p) * s;
        total -=
          w *
          (lnGamma(failures + a) -
            lnGamma(a) +
            lnGamma(trials - failures + b) -
            lnGamma(b) -
            lnGamma(trials + s) +
            lnGamma(s));
        if (slope) {
          if (p === e[i]) {
            slope[i] = -w * s * (digamma(failures + a) - digamma(a) - digamma(trials - failures + b) + digamma(b));
            curvature![i] = (w * trials * steepness(p, y[i])) / (1 + (trials - 1) * rho);
          } else outside(slope, curvature!, i, (w * trials) / (1 + (trials - 1) * rho), e[i], y[i], pull);
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
    name: "huber",
    link,
    delta,
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
