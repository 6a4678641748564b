import type { Allocation, AllocationProblem, Levels } from "./index";
import { goalOf, lawGoal } from "./solve/compile";
import { estimate, thin } from "../numerics/quantiles";
import { baselinePath, costOn, firstWhere, optimalPath, type Path } from "./paths";
import { drawsAt, errorsAt } from "./predict";
import { lawLevels, prepare, rawLevels, type Prepared } from "./problem/prepare";
import { solveAt } from "./solve/solve";
import type { CostPart } from "../cost";
import { logSpace, quantile } from "../figures/ticks";
import type { FrontierInput, PathPoint } from "./curveTypes";
import type { GrowthInput, GrowthPoint } from "./curveTypes";
import type { SplitAxis, SplitInput } from "./curveTypes";

/** What figures of an allocation say beside its numbers. */
export interface AllocationWords {
  readonly experiment: string;
  readonly simulated: boolean;
  readonly prior: boolean;
  /** The verdict in words. */
  readonly worth: string;
}

/** Budgets on a path, and how far they reach on both sides of the present one. */
const BUDGETS = 25;
const REACH = 30;
/** Draws whose own optimum is solved for the intervals of the shares. */
const SHARE_DRAWS = 60;

/** The numbers of the split chart. Intervals are those of each draw's own optimum at the recommended split's cost. */
export function splitInput(problem: AllocationProblem, result: Allocation, words: AllocationWords): SplitInput {
  const best = result.best;
  const axes = [...new Set([...problem.law.axes, ...Object.keys(result.current.levels)])].filter(
    (axis) => (result.current.levels[axis] ?? 0) > 0,
  );
  const drawn = drawnOptima(problem, result);
  const rollouts = axes.includes("trajectories") ? "trajectories" : null;
  const shareOf = (parts: readonly CostPart[], axis: string): number | undefined => {
    const own = parts.filter((part) => part.axis === axis || (part.axis === null && axis === rollouts));
    return own.length > 0 ? own.reduce((sum, part) => sum + part.share, 0) : undefined;
  };
  return {
    ...words,
    axes: axes.map((axis): SplitAxis => {
      const pinned = result.pinned.find((pin) => pin.axis === axis)?.reason;
      const amounts = drawn.map(({ levels }) => levels[axis] ?? NaN);
      const shares = drawn.map(({ parts }) => shareOf(parts, axis) ?? NaN);
      return {
        axis,
        current: result.current.levels[axis] ?? 0,
        optimum: best.levels[axis] ?? 0,
        ...given("currentShare", shareOf(result.current.parts, axis)),
        ...given("optimumShare", shareOf(best.parts, axis)),
        ...(pinned === undefined
          ? { ...given("amountInterval", middle(amounts)), ...given("shareInterval", middle(shares)) }
          : { pinned }),
      };
    }),
    multiplier: result.computeMultiplier,
    cost: { current: result.current.cost, optimum: best.cost, unit: result.unit },
    paidFor: rollouts ? { trajectories: "all rollouts, which grow with tasks too" } : {},
    prices: problem.cost.assumptions
      .filter(({ name }) => /price|hardware|utilisation/i.test(name))
      .map(({ name, value, unit }) => `${name} ${value} ${unit}`.trim()),
    design: problem.cost.design,
    certificate: result.certificate,
  };
}

