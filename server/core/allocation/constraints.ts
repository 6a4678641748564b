import { freeLogs } from "./problem/prepare";
import type { Prepared } from "./problem/prepare";
import type { ConstraintReport, Levels, Ratios } from "./problem/types";
import type { Goal } from "./solve/compile";
import { solveAt } from "./solve/solve";

/** A budget counts as used up above this share. */
const USED = 0.995;
/** By how much a budget is relaxed to say what it is worth. */
const RELAXED = 1.1;

/**
 * What each of several budgets does to a split: how much of it is used, whether it binds, and the points that 10 % more of it
 * would gain, by the law, at the best continuous split. Empty where there is only one budget.
 */
export function constraintReports(
  prepared: Prepared,
  goal: Goal,
  budget: number,
  split: { readonly levels: Levels; readonly ratios: Ratios },
  points: number,
): ConstraintReport[] {
  const caps = prepared.problem.constraints ?? [];
  if (caps.length === 0) return [];
  const from = freeLogs(prepared, split.levels, split.ratios);
  const best = (money: number, relaxed: number): number | null => {
    const problem = {
      ...prepared.problem,
      constraints: caps.map((cap, c) => (c === relaxed ? { ...cap, amount: cap.amount * RELAXED } : cap)),
    };
    const solved = solveAt({ ...prepared, problem }, goal, { kind: "budget", budget: money }, split.ratios, from);
    return solved.ok ? solved.value.error : null;
  };
  const now = best(budget, -1);
  const gained = (money: number, relaxed: number): number | null => {
    const then = best(money, relaxed);
    return now === null || then === null ? null : Math.max(0, points * (now - then));
  };

  const report = (
    name: string,
    unit: ConstraintReport["unit"],
    amount: number,
    cost: Prepared["cost"],
    gain: number | null,
    scale = 1,
  ): ConstraintReport => {
    const used = cost.cost(split.levels, split.ratios);
    const spent = used.ok ? used.value : NaN;
    return { name, unit, amount: amount * scale, used: spent * scale, binding: spent >= USED * amount, relaxed: gain };
  };
  return [
    report(
      prepared.problem.budgetName ?? "budget",
      prepared.cost.unit,
      budget,
      prepared.cost,
      gained(budget * RELAXED, -1),
    ),
    ...caps.map((cap, c) =>
      report(cap.name, cap.unit ?? cap.cost.unit, cap.amount, cap.cost, gained(budget, c), cap.scale),
    ),
  ];
}

/** Every budget of a problem beside its first, met at these levels. */
export function meetsConstraints(prepared: Prepared, levels: Levels, ratios: Ratios): boolean {
  return (prepared.problem.constraints ?? []).every((cap) => {
    const cost = cap.cost.cost(levels, ratios);
    return cost.ok && cost.value <= cap.amount * (1 + 1e-9);
  });
}
