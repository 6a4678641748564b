import type { AxisName } from "../../axes";
import type { CostModel } from "../../cost";
import { ok, refused } from "../../result";
import type { Result } from "../../result";
import { criticalRatio, effectivePerRaw, effectivePerReal } from "../../synthesis/mix";
import type { AllocationProblem, Cap, Levels, Pinned, Ratios, SynthesisMix } from "./types";

/** A problem checked and sorted: which axes move, which are held where and why. */
export interface Prepared {
  readonly problem: AllocationProblem;
  readonly cost: CostModel;
  /** Axes that move, in the law's order. */
  readonly free: readonly AxisName[];
  readonly pinned: readonly Pinned[];
  /** Raw level of every axis of law or cost, at the current split. */
  readonly base: Levels;
  /** Effective level that the law sees on an axis that does not move. */
  readonly held: Levels;
  readonly mixes: Readonly<Partial<Record<AxisName, SynthesisMix>>>;
  /** Current ratios of axes with a mix. */
  readonly ratios: Ratios;
  /** Axes whose ratio may move. */
  readonly movable: readonly SynthesisMix[];
}

const DATA_AXES: readonly string[] = ["tasks", "environments", "worlds", "structures", "trajectories"];

/**
 * Codes: `allocation.level-unknown`, `allocation.level-invalid`, `allocation.limits`, `allocation.mix`,
 * `allocation.cost`, `allocation.cost-exponent`, `allocation.law-undefined`, and those of the cost model.
 */
export function prepare(problem: AllocationProblem): Result<Prepared> {
  const { law, cost, current } = problem;
  const base = amounts(cost.defaults, current);
  for (const refusal of law.refused) base[refusal.axis] ??= refusal.level;
  for (const axis of law.axes) {
    const level = base[axis];
    if (level === undefined)
      return refused("allocation.level-unknown", `The law depends on ${axis}, whose amount is unknown.`);
    if (!(level > 0) || !Number.isFinite(level))
      return refused("allocation.level-invalid", `${axis} = ${level}: an amount must be above 0.`);
  }
  // A model is a point: where limits leave one amount, no cost has to rise to it.
  const decided = (axis: string): boolean => {
    const [low, high] = problem.limits?.[axis] ?? [null, null];
    return low !== null && low === high;
  };
  for (const term of cost.terms) {
    if (Object.entries(term.exponents).some(([axis, exponent]) => (exponent ?? 0) < 0 && !decided(axis))) {
      return refused(
        "allocation.cost-exponent",
        `The cost term ${term.id} falls as an axis grows; only costs that rise can be optimised.`,
      );
    }
  }
  const mixes: Record<string, SynthesisMix> = {};
  const ratios: Record<string, number> = {};
  for (const mix of problem.mixes ?? []) {
    const wrong = mixProblem(mix, law.axes, base);
    if (wrong) return refused("allocation.mix", wrong);
    mixes[mix.axis] = mix;
    ratios[mix.axis] = mix.ratio;
  }
  const priced = cost.cost(base, ratios);
  if (!priced.ok) return priced;
  if (!Number.isFinite(priced.value))
    return refused("allocation.cost", "The current split costs more than can be counted.");
  if (!(priced.value > 0))
    return refused("allocation.cost", "The current split costs nothing, so that there is nothing to allocate.");

  // What the first budget does not pay, another that always holds may: data are bought with money, not with GPU-hours.
  const paid = [cost, ...lastingCaps(problem).map((cap) => cap.cost)];
  const pinned: Pinned[] = [];
  const free: AxisName[] = [];
  const held: Record<string, number> = {};
  const hold = (
    axis: AxisName,
    code: Pinned["code"],
    reason: string,
    seen = effective(mixes[axis], base[axis] ?? 0),
  ): void => {
    pinned.push({ axis, level: base[axis] ?? 0, code, reason });
    held[axis] = seen;
  };
  for (const axis of law.axes) {
    const refusal = law.refused.find((entry) => entry.axis === axis);
    const freed = problem.free?.includes(axis) ?? false;
    if (refusal) hold(axis, "refused", `its exponent is not known: ${refusal.reason}`, refusal.level);
    else if (problem.pins?.includes(axis)) hold(axis, "user", "pinned");
    else if (axis === "parameters" && !freed) hold(axis, "default", "the model is pinned unless it is freed");
    else if (!decided(axis) && !paid.some((one) => costs(one, axis)))
      hold(
        axis,
        "zero-marginal-cost",
        `more ${axis} cost ${cost.unit === "USD" ? "nothing" : `no ${cost.unit}`} under this design and these prices, so that there is no best amount: state what one costs, or whether tasks are nested or crossed (design)`,
      );
    else free.push(axis);
  }
  for (const axis of costAxes(cost)) {
    if (law.axes.includes(axis) || base[axis] === undefined) continue;
    const refusal = law.refused.find((entry) => entry.axis === axis);
    pinned.push({
      axis,
      level: base[axis] ?? 0,
      code: refusal ? "refused" : "not-in-law",
      reason: refusal
        ? `its exponent is not known: ${refusal.reason}`
        : axis === "parameters"
          ? "the model is pinned, and the law does not depend on it"
          : "the law does not depend on it",
    });
  }
  for (const axis of free) {
    const [low, high] = problem.limits?.[axis] ?? [null, null];
    if (low !== null && high !== null && low > high)
      return refused("allocation.limits", `The limits of ${axis} leave no amount: at least ${low}, at most ${high}.`);
    if (Number.isNaN(low) || Number.isNaN(high))
      return refused("allocation.limits", `A limit of ${axis} is not a number.`);
    if (high !== null && !(high > 0))
      return refused("allocation.limits", `The upper limit of ${axis} must be above 0.`);
  }
  const movable = Object.values(mixes).filter((mix) => mix.optimise === true && free.includes(mix.axis));
  const asked = { ...problem, constraints: problem.constraints?.filter(({ lasting }) => lasting !== "regret") };
  const prepared: Prepared = { problem: asked, cost, free, pinned, base, held, mixes, ratios, movable };
  for (const axis of free) {
    const range = bounds(prepared, axis, ratios);
    if (range.low > range.high * (1 + 1e-12))
      return refused("allocation.limits", `The upper limit of ${axis} is below the least amount there can be.`);
  }
  const error = law.point.error(lawLevels(prepared, base, ratios));
  if (!Number.isFinite(error))
    return refused("allocation.law-undefined", "The law has no value at the current amounts.");
  return ok(prepared);
}

