import type { AllocationProblem, Levels } from "../allocation";
import type { AxisName } from "../axes";
import type { CostModel, CostUnit } from "../cost";
import type { FittedLaw } from "../laws/law";
import { ok, refused } from "../result";
import type { Problem, Result } from "../result";
import { Bill, costOfPoint, notWorth } from "./bill";
import { chooseDesign, coScaled } from "./factorial";
import type { CoScaled } from "./factorial";
import { decisionOf, expectedRegret, observe, priorBeliefs } from "./value";
import type { Decision, RunNoise } from "./value";

export { chooseDesign, coScaled } from "./factorial";
export interface PlanRequest {
  /** Null: nothing is fitted yet, and the plan is the default design around the current split. */
  readonly law: FittedLaw | null;
  readonly cost: CostModel;
  readonly current: Levels;
  /** Axes to vary. Default: those of the law, or every known data axis of the current split. */
  readonly axes?: readonly AxisName[];
  readonly limits?: AllocationProblem["limits"];
  readonly pins?: readonly AxisName[];
  /** Axes of the law that never varied in the runs: they come first, since a prior alone speaks of them. */
  readonly unvaried?: readonly AxisName[];
  /** At most this many runs. Default 27. */
  readonly runs?: number;
  /** At most this for all runs together, in the unit of `budgetCost`, or of the cost where that is absent. */
  readonly budget?: number;
  readonly budgetCost?: CostModel;
  /** Ratio of the highest level to the lowest. Default 10: below a decade exponents are hard to tell. */
  readonly span?: number;
  /** Runs that exist already, for the co-scaling check of the union. */
  readonly existing?: readonly Levels[];
  /** Default: 500 evaluation tasks, 0.02 between runs. */
  readonly noise?: RunNoise;
  readonly seed?: number;
}

export interface PlannedRun {
  readonly levels: Levels;
  /** By itself, in the cost model's unit. */
  readonly cost: number;
  /** What it adds to the bill once the runs before it, and those that exist, have paid for their data. */
  readonly added: number;
}

/** A single run with what it is expected to be worth. */
interface RankedRun extends PlannedRun {
  /** Expected drop in allocation regret (points of success, or loss), by the draws. */
  readonly drop: number;
  readonly dropPerCost: number;
}

export interface RunPlan {
  /** `3 × 3 × 3`. */
  readonly design: string;
  readonly axes: readonly AxisName[];
  readonly runs: readonly PlannedRun[];
  /** Paid for all of them. */
  readonly cost: number;
  readonly unit: CostUnit;
  /** Why no run is worth its cost; null where one is, or where that cannot be told. */
  readonly stop: string | null;
  /** Largest variance inflation of the plan with the existing runs; a plan above 10 is refused. */
  readonly inflation: number;
  /** Axes that the existing runs scale together, which the plan takes apart. */
  readonly coScaledBefore: readonly CoScaled[];
  /** Expected regret of the allocation now and after the plan; null without a fit. */
  readonly regret: { readonly now: number; readonly after: number } | null;
  /** Single runs by expected drop in regret per unit cost, best first; empty without a fit. */
  readonly ranked: readonly RankedRun[];
  readonly notes: readonly Problem[];
}

const DATA_AXES: readonly AxisName[] = ["tasks", "environments", "worlds", "structures", "trajectories"];
const MOST_CANDIDATES = 81;

/**
 * What to run next: a small balanced factorial, and single runs ranked by expected drop in allocation regret per cost.
 * (In simulation a 3 × 3 × 3 grid recovers the order of the exponents in 85 % of repeats, one-axis sweeps in 68 %, runs along
 * the compute frontier in 23 %.) Codes: `plan.no-axes`, `plan.too-few-runs`, `plan.too-dear`, `plan.co-scaled`, and the cost
 * model's.
 */
export function planNextRuns(request: PlanRequest): Result<RunPlan> {
  const { cost, law } = request;
  const axes = variedAxes(request);
  if (axes.length === 0) return refused("plan.no-axes", "No axis may vary.");
  const unvaried = (request.unvaried ?? []).filter((axis) => axes.includes(axis));
  if (unvaried.length > 0) return tellingRuns(request, unvaried);
  const design = affordableDesign(request, axes);
  if (!design.ok) return design;
  const { name, runs } = design.value;

  const together = coScaled([...(request.existing ?? []), ...runs.map((run) => run.levels)], axes, 0);
  const inflation = together.reduce((worst, one) => Math.max(worst, one.inflation), 1);
  const tied = coScaled(
    runs.map((run) => run.levels),
    axes,
  );
  if (tied.length > 0)
    return refused(
      "plan.co-scaled",
      `Whole numbers and limits leave ${tied[0].axis} moving with ${tied[0].with.join(" and ")}; widen the limits or the span.`,
    );

  const notes: Problem[] = [];
  let regret: RunPlan["regret"] = null;
  let ranked: RankedRun[] = [];
  let stop: string | null = null;
  if (law) {
    const valued = valueRuns(request, law, axes, runs);
    if (valued.ok) ({ regret, ranked, stop } = valued.value);
    else notes.push(valued.problem);
  }
  for (const axis of axes) {
    const levels = new Set(runs.map((run) => run.levels[axis]));
    if (levels.size < 3)
      notes.push({ code: "plan.few-levels", message: `${axis} has ${levels.size} levels: a curve needs three.` });
  }
  return ok({
    design: name,
    axes,
    runs,
    unit: cost.unit,
    cost: totalOf(runs),
    stop,
    inflation,
    coScaledBefore: request.existing ? coScaled(request.existing, axes) : [],
    regret,
    ranked,
    notes,
  });
}

