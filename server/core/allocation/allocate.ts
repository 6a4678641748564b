import type { Estimate } from "../estimate";
import { ok, refused } from "../result";
import type { Problem, Result } from "../result";
import { constraintReports } from "./constraints";
import { allowanceFor, largeGains, median, probabilityOf } from "./gain";
import { computeMultiplier } from "./multiplier";
import { describe, drawsAt, errorsAt } from "./predict";
import { discrepancyBetween, spreadBy } from "../laws/predictive";
import { lastingCaps, lawLevels, prepare } from "./problem/prepare";
import type { Prepared } from "./problem/prepare";
import type { Allocation, AllocationProblem, Levels, Ratios, Regret, Rounding, Split } from "./problem/types";
import { cornersOf, remarks } from "./remarks";
import { sensitivities } from "./sensitivity";
import { lawGoal, meanDraws, meanGoal } from "./solve/compile";
import type { Goal } from "./solve/compile";
import { wholeNumbers } from "./solve/integers";
import type { WholeSplit } from "./solve/integers";
import { solve } from "./solve/solve";
import type { Solved, Target } from "./solve/solve";
import { axisValues } from "./values";

/** Below this many points, or with an interval that includes 0, a gain is within noise. */
export const NOISE_POINTS = 0.5;

/** Splits of a solution: continuous, and in whole numbers where those are asked for. */
interface Recommendation {
  readonly levels: Levels;
  readonly ratios: Ratios;
  readonly error: number;
}

/**
 * The best split of a budget under a fitted law (model.md § 6). Codes: `allocation.level-unknown`, `.level-invalid`,
 * `.limits`, `.mix`, `.cost`, `.cost-exponent`, `.infeasible`, `.unreachable`, `.flat-law`, `.no-whole-numbers`, `.success`,
 * and the cost model's `cost.…`.
 */
