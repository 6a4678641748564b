import type { Model } from "../laws/model";
import { CLAMP, type Loss, type Observed } from "./likelihood";

/** Pearson's χ² of binomial counts about a law. */
function pearson(model: Model, theta: ArrayLike<number>, seen: Observed): number {
  const e = fittedErrors(model, theta, seen);
  let chi = 0;
  for (let i = 0; i < seen.m; i++) {
    const q = Math.min(Math.max(e[i], 1e-3), 1 - 1e-3);
    chi += (seen.n[i] * (seen.y[i] - q) ** 2) / (q * (1 - q));
  }
  return chi;
}

export function fittedErrors(model: Model, theta: ArrayLike<number>, seen: Observed): Float64Array {
  const e = new Float64Array(seen.m);
  model.evaluate(theta, seen.u, seen.m, e, null);
  return e;
}

/** Rows whose fitted error the likelihood had to clamp into [1e-6, 1 − 1e-6]. */
export function clampedRows(model: Model, theta: ArrayLike<number>, seen: Observed): number[] {
  return Array.from(fittedErrors(model, theta, seen)).flatMap((e, i) => (e < CLAMP || e > 1 - CLAMP ? [i] : []));
}

/**
 * φ, by which twice the objective's rise is divided to be χ²: for counts, Pearson's χ²/(m − k) and at least 1; for
 * least squares and Huber, the sandwich ratio of E ψ² and E ψ′ with the same correction for degrees of freedom.
 */
export function scaleOf(loss: Loss, model: Model, theta: ArrayLike<number>, seen: Observed): number {
  const df = Math.max(1, seen.m - model.parameters.length);
  if (loss.name === "binomial") return Math.max(1, pearson(model, theta, seen) / df);
  if (loss.name === "beta-binomial") return 1;
  const residuals = residualsOf(loss, model, theta, seen),
    delta = loss.delta ?? Infinity;
  let square = 0,
    inside = 0;
  for (const r of residuals) {
    square += Math.min(Math.abs(r), delta) ** 2;
    if (Math.abs(r) <= delta) inside++;
  }
  return (Math.max(square, 1e-24) / Math.max(inside, 0.05 * seen.m)) * (seen.m / df);
}

/** Residuals on the loss's own scale. */
export function residualsOf(loss: Loss, model: Model, theta: ArrayLike<number>, seen: Observed): Float64Array {
  return fittedErrors(model, theta, seen).map((e, i) =>
    loss.link === "log" ? Math.log(Math.max(e, 1e-12) / seen.y[i]) : e - seen.y[i],
  );
}

/** ρ of the beta-binomial by moments: the value at which Pearson's χ² equals its degrees of freedom (Williams, 1982). */
export function intraclass(model: Model, theta: ArrayLike<number>, seen: Observed): number {
  const e = fittedErrors(model, theta, seen),
    df = Math.max(1, seen.m - model.parameters.length);
  const excess = (rho: number): number => {
    let chi = 0;
    for (let i = 0; i < seen.m; i++) {
      const q = Math.min(Math.max(e[i], 1e-3), 1 - 1e-3);
      chi += (seen.n[i] * (seen.y[i] - q) ** 2) / (q * (1 - q) * (1 + (seen.n[i] - 1) * rho));
    }
    return chi - df;
  };
  let low = 1e-6,
    high = 0.5;
  if (excess(low) <= 0) return low;
  for (let i = 0; i < 60; i++) {
    const middle = Math.sqrt(low * high);
    if (excess(middle) > 0) low = middle;
    else high = middle;
  }
  return Math.sqrt(low * high);
}

/**
 * Trials that a run is worth once run-to-run noise is counted: 1/(1/n + σ²/(e(1 − e))), σ² by moments (Pearson's χ² about the
 * law equal to its degrees of freedom). A fixed number of points of noise is not proportional to e(1 − e): plain counts would
 * give runs near 0 or 1 several times their weight (Williams' second method, with noise in points).
 */
export function effectiveTrials(model: Model, theta: ArrayLike<number>, seen: Observed): Float64Array {
  const e = fittedErrors(model, theta, seen).map((v) => Math.min(Math.max(v, 5e-3), 1 - 5e-3));
  const df = Math.max(1, seen.m - model.parameters.length);
  const excess = (variance: number): number => {
    let chi = 0;
    for (let i = 0; i < seen.m; i++) chi += (seen.y[i] - e[i]) ** 2 / ((e[i] * (1 - e[i])) / seen.n[i] + variance);
    return chi - df;
  };
  if (excess(0) <= 0) return seen.n;
  let low = 0,
    high = 0.25;
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2;
    if (excess(middle) > 0) low = middle;
    else high = middle;
  }
  return seen.n.map((n, i) => 1 / (1 / n + low / (e[i] * (1 - e[i]))));
}
