import type { Convex } from "./convex";
import { logSum } from "./convex";
import { dualityGap, fittedMultiplier } from "./certificate";
import type { Candidate } from "./certificate";
import { minimiseInterior } from "./interior";
import type { InteriorSolution, Pace } from "./interior";
import { solveGeneral } from "../../../numerics/general";
import { widened } from "./region";
import type { Region } from "./region";
import { amountOf, costAt, errorAt, hasKinks, kinkStates, lifted, logError, smoothCost } from "./program";
import type { KinkState, Program } from "./program";

export interface GeometricSolution {
  readonly z: Float64Array;
  readonly error: number;
  readonly cost: number;
  /** Duality gap of ln error (least error) or of ln cost (least cost): how far the optimum can lie below. */
  readonly gap: number;
  /** −∂ln(error − floor)/∂ln budget, or its inverse for the least cost. */
  readonly multiplier: number;
  readonly iterations: number;
}

/** Least error with cost ≤ budget. Null: not even the lower bounds are affordable. */
export function leastError(program: Program, budget: number, start?: Float64Array): GeometricSolution | null {
  const cheapest = costAt(program, program.low);
  if (!(cheapest <= budget * (1 + 1e-12))) return null;
  if (program.size === 0 || cheapest >= budget * (1 - 1e-9)) return fixedPoint(program, program.low);
  const scale = budget;
  const lift = lifted(program, scale);
  const inside = affordableStart(program, budget, start);
  const room = 1 - costAt(program, inside) / budget;
  const from = lift.lift(inside, room / (4 * (lift.epigraphs.length + 1)));
  return tighter((pace) =>
    finish(
      program,
      minimiseInterior(lift.error, [lift.cost, ...lift.epigraphs], lift.low, lift.high, from, pace),
      scale,
      true,
      0,
    ),
  );
}

/**
 * Least error within several budgets at once. The gap is what the interior method's multipliers leave: Σ λ·slack over the budgets and
 * the box, which bounds what anyone can gain once the gradient of the Lagrangian has vanished.
 */
export function leastErrorWithin(
  program: Program,
  region: Region,
  start: Float64Array,
): { readonly z: Float64Array; readonly gap: number } {
  const objective = widened(logSum(program.error), region.all);
  const from = region.lift(region.inside(start));
  const attempt = (pace: Pace): { z: Float64Array; gap: number } => {
    const { y, multipliers, below, above } = minimiseInterior(
      objective,
      region.constraints,
      region.low,
      region.high,
      from,
      pace,
    );
    let gap = 0;
    region.constraints.forEach((constraint, c) => (gap += Math.max(0, -multipliers[c] * constraint.value(y))));
    for (let i = 0; i < region.all; i++) {
      gap += below[i] * Math.max(0, y[i] - region.low[i]);
      if (Number.isFinite(region.high[i])) gap += above[i] * Math.max(0, region.high[i] - y[i]);
    }
    const z = y.slice(0, region.size);
    return { z, gap: errorGap(program, errorAt(program, z), gap) };
  };
  const quick = attempt("quick");
  if (quick.gap <= WANTED_GAP) return quick;
  const careful = attempt("careful");
  return careful.gap < quick.gap ? careful : quick;
}

/** Least cost with error ≤ target, from a point that meets it. Null: the target cannot be met from there with room to spare. */
export function leastCost(program: Program, target: number, start: Float64Array): GeometricSolution | null {
  if (!(target > program.floor)) return null;
  if (program.size === 0)
    return errorAt(program, program.low) <= target * (1 + 1e-12) ? fixedPoint(program, program.low) : null;
  const shift = Math.log(target - program.floor);
  const cheapest = errorAt(program, program.low);
  if (cheapest <= target) return fixedPoint(program, program.low);
  const inside = goodStart(program, shift, start);
  if (!inside) {
    // No room to spare: the target is met, if at all, with every axis that matters at its upper bound.
    const corner = Float64Array.from(program.low, (low, i) => (matters(program, i) ? program.high[i] : low));
    return errorAt(program, corner) <= target * (1 + 1e-9) ? fixedPoint(program, corner) : null;
  }
  const scale = costAt(program, inside);
  const lift = lifted(program, scale);
  const law: Convex = {
    size: lift.size,
    value: (y) => lift.error.value(y) - shift,
    evaluate: (y, gradient, hessian) => lift.error.evaluate(y, gradient, hessian) - shift,
  };
  const from = lift.lift(inside, 0.01);
  return tighter((pace) =>
    finish(
      program,
      minimiseInterior(lift.cost, [law, ...lift.epigraphs], lift.low, lift.high, from, pace),
      scale,
      false,
      shift,
    ),
  );
}

/** A certificate worse than this is worth a second, careful attempt. */
const WANTED_GAP = 1e-9;

function tighter(attempt: (pace: Pace) => GeometricSolution): GeometricSolution {
  const quick = attempt("quick");
  if (quick.gap <= WANTED_GAP) return quick;
  const careful = attempt("careful");
  return careful.gap < quick.gap ? careful : quick;
}