/** Axes that runs may vary. */
export function variedAxes(request: PlanRequest): readonly AxisName[] {
  const { law, current } = request;
  return (request.axes ?? law?.axes ?? DATA_AXES).filter(
    (axis) =>
      current[axis] !== undefined && axis !== "parameters" && !request.pins?.includes(axis) && !fixed(request, axis),
  );
}

/** Two levels of each axis that never varied, a decade apart about the one that the runs have, the rest in the middle of the runs. */
function tellingRuns(request: PlanRequest, unvaried: readonly AxisName[]): Result<RunPlan> {
  const middle = Object.fromEntries(
    Object.entries(request.law?.ranges ?? {}).map(([axis, { centre }]) => [axis, Math.max(1, Math.round(centre))]),
  );
  const planned: Unpaid[] = [];
  for (const axis of unvaried.slice(0, Math.max(1, Math.floor((request.runs ?? 27) / 2)))) {
    const now = request.law?.ranges[axis]?.centre ?? request.current[axis] ?? 1;
    const [low, high] = request.limits?.[axis] ?? [null, null];
    const reach = Math.sqrt(request.span ?? 10);
    const levels = [Math.max(now / reach, low ?? 1, 1), Math.min(now * reach, high ?? Infinity)].map(Math.round);
    for (const level of new Set(levels)) {
      if (level === Math.round(now)) continue;
      const run = priced(request, { ...middle, parameters: request.current.parameters, [axis]: level });
      if (!run.ok) return run;
      planned.push(run.value);
    }
  }
  const runs = paid(request, planned);
  if (runs.length === 0)
    return refused("plan.no-axes", `The limits leave no other level of ${unvaried.join(" and ")}.`);
  if (!affordable(request, runs))
    return refused(
      "plan.too-dear",
      "Even two levels of the axis that never varied cost more than the budget for experiments.",
    );
  return ok({
    design: `two levels of ${unvaried.join(" and of ")}`,
    axes: unvaried,
    runs,
    unit: request.cost.unit,
    cost: totalOf(runs),
    stop: null,
    inflation: 1,
    coScaledBefore: request.existing ? coScaled(request.existing, unvaried) : [],
    regret: null,
    ranked: [],
    notes: [
      {
        code: "plan.never-varied",
        message: `${unvaried.join(" and ")} never varied in your runs: these runs measure its effect. Plan again with them.`,
      },
    ],
  });
}

function fixed(request: PlanRequest, axis: AxisName): boolean {
  const [low, high] = request.limits?.[axis] ?? [null, null];
  return low !== null && high !== null && high < 2 * low;
}

/** Three whole levels of an axis, a span apart, with the current one (or the end of the fitted range) at the top. */
function levelsOf(request: PlanRequest, axis: AxisName, shrink: number): number[] {
  const range = request.law?.ranges[axis];
  const [low, high] = request.limits?.[axis] ?? [null, null];
  const span = request.span ?? 10;
  const now = request.current[axis] ?? 1;
  let top = Math.max(shrink * (range ? Math.max(now, range.centre * Math.sqrt(span)) : now), low ?? 1);
  let bottom = Math.max(top / span, low ?? 1, 1);
  if (top / bottom < span) top = bottom * span;
  if (high !== null && top > high) {
    top = high;
    bottom = Math.max(Math.min(bottom, top / span), low ?? 1, 1);
  }
  const middle = Math.sqrt(top * bottom);
  const whole = [Math.max(1, Math.round(bottom)), Math.round(middle), Math.round(top)];
  if (whole[1] <= whole[0]) whole[1] = whole[0] + 1;
  if (whole[2] <= whole[1]) whole[2] = whole[1] + 1;
  return whole;
}

type Unpaid = Omit<PlannedRun, "added">;

export function priced(request: PlanRequest, levels: Levels): Result<Unpaid> {
  const all = { ...request.current, ...levels };
  const cost = request.cost.cost(all);
  return cost.ok ? ok({ levels: all, cost: cost.value }) : cost;
}