/** The numbers of the frontier and growth charts; null where no split may move or the law is of a loss. */
export function pathInputs(
  problem: AllocationProblem,
  result: Allocation,
  words: AllocationWords,
): { readonly frontier: FrontierInput; readonly growth: GrowthInput } | null {
  const prepared = prepare(problem);
  if (!prepared.ok || problem.law.response !== "success" || prepared.value.free.length === 0) return null;
  const ready = prepared.value;
  const cost = result.current.cost;
  const best = result.best;
  const ratios = result.continuous.ratios;
  const optimal = optimalPath(ready, lawGoal(problem.law), cost, ratios, logsOf(ready, result), REACH, REACH);
  const scaled = baselinePath(ready, "current-split");
  if (!optimal) return null;
  const budgets = logSpace(
    Math.max(cost / REACH, Math.exp(optimal.from)),
    Math.min(cost * REACH, Math.exp(optimal.to)),
    BUDGETS,
  );
  const optimum = budgets.map((budget) => ({ budget, levels: optimal.at(Math.log(budget)) }));
  const current = scaled.ok
    ? budgets.flatMap((budget) => {
        const levels = levelsAtCost(ready, scaled.value, budget);
        return levels ? [{ budget, levels }] : [];
      })
    : [];
  const point = ({ budget, levels }: { budget: number; levels: Levels }, mix = ratios): PathPoint => ({
    cost: budget,
    success: success(ready, levels, mix),
    beyond: beyond(ready, levels, mix),
  });
  const equal = cost / result.computeMultiplier.estimate;
  // At a multiplier of 1 the two points are one, and an arrow would have no length.
  const reached = equal >= budgets[0] && result.computeMultiplier.estimate > 1.001;
  return {
    frontier: {
      ...words,
      unit: result.unit,
      current: current.map((at) => point(at, ready.ratios)),
      optimum: optimum.map((at) => point(at)),
      here: { cost, success: result.current.predicted, beyond: false },
      best: { cost: best.cost, success: best.predicted, beyond: false },
      equalSuccessCost: reached ? equal : null,
      gain: reached ? result.computeMultiplier : null,
    },
    growth: {
      ...words,
      unit: result.unit,
      here: cost,
      points: optimum.map(({ budget, levels }): GrowthPoint => {
        const parts = problem.cost.breakdown(levels, ratios);
        return {
          cost: budget,
          levels,
          beyond: beyond(ready, levels, ratios),
          shares: parts.ok ? Object.fromEntries(parts.value.map((part) => [part.axis ?? part.label, part.share])) : {},
        };
      }),
    },
  };
}

function given<Key extends string, Value>(key: Key, value: Value | null | undefined): Partial<Record<Key, Value>> {
  return value === undefined || value === null ? {} : ({ [key]: value } as Record<Key, Value>);
}

function middle(values: readonly number[]): { low: number; high: number } | null {
  const sorted = values.filter(Number.isFinite).sort((a, b) => a - b);
  return sorted.length < 10 ? null : { low: quantile(sorted, 0.025), high: quantile(sorted, 0.975) };
}

function drawnOptima(problem: AllocationProblem, result: Allocation): { levels: Levels; parts: readonly CostPart[] }[] {
  const prepared = prepare(problem);
  if (!prepared.ok || prepared.value.free.length === 0) return [];
  const { ratios } = result.continuous;
  const start = logsOf(prepared.value, result);
  return thin(drawsAt(prepared.value, ratios), SHARE_DRAWS).flatMap((draw) => {
    const solved = solveAt(
      prepared.value,
      goalOf(draw),
      { kind: "budget", budget: result.continuous.cost },
      ratios,
      start,
    );
    if (!solved.ok) return [];
    const levels = rawLevels(prepared.value, solved.value.z, ratios);
    const parts = problem.cost.breakdown(levels, ratios);
    return parts.ok ? [{ levels, parts: parts.value }] : [];
  });
}

/** Where solves start: the optimum that is known. */
function logsOf(prepared: Prepared, { continuous }: Allocation): Float64Array {
  return Float64Array.from(prepared.free, (axis) =>
    Math.log(continuous.effective[axis] ?? continuous.levels[axis] ?? 1),
  );
}

function success(prepared: Prepared, levels: Levels, ratios: Allocation["continuous"]["ratios"]): PathPoint["success"] {
  const errors = errorsAt(prepared, levels, ratios);
  return estimate(
    1 - errors.point,
    errors.draws.map((error) => 1 - error),
  );
}

function beyond(prepared: Prepared, levels: Levels, ratios: Allocation["continuous"]["ratios"]): boolean {
  const { law } = prepared.problem;
  const x = lawLevels(prepared, levels, ratios);
  return law.axes.some(
    (axis, i) =>
      prepared.free.includes(axis) &&
      (x[i] > law.ranges[axis].max * (1 + 1e-9) || x[i] < law.ranges[axis].min * (1 - 1e-9)),
  );
}

function levelsAtCost(prepared: Prepared, path: Path, budget: number): Levels | null {
  const s = firstWhere(path, (at) => costOn(prepared, path, at) >= budget);
  return s === null || s === path.from ? null : path.at(s);
}
