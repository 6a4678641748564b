import type { CostUnit } from "../cost";
import type { Estimate } from "../estimate";
import { ok, refused } from "../result";
import type { Problem, Result } from "../result";
import { goalOf } from "./solve/compile";
import { estimate, thin } from "../numerics/quantiles";
import { baselinePath, costOn, firstWhere } from "./paths";
import type { Baseline, Path } from "./paths";
import { describe, drawsAt, errorsAt } from "./predict";
import { lawLevels, prepare } from "./problem/prepare";
import type { Prepared } from "./problem/prepare";
import { solve, solveAt } from "./solve/solve";
import type { AllocationProblem, Levels, Split } from "./problem/types";

/** One budget of a growth path. */
interface GrowthPoint {
  /** In the unit asked for. */
  readonly budget: number;
  readonly optimum: Split;
  /** d ln x_i/d ln C along the optimal path; 0 for axes that are held. */
  readonly exponents: Levels;
  /** Predicted on the baselines asked for, where they can spend this much. */
  readonly baselines: Readonly<Partial<Record<Baseline, { readonly levels: Levels; readonly predicted: Estimate }>>>;
}

export interface GrowthPath {
  readonly unit: CostUnit;
  readonly points: readonly GrowthPoint[];
  /** Budgets left out, each with its reason. */
  readonly refused: readonly { readonly budget: number; readonly problem: Problem }[];
}

/** Relative step of the growth exponents' central difference. */
const STEP = 1e-3;

/** The optimal split at each budget, its growth exponents, and what baselines reach for the same money. */
export function growthPath(
  problem: AllocationProblem,
  budgets: readonly number[],
  options: { readonly unit?: CostUnit; readonly baselines?: readonly Baseline[] } = {},
): Result<GrowthPath> {
  const sorted = prepare(problem);
  if (!sorted.ok) return sorted;
  const prepared = sorted.value;
  const unit = options.unit ?? problem.cost.unit;
  const points: GrowthPoint[] = [];
  const left: { budget: number; problem: Problem }[] = [];
  for (const budget of budgets) {
    const point = growthPoint(prepared, budget, unit, options.baselines ?? []);
    if (point.ok) points.push(point.value);
    else left.push({ budget, problem: point.problem });
  }
  if (points.length === 0)
    return left[0] ? { ok: false, problem: left[0].problem } : refused("allocation.infeasible", "No budget was given.");
  return ok({ unit, points, refused: left });
}

function growthPoint(
  prepared: Prepared,
  amount: number,
  unit: CostUnit,
  baselines: readonly Baseline[],
): Result<GrowthPoint> {
  const goal = goalOf(prepared.problem.law.point);
  const converted = prepared.cost.convert(amount, unit, prepared.cost.unit);
  if (!converted.ok) return converted;
  const budget = converted.value;
  const solved = solve(prepared, goal, { kind: "budget", budget }, { starts: 1, seed: 1 });
  if (!solved.ok) return solved;
  const optimum = describe(prepared, solved.value.levels, solved.value.ratios);
  if (!optimum.ok) return optimum;
  const [up, down] = [1 + STEP, 1 - STEP].map((factor) =>
    solveAt(prepared, goal, { kind: "budget", budget: budget * factor }, solved.value.ratios, solved.value.z),
  );
  const width = Math.log((1 + STEP) / (1 - STEP));
  const exponents: Record<string, number> = {};
  for (const pin of prepared.pinned) exponents[pin.axis] = 0;
  if (up?.ok && down?.ok)
    prepared.free.forEach((axis, i) => {
      exponents[axis] = (up.value.z[i] - down.value.z[i]) / width;
    });
  const reached: Partial<Record<Baseline, { levels: Levels; predicted: Estimate }>> = {};
  for (const baseline of baselines) {
    const path = baselinePath(prepared, baseline);
    if (!path.ok) continue;
    const s = spending(prepared, path.value, budget);
    const split = s === null ? null : describe(prepared, path.value.at(s), path.value.ratios);
    if (split?.ok) reached[baseline] = { levels: split.value.levels, predicted: split.value.predicted };
  }
  return ok({ budget: amount, optimum: optimum.value, exponents, baselines: reached });
}

/** The s at which a path spends a budget; null where it cannot. */
function spending(prepared: Prepared, path: Path, budget: number): number | null {
  if (!(costOn(prepared, path, path.from) <= budget)) return null;
  return firstWhere(path, (s) => costOn(prepared, path, s) >= budget);
}

export interface EquivalentGain {
  readonly baseline: Baseline;
  /** The stated compute: the gain grows with it where the two paths decay at different rates. */
  readonly compute: number;
  readonly unit: CostUnit;
  /** Compute that the baseline needs for the optimal path's success, ÷ the stated compute. Null: it never gets there. */
  readonly gain: Estimate | null;
  readonly reason?: string;
  readonly optimum: { readonly levels: Levels; readonly predicted: Estimate };
  /** The baseline at the same compute. Null where it cannot spend it. */
  readonly same: { readonly levels: Levels; readonly predicted: Estimate } | null;
}

const GAIN_DRAWS = 200;

/**
 * Compute-equivalent gain C_B(P_A(C))/C of the optimal path over a baseline that starts at the current split. Both paths are
 * those of the fitted law; the draws say what each would reach, so that the interval may fall below 1.
 * Codes: `allocation.baseline`, and those of `allocate`.
 */
export function computeEquivalentGain(
  problem: AllocationProblem,
  baseline: Baseline,
  compute: number,
  unit: CostUnit = problem.cost.unit,
): Result<EquivalentGain> {
  const sorted = prepare(problem);
  if (!sorted.ok) return sorted;
  const prepared = sorted.value;
  const path = baselinePath(prepared, baseline);
  if (!path.ok) return path;
  const converted = prepared.cost.convert(compute, unit, prepared.cost.unit);
  if (!converted.ok) return converted;
  const budget = converted.value;
  const solved = solve(prepared, goalOf(problem.law.point), { kind: "budget", budget }, { starts: 1, seed: 1 });
  if (!solved.ok) return solved;
  const optimum = describe(prepared, solved.value.levels, solved.value.ratios);
  if (!optimum.ok) return optimum;
  const reached = errorsAt(prepared, solved.value.levels, solved.value.ratios);
  const drawn = drawsAt(prepared, path.value.ratios);
  const needed = (index: number | null): number => {
    const law = index === null ? problem.law.point : drawn[index];
    const wanted = (index === null ? reached.point : reached.draws[index]) * (1 + 1e-13);
    const s = firstWhere(path.value, (at) => law.error(lawAt(prepared, path.value, at)) <= wanted);
    return s === null ? Infinity : costOn(prepared, path.value, s) / budget;
  };
  const point = needed(null);
  const s = spending(prepared, path.value, budget);
  const same = s === null ? null : describe(prepared, path.value.at(s), path.value.ratios);
  const shared = {
    baseline,
    compute,
    unit,
    optimum: { levels: optimum.value.levels, predicted: optimum.value.predicted },
    same: same?.ok ? { levels: same.value.levels, predicted: same.value.predicted } : null,
  };
  if (!Number.isFinite(point))
    return ok({
      ...shared,
      gain: null,
      reason: "the baseline never reaches this success, whatever it spends: what it holds fixed limits it",
    });
  const indices = thin(
    drawn.map((_, b) => b),
    GAIN_DRAWS,
  );
  return ok({ ...shared, gain: estimate(point, indices.map(needed)) });
}

function lawAt(prepared: Prepared, path: Path, s: number): number[] {
  return lawLevels(prepared, path.at(s), path.ratios);
}