/** Budgets that are part of what the same cost means. */
export function lastingCaps({ constraints }: AllocationProblem): readonly Cap[] {
  return constraints?.filter((cap) => cap.lasting) ?? [];
}

/** Amounts that are there, later ones over earlier ones. */
export function amounts(...all: readonly Levels[]): Record<string, number> {
  const known: Record<string, number> = {};
  for (const levels of all)
    for (const [axis, level] of Object.entries(levels)) if (level !== undefined) known[axis] = level;
  return known;
}

function effective(mix: SynthesisMix | undefined, raw: number): number {
  return mix ? raw * effectivePerRaw(mix.shape, mix.ratio) : raw;
}

function mixProblem(mix: SynthesisMix, axes: readonly AxisName[], base: Levels): string | null {
  if (!axes.includes(mix.axis)) return `Synthesis on ${mix.axis} cannot be priced: the law does not depend on it.`;
  if (!(mix.ratio >= 0) || !Number.isFinite(mix.ratio))
    return `The synthetic:real ratio of ${mix.axis} must be 0 or more, not ${mix.ratio}.`;
  const { shape } = mix;
  const numbers = Object.entries(shape).filter((entry): entry is [string, number] => typeof entry[1] === "number");
  for (const [name, value] of numbers)
    if (!(value >= 0)) return `The ${name} of synthetic ${mix.axis} must be 0 or more, not ${value}.`;
  if (shape.kind === "saturating" && shape.ceiling === 0)
    return `The ceiling of synthetic ${mix.axis} must be above 0.`;
  if (mix.pool !== undefined && !(mix.pool > 0))
    return `The pool of real ${mix.axis} must be above 0, not ${mix.pool}.`;
  if (mix.maxRatio !== undefined && !(mix.maxRatio >= 0 && Number.isFinite(mix.maxRatio)))
    return `The highest ratio of ${mix.axis} must be 0 or more, not ${mix.maxRatio}.`;
  if (base[mix.axis] === undefined) return `The amount of ${mix.axis} is unknown.`;
  return null;
}

