import type { Estimate } from "../estimate";
import type { LawInstance } from "../laws/law";
import { ok, refused } from "../result";
import type { Problem, Result } from "../result";
import { goalOf, meanGoal } from "./solve/compile";
import type { Goal } from "./solve/compile";
import { drawnFor } from "./problem/drawn";
import { wholeNumbers } from "./solve/integers";
import type { WholeSplit } from "./solve/integers";
import { estimate, thin } from "../numerics/quantiles";
import { criticalRatio } from "../synthesis/mix";
import { costOn, optimalPath } from "./paths";
import type { Path } from "./paths";
import { describe, drawsAt, errorsAt } from "./predict";
import { bounds, lawLevels, prepare, ratioCeiling, worth } from "./problem/prepare";
import type { Prepared } from "./problem/prepare";
import { sensitivities } from "./sensitivity";
import { solve } from "./solve/solve";
import type { Solved, Target } from "./solve/solve";
import { axisValues } from "./values";
import type { Allocation, AllocationProblem, Corner, Levels, Ratios, Regret, Rounding, Split } from "./problem/types";

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
  const notes: Problem[] = [...problem.cost.warnings];

  const current = describe(prepared, prepared.base, prepared.ratios);
  if (!current.ok) return current;
  const now = errorsAt(prepared, prepared.base, prepared.ratios);
  const target = targetOf(problem, current.value.cost, now.point);
  if (!target.ok) return target;
  const sameCost: Target = { kind: "budget", budget: current.value.cost };

  const goal = goalOf(law.point);
  const solved = solve(prepared, goal, target.value, options);
  if (!solved.ok) return solved;
  const continuous = describe(prepared, solved.value.levels, solved.value.ratios);
  if (!continuous.ok) return continuous;
  const optimum = recommend(prepared, goal, solved.value, target.value);
  if (!optimum.ok) return optimum;

  const robustDraws = thin(
    drawsAt(prepared, solved.value.ratios),
    problem.options?.robustDraws ?? (goal.posynomial ? 200 : 24),
  );
  const average = robustDraws.length > 1 && prepared.free.length > 0 ? meanGoal(robustDraws) : null;
  const robust = average ? robustSplit(prepared, average, solved.value, target.value, options) : null;
  if (robust && !robust.ok) notes.push(robust.problem);
  const recommended = problem.recommend === "robust" && robust?.ok ? "robust" : "optimum";
  const chosen = recommended === "robust" && robust?.ok ? robust.value : optimum.value;

  // The regret is always told at the current cost, whatever the mode asked for.
  let atSameCost: Recommendation = chosen;
  let plugIn: Solved = solved.value;
  if (target.value.kind !== "budget" || target.value.budget !== current.value.cost) {
    const again = solve(prepared, goal, sameCost, options);
    if (!again.ok) return again;
    plugIn = again.value;
    const other =
      recommended === "robust" && average
        ? robustSplit(prepared, average, plugIn, sameCost, options)
        : recommend(prepared, goal, plugIn, sameCost);
    if (!other.ok) return other;
    atSameCost = other.value;
  }
  const then = errorsAt(prepared, atSameCost.levels, atSameCost.ratios);
  const gain = estimate(
    Math.max(0, points * (now.point - then.point)),
    now.draws.map((error, b) => points * (error - (then.draws[b] ?? NaN))),
  );
  const reached = errorsAt(prepared, chosen.levels, chosen.ratios);
  const change = estimate(
    points * (now.point - reached.point),
    now.draws.map((error, b) => points * (error - (reached.draws[b] ?? NaN))),
  );

  const multiplier = computeMultiplier(prepared, goal, plugIn, current.value.cost, now, options);
  const shown = describe(prepared, optimum.value.levels, optimum.value.ratios);
  if (!shown.ok) return shown;
  const robustShown = robust?.ok ? describe(prepared, robust.value.levels, robust.value.ratios) : null;
  const chosenShown = recommended === "robust" && robustShown?.ok ? robustShown.value : shown.value;
  const valuesNow = axisValues(prepared, prepared.base, prepared.ratios);

  return ok({
    mode: problem.mode?.kind ?? "same-compute",
    response: law.response,
    unit: problem.cost.unit,
    budget: target.value.kind === "budget" ? target.value.budget : solved.value.cost,
    current: current.value,
    continuous: continuous.value,
    optimum: shown.value,
    robust: robustShown?.ok ? robustShown.value : null,
    recommended,
    regret: regretOf(gain, success),
    change,
    computeMultiplier: multiplier,
    wastedShare: { estimate: 1 - 1 / multiplier.estimate, low: 1 - 1 / multiplier.low, high: 1 - 1 / multiplier.high },
    spendShares: { current: shares(current.value), optimum: shares(chosenShown) },
    values: { current: valuesNow, optimum: axisValues(prepared, solved.value.levels, solved.value.ratios) },
    marginalValues: Object.fromEntries(valuesNow.map((value) => [value.axis, value.marginalValue])),
    elasticities: Object.fromEntries(valuesNow.map((value) => [value.axis, value.elasticity])),
    certificate: solved.value.certificate,
    corners: cornersOf(prepared, solved.value),
    pinned: prepared.pinned,
    rounding: problem.whole ? roundingOf(problem, solved.value, optimum.value, points) : null,
    sensitivity:
      problem.options?.sensitivity === false ? [] : sensitivities(prepared, goal, solved.value, target.value, points),
    intervals: law.draws.length === 0 ? "none" : law.drawKind,
    priorOnly: law.priorOnly,
    notes: [...notes, ...remarks(prepared, goal, solved.value, shown.value)],
  });
}

