import { percent } from "../../numbers";
import { random } from "../../numerics/random";
import type { Random } from "../../numerics/random";
import { ok, refused } from "../../result";
import type { Result } from "../../result";
import { compile } from "./compile";
import type { Goal } from "./compile";
import { bestAtAnEnd } from "../../synthesis/mix";
import { bounds, freeLogs, lawLevels, ratioCeiling, rawLevels } from "../problem/prepare";
import type { Prepared } from "../problem/prepare";
import { lineSearch } from "./solver/line";
import { leastCost, leastError, leastErrorWithin } from "./solver/geometric";
import { localMinimum } from "./solver/local";
import type { Smooth } from "./solver/local";
import { costAt } from "./solver/program";
import type { Program } from "./solver/program";
import { regionOf } from "./solver/region";
import type { SynthesisMix, Certificate, Levels, Ratios } from "../problem/types";

/** What the solve is held to: a cost in the model's unit, or an error to reach. */
export type Target =
  { readonly kind: "budget"; readonly budget: number } | { readonly kind: "error"; readonly error: number };

export interface Solved {
  /** ln of the effective amounts of the free axes. */
  readonly z: Float64Array;
  readonly ratios: Ratios;
  readonly levels: Levels;
  readonly error: number;
  readonly cost: number;
  readonly certificate: Certificate;
}

export interface SolveOptions {
  readonly starts: number;
  readonly seed: number;
  /** Ratios to hold; absent: those that may move are optimised. */
  readonly ratios?: Ratios;
  readonly from?: Float64Array;
}

interface Point {
  readonly z: Float64Array;
  readonly error: number;
  readonly cost: number;
  readonly gap: number | null;
}

const AGREEMENT = 1e-8;
/** Starts of a problem that is not known to be convex. */
const LOCAL_STARTS = 12;

/**
 * Least error within a budget, or least cost for an error. Codes: `allocation.infeasible` (the lower bounds cost more than
 * the budget), `allocation.unreachable` (no affordable split reaches the error), `allocation.flat-law`.
 */
export function solve(prepared: Prepared, goal: Goal, target: Target, options: SolveOptions): Result<Solved> {
  if (prepared.free.length === 0) return still(prepared, goal, options.ratios ?? prepared.ratios);
  const chosen = options.ratios
    ? { ratios: options.ratios, exact: true }
    : chooseRatios(prepared, goal, target, options);
  const ratios = chosen.ratios;
  const starts = Math.max(1, options.starts);
  const points: Point[] = [];
  let failure: Result<never> | null = null;
  const source = random(options.seed);
  const convex = goal.posynomial !== null;
  const first = options.from ?? freeLogs(prepared, prepared.base, ratios);
  const known = convex ? null : partStarts(prepared, goal, target, ratios, first);
  const count =
    known?.length ??
    (convex || options.starts === 1 ? starts : Math.max(starts, target.kind === "error" ? 3 : LOCAL_STARTS));
  let made = 0;
  for (let start = 0; start < count; start++) {
    const from = known?.[start] ?? (start === 0 ? first : randomStart(prepared, source));
    const point = solveAt(prepared, goal, target, ratios, from);
    if (point.ok) points.push(point.value);
    else failure ??= point;
    made++;
    if (convex && isSettled(points, made, target)) break;
  }
  if (points.length === 0) return failure ?? refused("allocation.infeasible", "No split satisfies the bounds.");
  const best = points.reduce((one, other) => {
    const [now, then] = [measured(one, target), measured(other, target)];
    return then < now || (then === now && (other.gap ?? 1) < (one.gap ?? 1)) ? other : one;
  });
  const agreeing = points.filter((point) => agree(point, best, target)).length;
  const global = convex && chosen.exact;
  return ok({
    z: best.z,
    ratios,
    error: best.error,
    cost: best.cost,
    levels: rawLevels(prepared, best.z, ratios),
    certificate: {
      kind: global ? "global" : "local",
      gap: convex ? best.gap : null,
      starts: made,
      agreement: agreeing / made,
      ...(global
        ? {}
        : {
            reason: convex
              ? "the synthetic ratio makes the price piecewise; the gap is that at this ratio"
              : "this law can have several best splits",
          }),
    },
  });
}

function agree(one: Point, other: Point, target: Target): boolean {
  return Math.abs(Math.log(measured(one, target) / measured(other, target))) <= AGREEMENT;
}

/** Two starts of a convex problem that agree, one of them with a certified gap, leave a third nothing to find. */
function isSettled(points: readonly Point[], made: number, target: Target): boolean {
  const [one, other] = points;
  return (
    made === 2 &&
    points.length === 2 &&
    agree(one, other, target) &&
    Math.min(one.gap ?? Infinity, other.gap ?? Infinity) <= AGREEMENT
  );
}

