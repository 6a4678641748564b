import { freeLogs } from "./problem/prepare";
import type { Prepared } from "./problem/prepare";
import type { ConstraintReport, Levels, Ratios } from "./problem/types";
import type { Goal } from "./solve/compile";
import { solveAt } from "./solve/solve";
import type { Target } from "./solve/solve";

/** A budget counts as used up above this share. */
const USED = 0.995;
/** A gain that is the rounding of two solves. */
const NOTHING = 1e-9;
/** By how much a budget is relaxed to say what it is worth. */
const RELAXED = 1.1;

interface Amounts {
  readonly levels: Levels;
  readonly ratios: Ratios;
}

/**
 * What each of several budgets does to a split: how much of it the recommended split uses, whether it binds, and the points that
 * 10 % more of it would gain, by the law, at the best continuous split. Empty where the present cost is the only budget.
 */
export function constraintReports(
  prepared: Prepared,
  goal: Goal,
  target: Target,
  split: Amounts & { readonly error: number },
  recommended: Amounts,
  points: number,
): ConstraintReport[] {
  const caps = prepared.problem.constraints ?? [];
  if (caps.length === 0 && prepared.problem.mode?.kind !== "budget") return [];
  const from = freeLogs(prepared, split.levels, split.ratios);
  const best = (money: number, relaxed: number): number | null => {
    const problem = {
      ...prepared.problem,
      constraints: caps.map((cap, c) => (c === relaxed ? { ...cap, amount: cap.amount * RELAXED } : cap)),
    };
    const solved = solveAt({ ...prepared, problem }, goal, { kind: "budget", budget: money }, split.ratios, from);
    return solved.ok ? solved.value.error : null;
  };
  // What a point costs more is no question where a success is asked for.
  const budget = target.kind === "budget" ? target.budget : null;
  const gained = (more: number, relaxed: number): number | null => {
    const then = budget === null ? null : best(more * budget, relaxed);
    if (then === null) return null;
    const gain = points * (split.error - then);
    return gain > NOTHING ? gain : 0;
  };

  const report = (
    name: string,
    unit: ConstraintReport["unit"],
    amount: number,
    cost: Prepared["cost"],
    gain: number | null,
    scale = 1,
  ): ConstraintReport => {
    const [best, used, now] = [split, recommended, { levels: prepared.base, ratios: prepared.ratios }].map((at) => {
      const spent = cost.cost(at.levels, at.ratios);
      return spent.ok ? spent.value : NaN;
    });
    const binding = Math.max(best, used) >= USED * amount;
    return { name, unit, amount: amount * scale, used: used * scale, now: now * scale, binding, relaxed: gain };
  };
  const first = prepared.problem.budgetName ?? "budget";
  return [
    ...(budget === null ? [] : [report(first, prepared.cost.unit, budget, prepared.cost, gained(RELAXED, -1))]),
    ...caps.map((cap, c) => report(cap.name, cap.unit ?? cap.cost.unit, cap.amount, cap.cost, gained(1, c), cap.scale)),
  ];
}

/** Every budget of a problem beside its first, met at these levels. */
export function meetsConstraints(prepared: Prepared, levels: Levels, ratios: Ratios): boolean {
  return (prepared.problem.constraints ?? []).every((cap) => {
    const cost = cap.cost.cost(levels, ratios);
    return cost.ok && cost.value <= cap.amount * (1 + 1e-9);
  });
}