/** The bill of runs beside those that exist. */
export function billOf({ cost, current, existing = [] }: PlanRequest, by: CostModel = cost): Bill {
  return new Bill(
    by,
    existing.map((run) => ({ ...current, ...run })),
  );
}

/** What the budget for experiments is counted in. */
export function budgetCost({ cost, budgetCost: own }: PlanRequest): CostModel {
  return own ?? cost;
}

function paid(request: PlanRequest, runs: readonly Unpaid[]): PlannedRun[] {
  const bill = billOf(request);
  return runs.map((run) => ({ ...run, added: bill.pay(run.levels) }));
}

function totalOf(runs: readonly PlannedRun[]): number {
  return runs.reduce((sum, { added }) => sum + added, 0);
}

function affordable(request: PlanRequest, runs: readonly Unpaid[]): boolean {
  if (request.budget === undefined) return true;
  const bill = billOf(request, budgetCost(request));
  for (const { levels } of runs) bill.pay(levels);
  return bill.total <= request.budget * (1 + 1e-9);
}

function affordableDesign(
  request: PlanRequest,
  axes: readonly AxisName[],
): Result<{ name: string; runs: PlannedRun[] }> {
  const most = request.runs ?? 27;
  if (!chooseDesign(axes.length, most))
    return refused("plan.too-few-runs", `${most} runs cannot separate ${axes.length} axes.`);
  // Cheaper first by smaller scale, then by fewer runs: scale costs less information than runs do.
  for (let count = most; count >= 3; count = Math.floor(count / 2)) {
    const design = chooseDesign(axes.length, count);
    if (!design) break;
    for (let shrink = 1; shrink > 0.02; shrink /= 2) {
      const levels = axes.map((axis) => levelsOf(request, axis, shrink));
      const runs: Unpaid[] = [];
      for (const numbers of design.runs) {
        const run = priced(request, Object.fromEntries(axes.map((axis, i) => [axis, levels[i][numbers[i]]])));
        if (!run.ok) return run;
        runs.push(run.value);
      }
      if (affordable(request, runs)) return ok({ name: design.name, runs: paid(request, runs) });
    }
  }
  return refused("plan.too-dear", "Even the smallest balanced design costs more than the budget for experiments.");
}

function valueRuns(
  request: PlanRequest,
  law: FittedLaw,
  axes: readonly AxisName[],
  runs: readonly PlannedRun[],
): Result<{ regret: { now: number; after: number }; ranked: RankedRun[]; stop: string | null }> {
  const now = request.cost.cost(request.current);
  if (!now.ok) return now;
  const decided = decisionOf(
    { law, cost: request.cost, current: request.current, limits: request.limits, pins: request.pins },
    now.value,
  );
  if (!decided.ok) return decided;
  const decision = decided.value;
  const noise = request.noise ?? { trials: 500, betweenRuns: 0.02 };
  const seed = request.seed ?? 1;
  const prior = priorBeliefs(decision);
  const before = expectedRegret(decision, prior);
  let beliefs = prior;
  runs.forEach((run, i) => {
    beliefs = observe(decision, beliefs, run.levels, noise, seed + i);
  });
  const after = Math.min(before, expectedRegret(decision, beliefs));
  const ranked = rank(request, axes, decision, noise, before, seed);
  const [best] = ranked;
  const stop = best ? notWorth(best.drop, best.added, costOfPoint(decision, now.value), request.cost.unit) : null;
  return ok({ regret: { now: before, after }, ranked, stop });
}

/** Settings that a run may have: three levels of each axis, fewer of the last ones where that were too many. */
export function candidates(request: PlanRequest, axes: readonly AxisName[]): Record<string, number>[] {
  const levels = axes.map((axis) => levelsOf(request, axis, 1));
  let grid: Record<string, number>[] = [{}];
  axes.forEach((axis, i) => {
    if (grid.length * 3 <= MOST_CANDIDATES)
      grid = grid.flatMap((run) => levels[i].map((level) => ({ ...run, [axis]: level })));
    else grid = grid.map((run) => ({ ...run, [axis]: levels[i][1] }));
  });
  return grid;
}

function rank(
  request: PlanRequest,
  axes: readonly AxisName[],
  decision: Decision,
  noise: RunNoise,
  before: number,
  seed: number,
): RankedRun[] {
  const prior = priorBeliefs(decision);
  const bill = billOf(request);
  return candidates(request, axes)
    .flatMap((candidate) => {
      const run = priced(request, candidate);
      if (!run.ok || !(run.value.cost > 0)) return [];
      const drop = Math.max(
        0,
        before - expectedRegret(decision, observe(decision, prior, run.value.levels, noise, seed)),
      );
      const added = bill.adds(run.value.levels);
      return [{ ...run.value, added, drop, dropPerCost: drop / Math.max(added, 1e-9) }];
    })
    .sort((a, b) => b.dropPerCost - a.dropPerCost);
}