function still(prepared: Prepared, goal: Goal, ratios: Ratios): Result<Solved> {
  const levels = rawLevels(prepared, [], ratios);
  const cost = prepared.cost.cost(levels, ratios);
  if (!cost.ok) return cost;
  return ok({
    z: new Float64Array(0),
    ratios,
    levels,
    cost: cost.value,
    error: goal.error(lawLevels(prepared, levels, ratios)),
    certificate: { kind: "global", gap: 0, starts: 1, agreement: 1, reason: "every axis is pinned" },
  });
}

/** Starts of a mixture that are tried, the best first. */
const PART_STARTS = 2;

/** The optima of a mixture's own laws, which are convex one by one: the best of them under the mixture. Null where it has no parts. */
function partStarts(
  prepared: Prepared,
  goal: Goal,
  target: Target,
  ratios: Ratios,
  from: Float64Array,
): Float64Array[] | null {
  if (!goal.parts || target.kind !== "budget") return null;
  const tried = goal.parts.flatMap((part) => {
    const point = solveAt(prepared, part, target, ratios, from);
    return point.ok ? [point.value.z] : [];
  });
  const error = (z: Float64Array) => goal.error(lawLevels(prepared, rawLevels(prepared, z, ratios), ratios));
  return [...tried, from]
    .map((z) => ({ z, error: error(z) }))
    .sort((a, b) => a.error - b.error)
    .slice(0, PART_STARTS)
    .map(({ z }) => z);
}

function randomStart(prepared: Prepared, source: Random): Float64Array {
  return Float64Array.from(
    freeLogs(prepared, prepared.base, prepared.ratios),
    (log) => log + 8 * (source.next() - 0.5),
  );
}

const TOO_DEAR = "The cheapest split that your limits allow costs more than this.";

/** A solution whose error is the law's own, where the program minimised what the error rises with. */
function seen(prepared: Prepared, goal: Goal, ratios: Ratios, point: Point): Point {
  if (goal.exact) return point;
  return { ...point, error: goal.error(lawLevels(prepared, rawLevels(prepared, point.z, ratios), ratios)) };
}

/** One solve at fixed ratios from one start. */
export function solveAt(
  prepared: Prepared,
  goal: Goal,
  target: Target,
  ratios: Ratios,
  from: Float64Array,
): Result<Point> {
  if (target.kind === "budget") {
    const program = compile(prepared, goal, target.budget, ratios);
    if (!program) return refused("allocation.infeasible", TOO_DEAR);
    const caps = prepared.problem.constraints ?? [];
    return caps.length > 0
      ? withinBudgets(prepared, goal, program, target.budget, ratios, from)
      : withinBudget(prepared, goal, program, target.budget, ratios, from);
  }
  return cheapest(prepared, goal, target.error, ratios, from);
}

function withinBudget(
  prepared: Prepared,
  goal: Goal,
  program: Program,
  budget: number,
  ratios: Ratios,
  from: Float64Array,
): Result<Point> {
  if (goal.posynomial) {
    if (program.error.count === 0)
      return refused("allocation.flat-law", "The law does not depend on any axis that may move.");
    const solved = leastError(program, budget, from);
    return solved ? ok(seen(prepared, goal, ratios, solved)) : refused("allocation.infeasible", TOO_DEAR);
  }
  const region = regionOf([program], [budget]);
  if (!region) return refused("allocation.infeasible", TOO_DEAR);
  const found = localMinimum(region, smooth(prepared, goal, ratios), from);
  return ok({
    z: found.z,
    error: goal.error(lawLevels(prepared, rawLevels(prepared, found.z, ratios), ratios)),
    cost: costAt(program, found.z),
    gap: null,
  });
}

/** The same within every budget of the problem. */
function withinBudgets(
  prepared: Prepared,
  goal: Goal,
  program: Program,
  budget: number,
  ratios: Ratios,
  from: Float64Array,
): Result<Point> {
  const programs = [program];
  const caps = prepared.problem.constraints ?? [];
  for (const cap of caps) {
    const own = compile({ ...prepared, cost: cap.cost }, goal, cap.amount, ratios);
    if (!own)
      return refused(
        "allocation.infeasible",
        `The cheapest split that your limits allow breaks the ${cap.name} limit.`,
      );
    programs.push(own);
  }
  const region = regionOf(programs, [budget, ...caps.map(({ amount }) => amount)]);
  if (!region) return refused("allocation.infeasible", TOO_DEAR);
  const levels = (z: Float64Array): number[] => lawLevels(prepared, rawLevels(prepared, z, ratios), ratios);
  const at = (z: Float64Array, gap: number | null): Point => ({
    z,
    error: goal.error(levels(z)),
    cost: costAt(program, z),
    gap,
  });
  if (!goal.posynomial) return ok(at(localMinimum(region, smooth(prepared, goal, ratios), from).z, null));
  if (program.error.count === 0)
    return refused("allocation.flat-law", "The law does not depend on any axis that may move.");
  const solved = leastErrorWithin(program, region, from);
  return ok(at(solved.z, solved.gap));
}

