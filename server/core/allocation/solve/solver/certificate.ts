import type { Convex } from "./convex";
import { amountOf } from "./program";
import type { KinkState, Program } from "./program";

/** A point with its multipliers: of the one constraint, and of each kinked term that sits exactly at its kink. */
export interface Candidate {
  readonly z: Float64Array;
  readonly multiplier: number;
  readonly states: readonly KinkState[];
  /** Share in [0, 1] of the slope above the kink, per term; used where the state is "at". */
  readonly kinkShares: readonly number[];
}

/**
 * How far the objective at a point can be above the optimum, by weak duality: for convex f and g, any multiplier λ ≥ 0 and
 * any feasible z' of the box, f(z') ≥ f(z) + λ·g(z) + r·(z' − z) with r = ∇f(z) + λ∇g(z), so that
 * gap = −λ·g(z) − min over the box of r·(z' − z). It holds whatever solver found the point.
 */
export function dualityGap(
  program: Program,
  objective: Convex,
  constraint: Convex,
  costIsConstraint: boolean,
  scale: number,
  candidate: Candidate,
): number {
  const { z, multiplier } = candidate;
  const n = program.size;
  const gradient = new Float64Array(n);
  const slope = new Float64Array(n);
  const spare = new Float64Array(n * n);
  objective.evaluate(z, gradient, spare);
  const slack = constraint.evaluate(z, slope, spare);
  const priced = costIsConstraint ? slope : gradient;
  program.terms.forEach((term, index) => {
    if (candidate.states[index] !== "at") return;
    const weight = ((candidate.kinkShares[index] ?? 0) * Math.exp(term.logCoefficient) * amountOf(term, z)) / scale;
    for (let i = 0; i < n; i++) priced[i] += weight * term.exponents[i];
  });
  let gap = multiplier === 0 ? 0 : -multiplier * Math.min(slack, 0) + multiplier * Math.max(slack, 0);
  for (let i = 0; i < n; i++) {
    const residual = gradient[i] + multiplier * slope[i];
    gap += residual >= 0 ? residual * (z[i] - program.low[i]) : residual * (z[i] - program.high[i]);
  }
  return gap;
}

/** The multiplier that leaves the least residual on coordinates away from their bounds. */
export function fittedMultiplier(program: Program, objective: Convex, constraint: Convex, z: Float64Array): number {
  const n = program.size;
  const gradient = new Float64Array(n);
  const slope = new Float64Array(n);
  const spare = new Float64Array(n * n);
  objective.evaluate(z, gradient, spare);
  constraint.evaluate(z, slope, spare);
  let above = 0;
  let below = 0;
  for (let i = 0; i < n; i++) {
    if (Math.min(z[i] - program.low[i], program.high[i] - z[i]) < 1e-9) continue;
    above -= gradient[i] * slope[i];
    below += slope[i] * slope[i];
  }
  return below > 0 ? Math.max(0, above / below) : 0;
}
