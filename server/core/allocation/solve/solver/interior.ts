import type { Convex } from "./convex";
import { solveSymmetric } from "../../../numerics/general";

export interface InteriorSolution {
  readonly y: Float64Array;
  /** Multiplier of each nonlinear constraint. */
  readonly multipliers: Float64Array;
  /** Multipliers of the lower and upper bounds. */
  readonly below: Float64Array;
  readonly above: Float64Array;
  readonly iterations: number;
  readonly converged: boolean;
}

/** How the centring weight falls and how far a step goes: quick first, careful where that ended without a certificate. */
const PACES = { quick: { growth: 15, longest: 3 }, careful: { growth: 3, longest: 0.7 } } as const;
export type Pace = keyof typeof PACES;
const TOLERANCE = 1e-13;
const MAX_ITERATIONS = 200;
/** Iterations without a better point before giving up. */
const PATIENCE = 40;

/**
 * Minimises a convex objective under convex constraints g_j(y) ≤ 0 and box bounds (±Infinity: none), from a strictly
 * feasible point, by a primal-dual interior-point method (Boyd & Vandenberghe, Convex Optimization, § 11.7) with a slack
 * variable per constraint, so that a step is not cut where a constraint bends away from its tangent.
 */
export function minimiseInterior(
  objective: Convex,
  constraints: readonly Convex[],
  low: Float64Array,
  high: Float64Array,
  start: Float64Array,
  pace: Pace = "quick",
): InteriorSolution {
  const { growth, longest: longestStep } = PACES[pace];
  const n = objective.size;
  const m = constraints.length;
  const y = Float64Array.from(start);
  const from = new Float64Array(n);
  const heldBelow = new Float64Array(n);
  const heldAbove = new Float64Array(n);
  const held = new Float64Array(m);
  const heldSlack = new Float64Array(m);
  const gradient = new Float64Array(n);
  const hessian = new Float64Array(n * n);
  const system = new Float64Array(n * n);
  const step = new Float64Array(n);
  const g = new Float64Array(m);
  const slack = new Float64Array(m);
  const dSlack = new Float64Array(m);
  const slopes = constraints.map(() => new Float64Array(n));
  const curvatures = constraints.map(() => new Float64Array(n * n));
  const lambda = new Float64Array(m);
  const dLambda = new Float64Array(m);
  const below = new Float64Array(n);
  const above = new Float64Array(n);
  const dBelow = new Float64Array(n);
  const dAbove = new Float64Array(n);
  const bounded = (bound: number): boolean => Number.isFinite(bound);
  let count = m;
  for (let i = 0; i < n; i++) count += (bounded(low[i]) ? 1 : 0) + (bounded(high[i]) ? 1 : 0);

  const evaluate = (): void => {
    objective.evaluate(y, gradient, hessian);
    for (let j = 0; j < m; j++) g[j] = constraints[j].evaluate(y, slopes[j], curvatures[j]);
  };
  /** Norm of the dual and centring residuals at the current point, with 1/t = centre. */
  const residual = (centre: number): number => {
    let sum = 0;
    for (let i = 0; i < n; i++) {
      let dual = gradient[i] - below[i] + above[i];
      for (let j = 0; j < m; j++) dual += lambda[j] * slopes[j][i];
      sum += dual * dual;
      if (bounded(low[i])) sum += (below[i] * (y[i] - low[i]) - centre) ** 2;
      if (bounded(high[i])) sum += (above[i] * (high[i] - y[i]) - centre) ** 2;
    }
    for (let j = 0; j < m; j++) sum += (lambda[j] * slack[j] - centre) ** 2 + (g[j] + slack[j]) ** 2;
    return Math.sqrt(sum);
  };
  const surrogateGap = (): number => {
    let sum = 0;
    for (let j = 0; j < m; j++) sum += lambda[j] * slack[j];
    for (let i = 0; i < n; i++) {
      if (bounded(low[i])) sum += below[i] * (y[i] - low[i]);
      if (bounded(high[i])) sum += above[i] * (high[i] - y[i]);
    }
    return sum;
  };

  evaluate();
  for (let j = 0; j < m; j++) {
    slack[j] = Math.max(-g[j], 1e-8);
    lambda[j] = 1 / slack[j];
  }
  for (let i = 0; i < n; i++) {
    below[i] = bounded(low[i]) ? 1 / Math.max(y[i] - low[i], 1e-10) : 0;
    above[i] = bounded(high[i]) ? 1 / Math.max(high[i] - y[i], 1e-10) : 0;
  }

  const best = {
    distance: Infinity,
    at: 0,
    y: Float64Array.from(y),
    lambda: Float64Array.from(lambda),
    below: Float64Array.from(below),
    above: Float64Array.from(above),
  };
  let iterations = 0;
  let converged = false;
  for (; iterations < MAX_ITERATIONS; iterations++) {
    const gap = surrogateGap();
    const distance = Math.max(gap / count, residual(0));
    if (distance < best.distance) {
      best.distance = distance;
      best.at = iterations;
      best.y.set(y);
      best.lambda.set(lambda);
      best.below.set(below);
      best.above.set(above);
    }
    if (gap < TOLERANCE * count && distance < 1e-10) {
      converged = true;
      break;
    }
    // Rounding ends the progress of badly scaled programs; the best point so far stands, and is polished by the caller.
    if (!Number.isFinite(distance) || iterations - best.at > PATIENCE) break;
    const centre = gap / (growth * Math.max(count, 1));
    const before = residual(centre);

    // Newton system of the barrier, with box terms on the diagonal.
    system.set(hessian);
    for (let i = 0; i < n; i++) {
      const toLow = y[i] - low[i];
      const toHigh = high[i] - y[i];
      let right = -gradient[i];
      let diagonal = 0;
      if (bounded(low[i])) {
        right += centre / toLow;
        diagonal += below[i] / toLow;
      }
      if (bounded(high[i])) {
        right -= centre / toHigh;
        diagonal += above[i] / toHigh;
      }
      step[i] = right;
      system[i * n + i] = system[i * n + i] + diagonal;
    }
    for (let j = 0; j < m; j++) {
      const slope = slopes[j];
      const curvature = curvatures[j];
      const multiplier = lambda[j];
      const ahead = (centre + multiplier * (g[j] + slack[j])) / slack[j];
      for (let i = 0; i < n; i++) {
        step[i] -= ahead * slope[i];
        for (let k = 0; k < n; k++) {
          system[i * n + k] =
            system[i * n + k] + multiplier * curvature[i * n + k] + (multiplier / slack[j]) * slope[i] * slope[k];
        }
      }
    }
    solveSymmetric(system, step, n);

    let longest = 1;
    for (let j = 0; j < m; j++) {
      let along = 0;
      for (let i = 0; i < n; i++) along += slopes[j][i] * step[i];
      dSlack[j] = -(g[j] + slack[j]) - along;
      dLambda[j] = (centre - lambda[j] * dSlack[j]) / slack[j] - lambda[j];
      if (dLambda[j] < 0) longest = Math.min(longest, -lambda[j] / dLambda[j]);
      if (dSlack[j] < 0) longest = Math.min(longest, -slack[j] / dSlack[j]);
    }
    for (let i = 0; i < n; i++) {
      dBelow[i] = 0;
      dAbove[i] = 0;
      if (bounded(low[i])) {
        const room = y[i] - low[i];
        dBelow[i] = (centre - below[i] * step[i]) / room - below[i];
        if (dBelow[i] < 0) longest = Math.min(longest, -below[i] / dBelow[i]);
        if (step[i] < 0) longest = Math.min(longest, room / -step[i]);
      }
      if (bounded(high[i])) {
        const room = high[i] - y[i];
        dAbove[i] = (centre + above[i] * step[i]) / room - above[i];
        if (dAbove[i] < 0) longest = Math.min(longest, -above[i] / dAbove[i]);
        if (step[i] > 0) longest = Math.min(longest, room / step[i]);
      }
    }

    // Far from its optimum a sum of exponentials is nearly straight, and Newton's step in logs goes astray.
    let largest = 0;
    for (let i = 0; i < n; i++) largest = Math.max(largest, Math.abs(step[i]));
    let length = Math.min(longest < 1 ? 0.995 * longest : 1, longestStep / largest);
    from.set(y);
    held.set(lambda);
    heldSlack.set(slack);
    heldBelow.set(below);
    heldAbove.set(above);
    // A step that raises the residual is halved a few times and then taken all the same: the iterates are kept
    // inside by the slacks. Asking for a decrease at every step made some kinked programs crawl.
    for (let attempt = 0; attempt < 4; attempt++, length *= 0.5) {
      for (let i = 0; i < n; i++) {
        y[i] = from[i] + length * step[i];
        below[i] = heldBelow[i] + length * dBelow[i];
        above[i] = heldAbove[i] + length * dAbove[i];
      }
      for (let j = 0; j < m; j++) {
        lambda[j] = held[j] + length * dLambda[j];
        slack[j] = heldSlack[j] + length * dSlack[j];
      }
      evaluate();
      if (residual(centre) <= 3 * before) break;
    }
  }
  return { y: best.y, multipliers: best.lambda, below: best.below, above: best.above, iterations, converged };
}