/** The error of a law that is no posynomial, as a function of z; its logarithm where it stays positive. */
function smooth(prepared: Prepared, goal: Goal, ratios: Ratios): Smooth {
  const positions = prepared.free.map((axis) => prepared.problem.law.axes.indexOf(axis));
  const at = (z: Float64Array): number[] => lawLevels(prepared, rawLevels(prepared, z, ratios), ratios);
  return {
    value: (z) => goal.error(at(z)),
    gradient: (z) => {
      const all = goal.gradient(at(z));
      return positions.map((position) => all[position] ?? 0);
    },
  };
}

/** The least error at a budget, from a start. */
type Within = (program: Program, budget: number, from: Float64Array) => Result<Point>;

/** How often the budget is raised in search of one that reaches the error, and by what: local solves are dearer. */
const MOST_RAISES = { convex: 60, local: 10 } as const;
const RAISE = { convex: 2, local: 16 } as const;

function cheapest(prepared: Prepared, goal: Goal, error: number, ratios: Ratios, from: Float64Array): Result<Point> {
  const unreachable = () =>
    refused(
      "allocation.unreachable",
      !Number.isFinite(previous)
        ? "No split within the limits reaches this success."
        : prepared.problem.law.response === "loss"
          ? `No split within the limits reaches this loss; the least is ${previous.toPrecision(3)}.`
          : `No split within the limits reaches this success; the most is ${percent(1 - previous)}.`,
    );
  const now = prepared.cost.cost(prepared.base, prepared.ratios);
  if (!now.ok) return now;
  const constraints = prepared.problem.constraints ?? [];
  const within: Within = (program, budget, from) =>
    (constraints.length > 0 ? withinBudgets : withinBudget)(prepared, goal, program, budget, ratios, from);
  let budget = now.value;
  let reached: Point | null = null;
  let program: Program | null = null;
  let previous = Infinity;
  const kind = goal.posynomial ? "convex" : "local";
  for (let raise = 0; raise < MOST_RAISES[kind]; raise++, budget *= RAISE[kind]) {
    program = compile(prepared, goal, budget, ratios);
    if (!program) continue;
    const point = within(program, budget, from);
    if (!point.ok) return point;
    if (point.value.error <= error * (1 + 1e-12)) {
      reached = point.value;
      break;
    }
    // Spending more stopped helping: every axis is at its limit, or only the floor is left.
    if (raise > 3 && point.value.error > previous * (1 - 1e-13)) return unreachable();
    previous = Math.min(previous, point.value.error);
  }
  if (!reached || !program) return unreachable();
  if (goal.posynomial && goal.exact && constraints.length === 0) {
    const solved = leastCost(program, error, reached.z);
    // Where the least cost has no room around it, the point that reaches the error at this budget stands.
    return ok(solved && solved.cost <= reached.cost * (1 + 1e-12) ? solved : reached);
  }
  return ok(cheapestByRoot(prepared, goal, error, ratios, reached, within));
}

/** The budget at which the least error is the one wanted, by regula falsi (Illinois) in ln budget; for laws without a dual. */
function cheapestByRoot(
  prepared: Prepared,
  goal: Goal,
  error: number,
  ratios: Ratios,
  reached: Point,
  within: Within,
): Point {
  let best = reached;
  const excess = (logBudget: number): number => {
    const program = compile(prepared, goal, Math.exp(logBudget), ratios);
    const point = program ? within(program, Math.exp(logBudget), best.z) : null;
    if (!point?.ok) return 1;
    if (point.value.error <= error * (1 + 1e-12) && point.value.cost < best.cost) best = point.value;
    return point.value.error / error - 1;
  };
  let high = Math.log(reached.cost);
  let atHigh = reached.error / error - 1;
  let low = high - 0.5;
  let atLow = excess(low);
  // Where what is owned suffices, no budget is too small: after a few steps the best point stands.
  for (let width = 1; atLow <= 0; width *= 2) {
    if (width > 32) return best;
    high = low;
    atHigh = atLow;
    low -= width;
    atLow = excess(low);
  }
  for (let i = 0, side = 0; i < 60 && high - low > 1e-11 && atHigh < -1e-13; i++) {
    const middle = (low * atHigh - high * atLow) / (atHigh - atLow);
    const at = excess(middle);
    if (at <= 0) {
      high = middle;
      atHigh = at;
      if (side === -1) atLow /= 2;
      side = -1;
    } else {
      low = middle;
      atLow = at;
      if (side === 1) atHigh /= 2;
      side = 1;
    }
  }
  return best;
}