function targetOf(problem: AllocationProblem, cost: number, error: number): Result<Target> {
  const mode = problem.mode ?? { kind: "same-compute" };
  if (mode.kind === "same-compute") return ok({ kind: "budget", budget: cost });
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
    starts: average.posynomial ? 1 : 3,
    ratios: solved.ratios,
    from: solved.z,
  });
  return found.ok ? recommend(prepared, average, found.value, budget) : found;
}

function regretOf(gain: Estimate, success: boolean): Regret {
  const crosses = gain.low <= 0 && gain.high >= 0;
  return {
    ...gain,
    unit: success ? "points" : "loss",
    withinNoise: crosses || (success && gain.estimate < NOISE_POINTS) || gain.estimate === 0,
  };
}

/** Draws that the multiplier's interval is read from. */
const MULTIPLIER_DRAWS = 400;

/**
 * cost(x)/min{cost : P ≥ P(x)}. Its interval holds the recommended path fixed, like the gain's: per draw, the cost at
 * which that path reaches what the draw expects of x (it may be below 1 where the draw prefers x).
 */
function computeMultiplier(
  prepared: Prepared,
  goal: Goal,
  solved: Solved,
  cost: number,
  now: { point: number; draws: readonly number[] },
  options: { starts: number; seed: number },
): Estimate {
  const least = solve(
    prepared,
    goal,
    { kind: "error", error: now.point },
    { ...options, starts: 1, from: solved.z, ratios: solved.ratios },
  );
  // Unknown where the limits exclude every split as good as the current one.
  const point = least.ok ? Math.max(1, cost / least.value.cost) : NaN;
  const { law } = prepared.problem;
  const path = law.draws.length === 0 ? null : optimalPath(prepared, goal, cost, solved.ratios, solved.z);
  if (!path) return estimate(point, []);
  const drawn = drawsAt(prepared, path.ratios);
  const indices = thin(
    drawn.map((_, b) => b),
    MULTIPLIER_DRAWS,
  );
  const seen = tabulate(prepared, path);
  return estimate(
    point,
    indices.map((b) => cost / costOn(prepared, path, reaches(seen, drawn[b], now.draws[b]))),
  );
}

/** A path as the law sees it, at evenly spaced s. */
interface Tabulated {
  readonly s: readonly number[];
  readonly logs: readonly (readonly number[])[];
}

const TABLE = 64;

function tabulate(prepared: Prepared, path: Path): Tabulated {
  const s = Array.from({ length: TABLE + 1 }, (_, i) => path.from + ((path.to - path.from) * i) / TABLE);
  return { s, logs: s.map((at) => lawLevels(prepared, path.at(at), path.ratios).map(Math.log)) };
}

/** The least s at which a law's error on the path is at most `wanted`; the path's end where it never is. */
function reaches({ s, logs }: Tabulated, instance: LawInstance, wanted: number): number {
  const error = (node: number, share: number): number => {
    const from = logs[node];
    const to = logs[Math.min(node + 1, TABLE)];
    return instance.error(from.map((log, i) => Math.exp(log + share * (to[i] - log))));
  };
  if (error(0, 0) <= wanted) return s[0];
  let low = 0;
  let high = TABLE;
  if (error(TABLE, 0) > wanted) return s[TABLE];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (error(middle, 0) <= wanted) high = middle;
    else low = middle;
  }
  let from = 0;
  let to = 1;
  for (let i = 0; i < 14; i++) {
    const share = (from + to) / 2;
    if (error(low, share) <= wanted) to = share;
    else from = share;
  }
  return s[low] + to * (s[high] - s[low]);
}

function shares(split: Split): Levels {
  return Object.fromEntries(split.parts.map((part) => [part.id, part.share]));
}

function cornersOf(prepared: Prepared, solved: Solved): Corner[] {
  const corners: Corner[] = [];
  prepared.free.forEach((axis, i) => {
    const range = bounds(prepared, axis, solved.ratios);
    const each = worth(prepared, axis, solved.ratios),
      raw = Math.exp(solved.z[i]) / each;
    if (solved.z[i] - Math.log(range.low) < 1e-7) corners.push({ axis, bound: "lower", value: range.low / each });
    else if (Math.log(range.high) - solved.z[i] < 1e-7)
      corners.push({ axis, bound: range.pool ? "pool" : "upper", value: range.high / each });
    else if (ownedEdge(prepared, axis, raw, solved.ratios)) corners.push({ axis, bound: "owned", value: raw });
  });
  for (const mix of prepared.movable) {
    const ratio = solved.ratios[mix.axis] ?? 0;
    if (ratio <= 1e-7 || ratio >= ratioCeiling(mix) * (1 - 1e-7))
      corners.push({ axis: mix.axis, bound: "ratio", value: ratio });
  }
  return corners;
}