function matters(program: Program, axis: number): boolean {
  for (let t = 0; t < program.error.count; t++) if (program.error.exponents[t * program.size + axis] !== 0) return true;
  return false;
}

function fixedPoint(program: Program, at: Float64Array): GeometricSolution {
  const z = Float64Array.from(at);
  return { z, error: errorAt(program, z), cost: costAt(program, z), gap: 0, multiplier: 0, iterations: 0 };
}

/** A point near `start` inside the box that costs clearly less than the budget. */
function affordableStart(program: Program, budget: number, start?: Float64Array): Float64Array {
  const n = program.size;
  const corner = new Float64Array(n);
  for (let share = 1e-2; share > 1e-14; share /= 10) {
    for (let i = 0; i < n; i++) corner[i] = program.low[i] + share * Math.min(1, program.high[i] - program.low[i]);
    if (costAt(program, corner) < budget * (1 - 1e-12)) break;
  }
  const wanted = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    const margin = 1e-3 * (program.high[i] - program.low[i]);
    wanted[i] = Math.min(
      program.high[i] - margin,
      Math.max(program.low[i] + margin, start?.[i] ?? (program.low[i] + program.high[i]) / 2),
    );
  }
  const limit = Math.max(0.9 * budget, (costAt(program, corner) + budget) / 2);
  const point = new Float64Array(n);
  for (let share = 1; share > 1e-6; share *= 0.8) {
    for (let i = 0; i < n; i++) point[i] = corner[i] + share * (wanted[i] - corner[i]);
    if (costAt(program, point) < limit) return point;
  }
  return corner;
}

/** A point near `start`, strictly inside the box, that is strictly better than the target. */
function goodStart(program: Program, shift: number, start: Float64Array): Float64Array | null {
  const n = program.size;
  const point = new Float64Array(n);
  for (const margin of [1e-3, 1e-5, 1e-7, 1e-9]) {
    for (const share of [0.02, 0.1, 0.3, 0.6, 0.9, 0.99, 1]) {
      for (let i = 0; i < n; i++) {
        const room = margin * Math.min(1, program.high[i] - program.low[i]);
        const from = Math.min(program.high[i] - room, Math.max(program.low[i] + room, start[i]));
        point[i] = from + share * (program.high[i] - room - from);
      }
      if (logError(program, point) < shift - 1e-9) return point;
    }
  }
  return null;
}

/** Refines an interior solution on its active set and keeps the point whose certificate is the tighter. */
function finish(
  program: Program,
  solved: InteriorSolution,
  scale: number,
  costIsConstraint: boolean,
  shift: number,
): GeometricSolution {
  const candidates = [rough(program, solved, scale, costIsConstraint)];
  for (const tolerance of [1e-6, 1e-4, 1e-9]) {
    const polished = polish(program, solved, scale, costIsConstraint, shift, tolerance);
    if (polished) candidates.push(polished);
    if (polished || !hasKinks(program)) break;
  }
  let best: Candidate = candidates[0];
  let bestGap = Infinity;
  for (const candidate of candidates) {
    const { objective, constraint } = functions(program, scale, costIsConstraint, shift, candidate.states);
    if (constraint.value(candidate.z) > 1e-10) continue;
    for (const multiplier of [candidate.multiplier, fittedMultiplier(program, objective, constraint, candidate.z)]) {
      const gap = dualityGap(program, objective, constraint, costIsConstraint, scale, { ...candidate, multiplier });
      if (gap < bestGap) {
        bestGap = gap;
        best = { ...candidate, multiplier };
      }
    }
  }
  const error = errorAt(program, best.z);
  const cost = costAt(program, best.z);
  return {
    z: best.z,
    error,
    cost,
    multiplier: best.multiplier,
    iterations: solved.iterations,
    gap: costIsConstraint ? errorGap(program, error, bestGap) : hasKinks(program) ? (bestGap * scale) / cost : bestGap,
  };
}

/** The interior solution as it is, with the kinks' shares read from the epigraph multipliers. */
function rough(program: Program, solved: InteriorSolution, scale: number, costIsConstraint: boolean): Candidate {
  const z = solved.y.slice(0, program.size);
  const weight = costIsConstraint ? solved.multipliers[0] : 1;
  let kink = 0;
  const kinkShares = program.terms.map((term) => {
    if (term.owned <= 0) return 0;
    kink++;
    return Math.min(
      1,
      Math.max(0, (solved.multipliers[kink] * scale) / (weight * Math.exp(term.logCoefficient) * term.owned)),
    );
  });
  return { z, multiplier: solved.multipliers[0], states: kinkStates(program, z, 1e-8), kinkShares };
}

/** A gap of ln(error − floor) as one of ln error. */
function errorGap(program: Program, error: number, gap: number): number {
  const lower = program.floor + (error - program.floor) * Math.exp(-Math.max(0, gap));
  return error > 0 && lower > 0 ? Math.max(0, Math.log(error / lower)) : gap;
}

function functions(
  program: Program,
  scale: number,
  costIsConstraint: boolean,
  shift: number,
  states: readonly KinkState[],
): { objective: Convex; constraint: Convex } {
  const law = logSum(program.error, shift);
  const cost = smoothCost(program, scale, states);
  return costIsConstraint ? { objective: law, constraint: cost } : { objective: cost, constraint: law };
}