function costs(cost: CostModel, axis: AxisName): boolean {
  return cost.terms.some((term) => term.coefficient > 0 && (term.exponents[axis] ?? 0) > 0);
}

function costAxes(cost: CostModel): AxisName[] {
  const axes = new Set<AxisName>();
  for (const term of cost.terms)
    for (const [axis, exponent] of Object.entries(term.exponents)) if (exponent) axes.add(axis);
  return [...axes];
}

/** Highest ratio that an optimum may use. */
export function ratioCeiling(mix: SynthesisMix): number {
  return Math.min(
    criticalRatio(mix.shape) ?? Infinity,
    mix.maxRatio ?? (criticalRatio(mix.shape) === null ? 10 : Infinity),
  );
}

/** Effective units per raw unit on an axis at a ratio; 1 where nothing is synthetic. */
export function worth(prepared: Prepared, axis: AxisName, ratios: Ratios): number {
  const mix = prepared.mixes[axis];
  return mix ? effectivePerRaw(mix.shape, ratios[axis] ?? mix.ratio) : 1;
}

/** Bounds on effective amounts; the upper one is Infinity where only the budget ends it. */
export function bounds(
  prepared: Prepared,
  axis: AxisName,
  ratios: Ratios,
): { low: number; high: number; pool: boolean; trust: boolean; trustLow: boolean } {
  const [statedLow, statedHigh] = prepared.problem.limits?.[axis] ?? [null, null];
  const trusted = trustedRange(prepared, axis);
  const now = prepared.base[axis] ?? 1;
  const lowest = DATA_AXES.includes(axis) ? Math.min(1, now) : now * 1e-6;
  const factor = worth(prepared, axis, ratios);
  const mix = prepared.mixes[axis];
  const least = statedLow !== null && statedLow > 0 ? statedLow * factor : null;
  const stated = statedHigh === null ? Math.max(trusted.high, least ?? 0) : statedHigh * factor;
  const low = least ?? Math.max(lowest * factor, Math.min(trusted.low, stated));
  const fromPool =
    mix?.pool === undefined ? Infinity : mix.pool * effectivePerReal(mix.shape, ratios[axis] ?? mix.ratio);
  return {
    low: Math.min(low, fromPool),
    high: Math.min(stated, fromPool),
    pool: fromPool < stated,
    trust: statedHigh === null && trusted.high < fromPool,
    trustLow: least === null && trusted.low > lowest * factor,
  };
}

/** Effective amounts that the fitted runs can speak of, wherever the present split is: then a second look proposes no more. */
function trustedRange(prepared: Prepared, axis: AxisName): { low: number; high: number } {
  const { trust, law } = prepared.problem;
  const range = law.ranges[axis];
  if (!trust || !range) return { low: 0, high: Infinity };
  return { low: range.min / trust, high: range.max * trust };
}

/** Raw amounts of every axis from z = ln(effective) of the free ones. */
export function rawLevels(prepared: Prepared, z: ArrayLike<number>, ratios: Ratios): Levels {
  const levels = amounts(prepared.base);
  prepared.free.forEach((axis, i) => {
    const [low, high] = prepared.problem.limits?.[axis] ?? [null, null];
    // Limits that leave one amount mean it, not what is left of it after ln and exp.
    levels[axis] = low !== null && low === high ? low : tidy(Math.exp(z[i]) / worth(prepared, axis, ratios));
  });
  return levels;
}

/** A whole number where only the rounding of ln and exp keeps it from being one. */
function tidy(value: number): number {
  const whole = Math.round(value);
  return Math.abs(value - whole) <= 1e-13 * whole ? whole : value;
}

/** What the law sees, in its axis order, at raw levels. */
export function lawLevels(prepared: Prepared, levels: Levels, ratios: Ratios): number[] {
  return prepared.problem.law.axes.map(
    (axis) => prepared.held[axis] ?? (levels[axis] ?? 0) * worth(prepared, axis, ratios),
  );
}

/** z = ln(effective) of the free axes at raw levels. */
export function freeLogs(prepared: Prepared, levels: Levels, ratios: Ratios): Float64Array {
  return Float64Array.from(prepared.free, (axis) => Math.log((levels[axis] ?? 1) * worth(prepared, axis, ratios)));
}