export function allocate(problem: AllocationProblem): Result<Allocation> {
  const sorted = prepare(problem);
  if (!sorted.ok) return sorted;
  const prepared = sorted.value;
  const { law } = problem;
  const options = { starts: problem.options?.starts ?? 6, seed: problem.options?.seed ?? 1 };
  const success = law.response === "success";
  const points = success ? 100 : 1;
  const notes: Problem[] = [];

  const current = describe(prepared, prepared.base, prepared.ratios);
  if (!current.ok) return current;
  const now = errorsAt(prepared, prepared.base, prepared.ratios);
  const target = targetOf(problem, current.value.cost, now.point);
  if (!target.ok) return target;
  const sameCost: Target = { kind: "budget", budget: current.value.cost };

  const goal = lawGoal(law);
  const solved = solve(prepared, goal, target.value, options);
  if (!solved.ok) return solved;
  const continuous = describe(prepared, solved.value.levels, solved.value.ratios);
  if (!continuous.ok) return continuous;
  const optimum = recommend(prepared, goal, solved.value, target.value);
  if (!optimum.ok) return optimum;

  const average = averageGoal(prepared, solved.value.ratios);
  const robust = average ? robustSplit(prepared, average, solved.value, target.value, options) : null;
  if (robust && !robust.ok) notes.push(robust.problem);
  const wantsMean = problem.recommend !== "optimum" && robust?.ok === true;
  // What reaches a success is told by the law that predicts it.
  const recommended = wantsMean && target.value.kind === "budget" ? "robust" : "optimum";
  const chosen = recommended === "robust" && robust?.ok ? robust.value : optimum.value;

  // The regret is always told at the current cost, whatever the mode and other budgets ask for.
  const lasting = lastingCaps(problem);
  const alone = (problem.constraints ?? []).every((cap) => cap.lasting === true)
    ? prepared
    : { ...prepared, problem: { ...problem, constraints: lasting } };
  let atSameCost: Recommendation = chosen;
  let plugIn: Solved = solved.value;
  if (alone !== prepared || target.value.kind !== "budget" || target.value.budget !== current.value.cost) {
    const again = solve(alone, goal, sameCost, options);
    if (!again.ok) return again;
    plugIn = again.value;
    const other =
      wantsMean && average
        ? robustSplit(alone, average, plugIn, sameCost, options)
        : recommend(alone, goal, plugIn, sameCost);
    if (!other.ok) return other;
    atSameCost = other.value;
  }
  const pointsOver = (split: Recommendation): { estimate: Estimate; point: number; draws: readonly number[] } => {
    const then = errorsAt(prepared, split.levels, split.ratios);
    // Laws miss something too, and not the same at both splits.
    const off = discrepancyBetween(
      law,
      lawLevels(prepared, prepared.base, prepared.ratios),
      lawLevels(prepared, split.levels, split.ratios),
    );
    const own = now.draws.map((error, b) => points * (error - (then.draws[b] ?? NaN)));
    const draws = spreadBy(points * off, own);
    const point = points * (now.point - then.point);
    return { estimate: { ...median(point, draws), estimate: median(point, own).estimate }, point, draws };
  };
  const gain = pointsOver(atSameCost);
  const over = chosen === atSameCost ? gain : pointsOver(chosen);
  // It stands beside the two rates, which subtract to it; the gain that is judged is the median of the draws.
  const change = {
    estimate: over.point,
    low: Math.min(over.point, over.estimate.low),
    high: Math.max(over.point, over.estimate.high),
  };
  const allowance = allowanceFor(gain.draws);
  const probability = probabilityOf(gain.draws, allowance);
  const decided = (probability ?? 0) >= 0.7 && gain.estimate.estimate - allowance >= 1;
  const large =
    problem.options?.large === false || decided
      ? null
      : largeGains(alone, current.value.cost, plugIn.ratios, plugIn.z, points, allowance);

  const multiplier = computeMultiplier(alone, goal, plugIn, current.value.cost, now, options);
  const shown = describe(prepared, optimum.value.levels, optimum.value.ratios);
  if (!shown.ok) return shown;
  const robustShown = robust?.ok ? describe(prepared, robust.value.levels, robust.value.ratios) : null;
  const chosenShown = recommended === "robust" && robustShown?.ok ? robustShown.value : shown.value;
  const valuesNow = axisValues(prepared, prepared.base, prepared.ratios);
  const corners = cornersOf(prepared, solved.value);

  return ok({
    mode: problem.mode?.kind ?? "same-compute",
    response: law.response,
    unit: problem.cost.unit,
    budget: target.value.kind === "budget" ? target.value.budget : solved.value.cost,
    current: current.value,
    best: chosenShown,
    continuous: continuous.value,
    optimum: shown.value,
    unlimited: corners.some(({ bound }) => bound === "trust")
      ? withoutTrust(prepared, goal, target.value, solved.value, points)
      : null,
    robust: robustShown?.ok ? robustShown.value : null,
    recommended,
    regret: { ...regretOf(gain.estimate, success), probability, allowance, large },
    change,
    computeMultiplier: multiplier,
    wastedShare: { estimate: 1 - 1 / multiplier.estimate, low: 1 - 1 / multiplier.low, high: 1 - 1 / multiplier.high },
    spendShares: { current: shares(current.value), optimum: shares(chosenShown) },
    values: { current: valuesNow, optimum: axisValues(prepared, solved.value.levels, solved.value.ratios) },
    marginalValues: Object.fromEntries(valuesNow.map((value) => [value.axis, value.marginalValue])),
    elasticities: Object.fromEntries(valuesNow.map((value) => [value.axis, value.elasticity])),
    certificate: solved.value.certificate,
    corners,
    pinned: prepared.pinned,
    rounding: problem.whole ? roundingOf(problem, solved.value, optimum.value, points) : null,
    constraints: constraintReports(prepared, goal, target.value, solved.value, chosenShown, points),
    reaches: reachesOf(prepared, target.value, chosen),
    sensitivity:
      problem.options?.sensitivity === false ? [] : sensitivities(prepared, goal, solved.value, target.value, points),
    intervals: law.draws.length === 0 ? "none" : law.drawKind,
    priorOnly: law.priorOnly,
    notes: [...notes, ...remarks(prepared, goal, solved.value, chosenShown)],
  });
}

/** Share of the draws under which a split reaches the error that was asked for. */
function reachesOf(prepared: Prepared, target: Target, split: Recommendation): number | null {
  if (target.kind !== "error") return null;
  const { draws } = errorsAt(prepared, split.levels, split.ratios);
  return draws.length === 0 ? null : draws.filter((error) => error <= target.error).length / draws.length;
}