/** Curvature lent to directions that have none (an axis that neither law nor cost feels); the step stays a descent to zero. */
const FLAT = 1e-9;

/** Newton's method on the optimality conditions with the active bounds and kinks held. Null where it does not settle. */
function polish(
  program: Program,
  solved: InteriorSolution,
  scale: number,
  costIsConstraint: boolean,
  shift: number,
  tolerance: number,
): Candidate | null {
  const n = program.size;
  const z = solved.y.slice(0, n);
  const fixed: boolean[] = [];
  for (let i = 0; i < n; i++) {
    const atLow = solved.below[i] > z[i] - program.low[i];
    const atHigh = solved.above[i] > program.high[i] - z[i];
    fixed.push(atLow || atHigh);
    if (atLow) z[i] = program.low[i];
    else if (atHigh) z[i] = program.high[i];
  }
  let states = kinkStates(program, z, tolerance);
  const active = solved.multipliers[0] > 1e-9;
  for (let round = 0; round < 2 * program.terms.length + 1; round++) {
    const settled = newton(
      program,
      Float64Array.from(z),
      fixed,
      states,
      active ? solved.multipliers[0] : 0,
      scale,
      costIsConstraint,
      shift,
    );
    if (!settled) return null;
    const wrong = settled.kinkShares.findIndex(
      (share, index) => states[index] === "at" && (share < -1e-9 || share > 1 + 1e-9),
    );
    if (wrong >= 0) {
      states = states.map((state, index) =>
        index === wrong ? (settled.kinkShares[index] < 0 ? "free" : "paid") : state,
      );
      continue;
    }
    const passed = kinkStates(program, settled.z, 1e-12).findIndex(
      (state, index) => states[index] !== "at" && state !== "at" && state !== states[index],
    );
    if (passed < 0) return settled;
    states = states.map((state, index) => (index === passed ? "at" : state));
  }
  return null;
}

function newton(
  program: Program,
  z: Float64Array,
  fixed: readonly boolean[],
  states: readonly KinkState[],
  multiplier: number,
  scale: number,
  costIsConstraint: boolean,
  shift: number,
): Candidate | null {
  const n = program.size;
  const free = fixed.flatMap((held, i) => (held ? [] : [i]));
  const kinks = states.flatMap((state, index) => (state === "at" ? [index] : []));
  const active = multiplier > 0;
  const size = free.length + (active ? 1 : 0) + kinks.length;
  const { objective, constraint } = functions(program, scale, costIsConstraint, shift, states);
  const gradient = new Float64Array(n);
  const hessian = new Float64Array(n * n);
  const slope = new Float64Array(n);
  const curvature = new Float64Array(n * n);
  let lambda = multiplier;
  const eta = new Float64Array(kinks.length);
  for (let iteration = 0; iteration < 12 && size > 0; iteration++) {
    objective.evaluate(z, gradient, hessian);
    const slack = constraint.evaluate(z, slope, curvature);
    const matrix = new Float64Array(size * size);
    const right = new Float64Array(size);
    free.forEach((i, row) => {
      let residual = gradient[i] + lambda * slope[i];
      free.forEach((j, column) => {
        matrix[row * size + column] = hessian[i * n + j] + lambda * curvature[i * n + j] + (i === j ? FLAT : 0);
      });
      if (active) {
        matrix[row * size + free.length] = slope[i];
        matrix[free.length * size + row] = slope[i];
      }
      kinks.forEach((index, k) => {
        const at = free.length + (active ? 1 : 0) + k;
        const exponent = program.terms[index].exponents[i];
        residual += eta[k] * exponent;
        matrix[row * size + at] = exponent;
        matrix[at * size + row] = exponent;
      });
      right[row] = -residual;
    });
    if (active) right[free.length] = -slack;
    kinks.forEach((index, k) => {
      const term = program.terms[index];
      right[free.length + (active ? 1 : 0) + k] = -Math.log(amountOf(term, z) / term.owned);
    });
    const step = solveGeneral(matrix, right, size);
    if (!step) return null;
    let largest = 0;
    free.forEach((i, row) => {
      z[i] += step[row];
      largest = Math.max(largest, Math.abs(step[row]));
      if (!(z[i] > program.low[i] - 1e-12 && z[i] < program.high[i] + 1e-12)) largest = Infinity;
    });
    if (!(largest < 1)) return null;
    if (active) lambda += step[free.length];
    kinks.forEach((_, k) => {
      eta[k] += step[free.length + (active ? 1 : 0) + k];
    });
    if (largest < 1e-14) break;
  }
  if (lambda < 0) return null;
  const weight = costIsConstraint ? lambda : 1;
  const kinkShares = states.map((state, index) => {
    if (state !== "at") return 0;
    const term = program.terms[index];
    return (eta[kinks.indexOf(index)] * scale) / (weight * Math.exp(term.logCoefficient) * term.owned);
  });
  return { z, multiplier: lambda, states, kinkShares };
}