/** True where, at given effective amounts, the cost is a ratio of two linear functions of r, and so best at an end. */
function endsAreExact(prepared: Prepared, mix: SynthesisMix): boolean {
  return (
    bestAtAnEnd(mix.shape) &&
    prepared.cost.terms.every(
      (term) => (term.axis !== mix.axis || term.owned === 0) && [0, 1, undefined].includes(term.exponents[mix.axis]),
    )
  );
}

interface Chosen {
  readonly ratios: Ratios;
  readonly exact: boolean;
}

/**
 * The best ratios in [0, r*]. Where the ends are exact and the best of them needs more of no axis than limits and pools
 * give, it is the optimum; else a search along each axis in turn, from the best end.
 */
function chooseRatios(prepared: Prepared, goal: Goal, target: Target, options: SolveOptions): Chosen {
  const { movable } = prepared;
  if (movable.length === 0) return { ratios: prepared.ratios, exact: true };
  const from = options.from ?? freeLogs(prepared, prepared.base, prepared.ratios);
  if (movable.every((mix) => endsAreExact(prepared, mix))) {
    const open = unlimited(prepared);
    const best = bestEnd(open, (ratios) => solveAt(open, goal, target, ratios, from), target);
    if (best && fits(prepared, best.point, best.ratios)) return { ratios: best.ratios, exact: true };
  }
  const at = (ratios: Ratios): Result<Point> => solveAt(prepared, goal, target, ratios, from);
  const value = (ratios: Ratios): number => {
    const point = at(ratios);
    return point.ok ? measured(point.value, target) : Infinity;
  };
  let best: Ratios = prepared.ratios;
  let bestValue = value(best);
  const end = bestEnd(prepared, at, target);
  if (end && measured(end.point, target) < bestValue) {
    best = end.ratios;
    bestValue = measured(end.point, target);
  }
  for (let round = 0; round < 6; round++) {
    const before = bestValue;
    for (const mix of movable) {
      const line = (ratio: number): number => value({ ...best, [mix.axis]: ratio });
      const [ratio, found] = lineSearch(line, 0, ratioCeiling(mix));
      if (found < bestValue) {
        bestValue = found;
        best = { ...best, [mix.axis]: ratio };
      }
    }
    if (movable.length === 1 || !(before - bestValue > 1e-12 * Math.abs(bestValue))) break;
  }
  return { ratios: best, exact: false };
}

function measured(point: Point, target: Target): number {
  return target.kind === "budget" ? point.error : point.cost;
}

/** The best of the 2^n ends of the movable ratios; null where none can be afforded. */
function bestEnd(
  prepared: Prepared,
  at: (ratios: Ratios) => Result<Point>,
  target: Target,
): { ratios: Ratios; point: Point } | null {
  const { movable } = prepared;
  let best: { ratios: Ratios; point: Point } | null = null;
  for (let corner = 0; corner < 2 ** movable.length; corner++) {
    const ratios = {
      ...prepared.ratios,
      ...Object.fromEntries(movable.map((mix, i) => [mix.axis, (corner >> i) & 1 ? ratioCeiling(mix) : 0])),
    };
    const point = at(ratios);
    if (point.ok && (best === null || measured(point.value, target) < measured(best.point, target)))
      best = { ratios, point: point.value };
  }
  return best;
}

/** The same problem without the limits and pools that tie the amount of a synthesised axis to its ratio. */
function unlimited(prepared: Prepared): Prepared {
  const limits = { ...prepared.problem.limits };
  const mixes = { ...prepared.mixes };
  for (const mix of prepared.movable) {
    limits[mix.axis] = [1e-9, null];
    mixes[mix.axis] = { ...mix, pool: undefined };
  }
  return { ...prepared, problem: { ...prepared.problem, limits }, mixes };
}

function fits(prepared: Prepared, point: Point, ratios: Ratios): boolean {
  return prepared.free.every((axis, i) => {
    const range = bounds(prepared, axis, ratios);
    return point.z[i] >= Math.log(range.low) - 1e-9 && point.z[i] <= Math.log(range.high) + 1e-9;
  });
}
