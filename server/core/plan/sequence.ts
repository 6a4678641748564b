import { goalOf } from "../allocation/solve/compile";
import { solveAt } from "../allocation/solve/solve";
import type { AxisName } from "../axes";
import type { Levels } from "../cost";
import { ok, refused, type Result } from "../result";
import { candidates, planNextRuns, priced, variedAxes, type PlannedRun, type PlanRequest } from "./index";
import { decisionOf, expectedRegret, observe, priorBeliefs, type Decision } from "./value";

/** One of several runs in a row: what it adds to the bill once the runs before it, and those that exist, have paid for their data. */
interface SequencedRun extends PlannedRun {
  /** What is paid for it, in the cost model's unit: tasks and environments that are made already are free. */
  readonly added: number;
  /** Expected drop in regret, in points; null for runs that measure an axis that never varied, or where nothing is fitted. */
  readonly drop: number | null;
}

export interface RunSequence {
  readonly runs: readonly SequencedRun[];
  /** Paid for all of them. */
  readonly cost: number;
  readonly unit: PlanRequest["cost"]["unit"];
  /** Expected regret now and after the runs, in points; null without a fit. */
  readonly regret: { readonly now: number; readonly after: number } | null;
  /** Why no further run is planned; null where as many are planned as were asked for. */
  readonly stop: string | null;
}

/** A drop that no decision notices, in points. */
const UNNOTICED = 0.05;
/** A fit serves more than one run: so many times what the points would cost by spending more on this one. */
const SERVES = 10;
/** By how much the budget is raised to see what a point costs. */
const RAISED = 1.1;

/**
 * The best run to make next, then the best one after it, each time with the outcomes of those before it imagined; data are paid for
 * once. Axes that never varied come first. Ends where the next run is not worth its cost. Codes: those of `planNextRuns`.
 */
export function sequenceRuns(request: PlanRequest, most: number): Result<RunSequence> {
  const pool = new Map<string, number>();
  for (const run of request.existing ?? []) pay(request, pool, { ...request.current, ...run });
  const { unit } = request.cost;
  const axes = variedAxes(request);
  const design = (why: string | null): Result<RunSequence> => {
    const planned = planNextRuns({ ...request, runs: Math.max(most, 2 ** Math.min(2, axes.length) + 1) });
    if (!planned.ok) return planned;
    const runs = planned.value.runs
      .slice(0, most)
      .map((run) => ({ ...run, added: pay(request, pool, run.levels), drop: null }));
    return ok({ runs, cost: sum(runs), unit, regret: null, stop: runs.length < most ? why : null });
  };
  if (axes.length === 0) return refused("plan.no-axes", "No axis may vary.");
  if (request.unvaried?.some((axis) => axes.includes(axis)))
    return design("Plan again once these runs are in: they measure what never varied.");
  const { law } = request;
  const here = request.cost.cost(request.current);
  if (!law || !here.ok) return design(null);
  const decided = decisionOf(
    { law, cost: request.cost, current: request.current, limits: request.limits, pins: request.pins },
    here.value,
  );
  if (!decided.ok) return design(null);

  const decision = decided.value;
  const noise = request.noise ?? { trials: 500, betweenRuns: 0.02 };
  const grid = candidates(request, axes).flatMap((levels) => {
    const run = priced(request, levels);
    return run.ok && run.value.cost > 0 ? [run.value] : [];
  });
  const pointCost = costOfPoint(decision, here.value);
  const runs: SequencedRun[] = [];
  let beliefs = priorBeliefs(decision);
  const now = expectedRegret(decision, beliefs);
  let regret = now;
  let stop: string | null = null;
  let spent = 0;
  while (runs.length < most) {
    const seed = (request.seed ?? 1) + runs.length;
    let best: { run: SequencedRun; beliefs: typeof beliefs } | null = null;
    for (const run of grid) {
      const after = observe(decision, beliefs, run.levels, noise, seed);
      const drop = Math.max(0, regret - expectedRegret(decision, after));
      const added = pay(request, new Map(pool), run.levels);
      if (request.budget !== undefined && spent + added > request.budget) continue;
      const gain = drop / Math.max(added, 1e-9);
      if (!best || gain > (best.run.drop ?? 0) / Math.max(best.run.added, 1e-9))
        best = { run: { ...run, added, drop }, beliefs: after };
    }
    stop = best ? notWorth(best.run, pointCost) : "The budget for experiments buys no further run.";
    if (!best || stop !== null) break;
    pay(request, pool, best.run.levels);
    spent += best.run.added;
    regret = Math.max(0, regret - (best.run.drop ?? 0));
    beliefs = best.beliefs;
    runs.push(best.run);
  }
  return ok({ runs, cost: sum(runs), unit, regret: { now, after: regret }, stop });

  function notWorth({ drop, added }: SequencedRun, point: number): string | null {
    const points = drop ?? 0;
    if (points < UNNOTICED)
      return `No further run is worth its cost: the best one is expected to gain ${points.toFixed(2)} points.`;
    return Number.isFinite(point) && added > SERVES * points * point
      ? `No further run is worth its cost: the best one costs ${Math.round(added)} ${unit} and is expected to gain ${points.toFixed(2)} points, which ${Math.round(points * point)} ${unit} more on the run itself would gain too.`
      : null;
  }
}

function sum(runs: readonly SequencedRun[]): number {
  return runs.reduce((total, { added }) => total + added, 0);
}

const MADE: ReadonlySet<AxisName | null> = new Set<AxisName | null>(["tasks", "environments", "worlds", "structures"]);

/** What a run adds to the bill; its data are in the pool from then on. */
function pay({ cost }: PlanRequest, pool: Map<string, number>, levels: Levels): number {
  const parts = cost.breakdown(levels);
  if (!parts.ok) return 0;
  let added = 0;
  for (const part of parts.value) {
    const before = MADE.has(part.axis) ? (pool.get(part.id) ?? 0) : 0;
    added += Math.max(0, part.cost - before);
    if (MADE.has(part.axis)) pool.set(part.id, Math.max(before, part.cost));
  }
  return added;
}

/** What one more point of success costs where it is bought by spending more on the best split. */
function costOfPoint({ prepared }: Decision, budget: number): number {
  const { law } = prepared.problem;
  const goal = goalOf(law.point);
  const from = new Float64Array(prepared.free.map((axis) => Math.log(prepared.base[axis] ?? 1)));
  const now = solveAt(prepared, goal, { kind: "budget", budget }, prepared.ratios, from);
  if (!now.ok) return NaN;
  const then = solveAt(prepared, goal, { kind: "budget", budget: budget * RAISED }, prepared.ratios, now.value.z);
  const points = then.ok ? (law.response === "success" ? 100 : 1) * (now.value.error - then.value.error) : 0;
  return points > 1e-9 ? (budget * (RAISED - 1)) / points : NaN;
}
