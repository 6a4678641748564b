import type { Model } from "../laws/model";
import { solveSymmetric } from "../numerics/linear";
import { CLAMP, type Loss, type Observed } from "./likelihood";

export interface Solution {
  readonly theta: Float64Array;
  readonly objective: number;
  readonly iterations: number;
  readonly converged: boolean;
}

export interface SolveOptions {
  /** Relative decrease of the objective that counts as none. */
  readonly tolerance?: number;
  readonly maxIterations?: number;
  /** First damping, relative to the curvature; small where the start is all but there. Default 1e-3. */
  readonly damping?: number;
  /** Parameters held at their starting value. */
  readonly held?: readonly boolean[];
}

/** A solver bound to one model and one set of rows; it owns its work arrays, so thousands of refits allocate nothing large. */
export interface Solver {
  solve(start: ArrayLike<number>, weight: Float64Array, loss: Loss, options?: SolveOptions): Solution;
}

/**
 * Bounded Levenberg–Marquardt on Σ w·ℓ(e(θ)): scoring with the loss's curvature, Marquardt's diagonal scaling,
 * Nielsen's damping, bounds by an active set and clipping. Analytic Jacobians come from the model.
 */
export function solver(model: Model, seen: Observed): Solver {
  const { parameters } = model;
  const p = parameters.length,
    m = seen.m;
  // Two sets of everything that depends on θ: a trial step fills the other set, and acceptance swaps them.
  let jacobian = new Float64Array(p * m),
    slope = new Float64Array(m),
    curvature = new Float64Array(m);
  let trialJacobian = new Float64Array(p * m),
    trialSlope = new Float64Array(m),
    trialCurvature = new Float64Array(m);
  const e = new Float64Array(m);
  const gradient = new Float64Array(p),
    hessian = new Float64Array(p * p),
    damped = new Float64Array(p * p);
  const rhs = new Float64Array(p),
    full = new Float64Array(p),
    step = new Float64Array(p),
    work = new Float64Array(p * p),
    trial = new Float64Array(p);
  const free = new Int32Array(p);
  const weighted = new Float64Array(m);
  // The rows of the present solve: those with a weight, close together. A resample leaves out more than a third of them.
  let active = seen,
    weight: Float64Array = new Float64Array(0),
    some: { readonly rows: Observed; readonly weight: Float64Array } | null = null;
  const k = model.axes.length;
  const select = (all: Float64Array): void => {
    let left = 0;
    for (let i = 0; i < m; i++) if (all[i] !== 0) left++;
    active = seen;
    weight = all;
    if (model.bound || left > 0.9 * m) return;
    some ??= {
      rows: { m, u: new Float64Array(k * m), y: new Float64Array(m), n: new Float64Array(m) },
      weight: new Float64Array(m),
    };
    const { u, y, n } = some.rows;
    for (let i = 0, j = 0; i < m; i++) {
      if (all[i] === 0) continue;
      for (let a = 0; a < k; a++) u[a * left + j] = seen.u[a * m + i];
      y[j] = seen.y[i];
      n[j] = seen.n[i];
      some.weight[j++] = all[i];
    }
    active = { m: left, u, y, n };
    weight = some.weight;
  };

  const normalEquations = (relax: number): void => {
    const J = jacobian,
      rows = active.m;
    for (let a = 0; a < p; a++) {
      const ja = a * rows;
      let g = 0;
      for (let i = 0; i < rows; i++) {
        const j = J[ja + i];
        g += slope[i] * j;
        weighted[i] = relax * curvature[i] * j;
      }
      gradient[a] = g;
      for (let b = 0; b <= a; b++) {
        const jb = b * rows;
        let s = 0;
        for (let i = 0; i < rows; i++) s += weighted[i] * J[jb + i];
        hessian[a * p + b] = hessian[b * p + a] = s;
      }
    }
  };

  const theta = new Float64Array(p);
  const at = new Int8Array(p);

  /**
   * Minimises the damped quadratic model over the free parameters within their bounds: whatever the step would carry over a
   * bound is put on it, and the rest solved again. Fills `trial`; returns the decrease that the undamped model promises.
   */
  const boundedStep = (n: number, lambda: number): number | null => {
    at.fill(0, 0, n);
    for (let round = 0; round <= n; round++) {
      let size = 0;
      for (let i = 0; i < n; i++) {
        if (at[i]) continue;
        const a = free[i];
        let size2 = 0,
          right = -gradient[a];
        for (let j = 0; j < n; j++) {
          const h = hessian[a * p + free[j]];
          if (at[j]) right -= h * full[j];
          else damped[size * p + size2++] = h;
        }
        damped[size * p + size] += lambda * Math.max(hessian[a * p + a], 1e-12) + 1e-14;
        rhs[size++] = right;
      }
      if (size > 0 && !solveSymmetric(damped, size, p, rhs, step, work)) return null;
      let clipped = false,
        next = 0;
      for (let i = 0; i < n; i++) {
        if (at[i]) continue;
        const { low, high } = parameters[free[i]],
          to = theta[free[i]] + step[next++];
        full[i] = to - theta[free[i]];
        if (to < low || to > high) {
          full[i] = (to < low ? low : high) - theta[free[i]];
          at[i] = 1;
          clipped = true;
        }
      }
      if (!clipped) break;
    }
    trial.set(theta);
    let predicted = 0;
    for (let i = 0; i < n; i++) {
      trial[free[i]] = theta[free[i]] + full[i];
      predicted -= gradient[free[i]] * full[i];
      for (let j = 0; j < n; j++) predicted -= 0.5 * full[i] * full[j] * hessian[free[i] * p + free[j]];
    }
    return predicted;
  };

  return {
    solve(start, all, loss, options = {}) {
      const tolerance = options.tolerance ?? 1e-10,
        limit = options.maxIterations ?? 200,
        held = options.held;
      for (let i = 0; i < p; i++) {
        const s = start[i];
        theta[i] = Math.min(
          Math.max(Number.isFinite(s) ? s : parameters[i].low, parameters[i].low),
          parameters[i].high,
        );
      }
      select(all);
      const { u, m: rows } = active;
      model.evaluate(theta, u, rows, e, jacobian);
      // Rows that the start carries beyond a clamp are first called back, and left alone where nothing is gained by it.
      let pull = true;
      let objective = loss.evaluate(e, active, weight, slope, curvature, pull);
      let lambda = options.damping ?? 1e-3,
        grow = 2,
        iterations = 0,
        converged = false,
        quiet = 0;
      // Huber's reweighting overstates the curvature where many residuals lie outside δ: its steps are safe but short.
      // Where they gain more than promised the curvature is scaled down, and back up when a step fails.
      const reweighted = loss.delta !== undefined && Number.isFinite(loss.delta);
      let relax = 1;
      while (iterations < limit) {
        iterations++;
        normalEquations(relax);
        let n = 0;
        for (let i = 0; i < p; i++) {
          if (held?.[i]) continue;
          const { low, high } = parameters[i];
          if ((theta[i] <= low && gradient[i] > 0) || (theta[i] >= high && gradient[i] < 0)) continue;
          free[n++] = i;
        }
        if (n === 0) {
          converged = true;
          break;
        }
        let accepted = false;
        for (let attempt = 0; attempt < 25; attempt++) {
          const predicted = boundedStep(n, lambda);
          if (predicted === null) {
            lambda = Math.max(lambda * 10, 1e-6);
            continue;
          }
          model.evaluate(trial, u, rows, e, trialJacobian);
          const next = loss.evaluate(e, active, weight, trialSlope, trialCurvature, pull);
          if (next < objective) {
            const gain = objective - next;
            const ratio = predicted > 0 ? gain / predicted : 1;
            const bent = predicted > 0 ? Math.min(ratio, 1) : 0.5;
            lambda = Math.max(lambda * Math.max(1 / 3, 1 - (2 * bent - 1) ** 3), 1e-12);
            grow = 2;
            if (reweighted && ratio > 1.05) relax = Math.max(relax / 2, 1 / 64);
            theta.set(trial);
            quiet = gain <= tolerance * Math.abs(objective) + 1e-300 ? quiet + 1 : 0;
            objective = next;
            [jacobian, trialJacobian] = [trialJacobian, jacobian];
            [slope, trialSlope] = [trialSlope, slope];
            [curvature, trialCurvature] = [trialCurvature, curvature];
            accepted = true;
            break;
          }
          if (relax < 1) {
            relax = Math.min(1, 4 * relax);
            normalEquations(relax);
            continue;
          }
          // A step that promises nothing in the objective's last digits has arrived.
          if (Math.abs(predicted) <= 1e-15 * Math.abs(objective) || !(lambda < 1e16)) break;
          lambda *= grow;
          grow *= 2;
        }
        if ((!accepted || quiet >= 2) && pull && loss.clamps) {
          pull = false;
          model.evaluate(theta, u, rows, e, null);
          if (e.subarray(0, rows).some((value) => value < CLAMP || value > 1 - CLAMP)) {
            model.evaluate(theta, u, rows, e, jacobian);
            loss.evaluate(e, active, weight, slope, curvature, pull);
            lambda = 1e-3;
            grow = 2;
            quiet = 0;
            continue;
          }
        }
        if (!accepted || quiet >= 2) {
          converged = true;
          break;
        }
      }
      return { theta: Float64Array.from(theta), objective, iterations, converged };
    },
  };
}