/** The mean error over laws and draws; null where there are none, or no axis moves. */
function averageGoal(prepared: Prepared, ratios: Ratios): Goal | null {
  const draws = meanDraws(drawsAt(prepared, ratios), prepared.problem.options?.robustDraws);
  return draws.length > 1 && prepared.free.length > 0 ? meanGoal(draws) : null;
}

/** The best split where no trust region holds it, and what the region costs by the fitted law. */
function withoutTrust(
  prepared: Prepared,
  goal: Goal,
  target: Target,
  held: Solved,
  points: number,
): Allocation["unlimited"] {
  const open = { ...prepared, problem: { ...prepared.problem, trust: null } };
  const solved = solve(open, goal, target, { starts: 1, seed: 1, ratios: held.ratios, from: held.z });
  const split = solved.ok ? describe(open, solved.value.levels, solved.value.ratios) : solved;
  return solved.ok && split.ok
    ? { split: split.value, points: Math.max(0, points * (held.error - solved.value.error)) }
    : null;
}

function targetOf(problem: AllocationProblem, cost: number, error: number): Result<Target> {
  const mode = problem.mode ?? { kind: "same-compute" };
  if (mode.kind === "same-compute") return ok({ kind: "budget", budget: cost });
  if (mode.kind === "scale")
    return mode.factor > 0 && Number.isFinite(mode.factor)
      ? ok({ kind: "budget", budget: mode.factor * cost })
      : refused("allocation.infeasible", `A budget of ${mode.factor} times the present one buys nothing.`);
  if (mode.kind === "same-success") {
    if (mode.success === undefined) return ok({ kind: "error", error });
    const wanted = problem.law.response === "success" ? 1 - mode.success : mode.success;
    return wanted > 0
      ? ok({ kind: "error", error: wanted })
      : refused("allocation.success", `A success rate of ${mode.success} cannot be asked for.`);
  }
  const budget = problem.cost.convert(mode.amount, mode.unit ?? problem.cost.unit, problem.cost.unit);
  if (!budget.ok) return budget;
  return budget.value > 0 && Number.isFinite(budget.value)
    ? ok({ kind: "budget", budget: budget.value })
    : refused("allocation.infeasible", `A budget of ${mode.amount} buys nothing.`);
}

function recommend(prepared: Prepared, goal: Goal, solved: Solved, target: Target): Result<Recommendation> {
  const { whole } = prepared.problem;
  if (!whole) return ok({ levels: solved.levels, ratios: solved.ratios, error: solved.error });
  const rounded: Result<WholeSplit> = wholeNumbers(prepared, goal, whole, solved, target);
  return rounded;
}

function robustSplit(
  prepared: Prepared,
  average: Goal,
  solved: Solved,
  target: Target,
  options: { starts: number; seed: number },
): Result<Recommendation> {
  // At equal success the robust split is the one of least expected error at the optimum's own cost.
  const budget: Target = { kind: "budget", budget: target.kind === "budget" ? target.budget : solved.cost };
  const found = solve(prepared, average, budget, {
    ...options,
    starts: average.posynomial || prepared.problem.law.members ? 1 : 3,
    ratios: solved.ratios,
    from: solved.z,
  });
  return found.ok ? recommend(prepared, average, found.value, budget) : found;
}

function regretOf(gain: Estimate, success: boolean): Omit<Regret, "probability" | "allowance" | "large"> {
  const crosses = gain.low <= 0 && gain.high >= 0;
  return {
    ...gain,
    unit: success ? "points" : "loss",
    withinNoise: crosses || (success && gain.estimate < NOISE_POINTS) || gain.estimate === 0,
  };
}

function shares(split: Split): Levels {
  return Object.fromEntries(split.parts.map((part) => [part.id, part.share]));
}

function roundingOf(problem: AllocationProblem, solved: Solved, chosen: Recommendation, points: number): Rounding {
  const levels = chosen.levels as Readonly<Record<string, number>>;
  return {
    cost: Math.max(0, points * (chosen.error - solved.error)),
    rules: (problem.whole?.rules ?? []).map((rule) => ({
      id: rule.id,
      message: rule.message,
      holds: rule.holds(levels),
    })),
  };
}