/** True where an axis stops exactly at what is already made. */
function ownedEdge(prepared: Prepared, axis: string, raw: number, ratios: Ratios): boolean {
  return prepared.cost.terms.some((term) => {
    if (term.axis !== axis || term.owned <= 0 || term.exponents[axis] !== 1) return false;
    const ratio = ratios[axis] ?? 0;
    const counted = term.part === "synthetic" ? (raw * ratio) / (1 + ratio) : raw / (1 + ratio);
    return Math.abs(counted / term.owned - 1) < 1e-7;
  });
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

function remarks(prepared: Prepared, goal: Goal, solved: Solved, optimum: Split): Problem[] {
  const notes: Problem[] = [];
  const { law } = prepared.problem;
  if (prepared.free.length === 0)
    notes.push({
      code: "allocation.all-pinned",
      message: "Every axis is pinned, so that the current split is the only one.",
    });
  if (goal.posynomial?.terms.length === 1 && prepared.free.length > 1 && priceIsOneProduct(prepared)) {
    notes.push({
      code: "allocation.corner",
      message:
        "Under one product of amounts, both in the law and in the cost, there is no interior optimum: the budget runs to the axis with the largest exponent, and the limits decide the rest.",
    });
  }
  for (const { axis, level } of prepared.pinned) {
    const [low, high] = prepared.problem.limits?.[axis] ?? [null, null];
    if ((low !== null && level < low) || (high !== null && level > high))
      notes.push({
        code: "allocation.limit-held",
        message: `The limits of ${axis} are ${low ?? "open"} to ${high ?? "open"}, but ${axis} is held at ${level}, outside them.`,
      });
  }
  if (optimum.outOfRange)
    notes.push({
      code: "prediction.out-of-range",
      message: `The law predicts ${(100 * optimum.predicted.estimate).toFixed(1)} % at the optimum, which no success rate can be: it is used far outside its data.`,
    });
  for (const [axis, factor] of Object.entries(optimum.extrapolation)) {
    // A grid of 40 and an optimum of 41 are no extrapolation to speak of.
    if (factor !== undefined && factor >= 1.05)
      notes.push({
        code: "fit.extrapolating",
        message: `The optimum has ${axis} ${factor < 10 ? factor.toFixed(1) : Math.round(factor)} times outside the fitted range.`,
      });
  }
  for (const term of prepared.cost.terms) {
    if (
      term.part === "synthetic" &&
      term.assumed &&
      term.axis !== null &&
      ((solved.ratios[term.axis] ?? 0) > 0 || prepared.movable.some((mix) => mix.axis === term.axis))
    ) {
      notes.push({
        code: "allocation.synthetic-price",
        message: `No price of synthetic ${term.axis} is stated; that of real ones is used.`,
      });
    }
  }
  notes.push(...takenAsKnown(prepared, solved));
  if (law.draws.length === 0)
    notes.push({ code: "fit.no-draws", message: "The fit has no draws, so that no interval can be shown." });
  if (solved.certificate.agreement < 1)
    notes.push({
      code: "allocation.starts-disagree",
      message: `${Math.round(100 * solved.certificate.agreement)} % of the starts agree on the optimum.`,
    });
  return notes;
}

/** What of synthetic data has no draws, and so leaves every interval too short by what is unknown of it. */
function takenAsKnown(prepared: Prepared, solved: Solved): Problem[] {
  const { law } = prepared.problem;
  if (law.draws.length === 0) return [];
  return Object.values(prepared.mixes).flatMap((mix): Problem[] => {
    if (!mix || (!(mix.ratio > 0) && !((solved.ratios[mix.axis] ?? 0) > 0))) return [];
    const own = drawnFor(law, mix),
      critical = criticalRatio(mix.shape);
    const what = `synthetic ${mix.axis}${mix.method ? ` by ${mix.method}` : ""}`,
      from = mix.source ? `, ${mix.source}` : "";
    if (!own)
      return [
        {
          code: "synthesis.discount-known",
          message: `The discount of ${what} (${mix.shape.discount.toPrecision(2)}${from}) is taken as known${critical === null ? "" : ", and so is its critical ratio"}: the intervals leave out what is unknown of it.`,
        },
      ];
    return critical === null || mix.shape.kind === "peak" || own.draws[0].criticalRatio !== null
      ? []
      : [
          {
            code: "synthesis.ratio-known",
            message: `The critical ratio of ${what} (${critical.toPrecision(2)}) is taken as known: the intervals include what is unknown of its discount, not of the ratio.`,
          },
        ];
  });
}

function priceIsOneProduct(prepared: Prepared): boolean {
  const moving = prepared.cost.terms.filter((term) => prepared.free.some((axis) => (term.exponents[axis] ?? 0) > 0));
  return moving.length === 1 && (moving[0]?.owned ?? 0) === 0;
}
