import { ok, refused, type Result } from "../result";
import { costOfPoint, notWorth } from "./bill";
import {
  billOf,
  budgetCost,
  candidates,
  planNextRuns,
  priced,
  variedAxes,
  type PlannedRun,
  type PlanRequest,
} from "./index";
import { decisionOf, expectedRegret, observe, priorBeliefs } from "./value";

/** One of several runs in a row: what it adds to the bill once the runs before it, and those that exist, have paid for their data. */
interface SequencedRun extends PlannedRun {
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

/**
 * The best run to make next, then the best one after it, each time with the outcomes of those before it imagined; data are paid for
 * once. Axes that never varied come first. Ends where the next run is not worth its cost, unless told not to. Codes: those of
 * `planNextRuns`.
 */
export function sequenceRuns(request: PlanRequest, most: number, stops = true): Result<RunSequence> {
  const bill = billOf(request);
  const limited = billOf(request, budgetCost(request));
  const { unit } = request.cost;
  const axes = variedAxes(request);
  const design = (why: string | null): Result<RunSequence> => {
    const planned = planNextRuns({ ...request, runs: Math.max(most, 2 ** Math.min(2, axes.length) + 1) });
    if (!planned.ok) return planned;
    const runs = planned.value.runs.slice(0, most).map((run) => ({ ...run, added: bill.pay(run.levels), drop: null }));
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
  while (runs.length < most) {
    const seed = (request.seed ?? 1) + runs.length;
    let best: { run: SequencedRun; beliefs: typeof beliefs } | null = null;
    for (const run of grid) {
      const after = observe(decision, beliefs, run.levels, noise, seed);
      const drop = Math.max(0, regret - expectedRegret(decision, after));
      const added = bill.adds(run.levels);
      if (request.budget !== undefined && limited.total + limited.adds(run.levels) > request.budget) continue;
      const gain = drop / Math.max(added, 1e-9);
      if (!best || gain > (best.run.drop ?? 0) / Math.max(best.run.added, 1e-9))
        best = { run: { ...run, added, drop }, beliefs: after };
    }
    stop = best
      ? stops
        ? notWorth(best.run.drop ?? 0, best.run.added, pointCost, unit)
        : null
      : "The budget for experiments buys no further run.";
    if (!best || stop !== null) break;
    bill.pay(best.run.levels);
    limited.pay(best.run.levels);
    regret = Math.max(0, regret - (best.run.drop ?? 0));
    beliefs = best.beliefs;
    runs.push(best.run);
  }
  return ok({ runs, cost: sum(runs), unit, regret: { now, after: regret }, stop });
}

function sum(runs: readonly SequencedRun[]): number {
  return runs.reduce((total, { added }) => total + added, 0);
}
