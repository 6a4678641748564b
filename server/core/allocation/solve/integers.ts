import type { AxisName } from "../../axes";
import { evaluateTerms, total } from "../../cost/evaluate";
import { refused, ok } from "../../result";
import type { Result } from "../../result";
import type { Goal } from "./compile";
import { amounts, bounds, lawLevels, ratioCeiling, worth } from "../problem/prepare";
import type { Prepared } from "../problem/prepare";
import { meetsConstraints } from "../constraints";
import type { Solved, Target } from "./solve";
import type { Levels, Ratios, WholeNumbers } from "../problem/types";

export interface WholeSplit {
  readonly levels: Levels;
  readonly ratios: Ratios;
  readonly error: number;
  readonly cost: number;
}

/** Divisors that frameworks ask for; each gives a value just below and just above the continuous optimum. */
const DIVISORS = [1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 24, 32, 48, 64, 96, 128, 256, 512, 1024];
/** Values tried downwards for an axis that fills the budget, before giving up on a rule. */
const LONGEST_SCAN = 1024;

/** The values an axis may take. */
interface Grid {
  readonly axis: AxisName;
  /** Nearest allowed value at or below; null: none. */
  floor(value: number): number | null;
  next(value: number): number | null;
  previous(value: number): number | null;
}

/**
 * The best whole-number split that keeps the target, the limits and every declared rule, by local search around the
 * continuous optimum; the current split competes too, so that an optimised config is not asked to change again.
 * Code `allocation.no-whole-numbers`: nothing near the optimum satisfies every rule.
 */
export function wholeNumbers(
  prepared: Prepared,
  goal: Goal,
  whole: WholeNumbers,
  solved: Solved,
  target: Target,
): Result<WholeSplit> {
  const grids = prepared.free.flatMap((axis) => gridOf(axis, whole, prepared.base[axis]));
  const scores = scorer(prepared, goal, whole, target, solved.ratios);
  let best: WholeSplit | null = null;
  const consider = (levels: Levels): void => {
    const split = scores.score(levels);
    if (split && (!best || better(split, best, target))) best = split;
  };
  if (grids.every((grid) => allowed(grid, prepared.base[grid.axis] ?? 0))) consider(prepared.base);
  const continuous = solved.levels;
  if (grids.length === 0) consider(continuous);
  const ruled = whole.rules !== undefined && whole.rules.length > 0;
  // Rules may leave nothing near the optimum of a small budget: then the search starts again from smaller amounts.
  for (const centre of [
    continuous,
    ...(ruled ? [between(prepared, continuous, 0.5), between(prepared, continuous, 0)] : []),
  ]) {
    if (best !== null && centre !== continuous) break;
    for (const filler of grids) {
      const others = grids.filter((grid) => grid !== filler);
      combine(
        others.map((grid) => nearby(grid, centre[grid.axis] ?? 1, ruled ? DIVISORS : [1], others.length > 2)),
        (values) => {
          const levels = amounts(continuous);
          others.forEach((grid, i) => {
            levels[grid.axis] = values[i] ?? 0;
          });
          const filled = fill(filler, levels, scores, target, centre[filler.axis] ?? 1);
          if (filled) consider(filled);
        },
      );
    }
  }
  const found = best as WholeSplit | null;
  if (!found)
    return refused(
      "allocation.no-whole-numbers",
      "No whole-number split near the optimum satisfies every rule of the framework within the budget.",
    );
  return ok(climb(found, grids, scores, target));
}

/** A share of the way, in logs, from the lower limits to a split. */
function between(prepared: Prepared, levels: Levels, share: number): Levels {
  return {
    ...levels,
    ...Object.fromEntries(
      prepared.free.map((axis) => {
        const low = Math.max(1, prepared.problem.limits?.[axis]?.[0] ?? 1);
        return [axis, low * Math.max(1, (levels[axis] ?? 1) / low) ** share];
      }),
    ),
  };
}

function better(one: WholeSplit, other: WholeSplit, target: Target): boolean {
  const margin = 1 - 1e-9;
  if (target.kind === "budget")
    return one.error < other.error * margin || (one.error <= other.error && one.cost < other.cost);
  return one.cost < other.cost * margin || (one.cost <= other.cost && one.error < other.error);
}

interface Scores {
  /** Within limits and target, whatever the rules say. */
  meets(levels: Levels): boolean;
  /** Null: a limit, the target or a rule is broken. */
  score(levels: Levels): WholeSplit | null;
}

function scorer(prepared: Prepared, goal: Goal, whole: WholeNumbers, target: Target, wanted: Ratios): Scores {
  const rules = whole.rules ?? [];
  const measure = (levels: Levels): WholeSplit | null => {
    for (const axis of prepared.free) {
      const [low, high] = prepared.problem.limits?.[axis] ?? [null, null];
      const level = levels[axis] ?? 0;
      if (!trusted(prepared, axis, level, wanted)) return null;
      if (!(level > 0) || (low !== null && level < low * (1 - 1e-12)) || (high !== null && level > high * (1 + 1e-12)))
        return null;
    }
    const ratios = wholeRatios(prepared, levels, wanted);
    if (!ratios) return null;
    const costs = evaluateTerms(prepared.cost.terms, levels, prepared.cost.defaults, ratios);
    if (!costs.ok) return null;
    const cost = total(costs.value);
    if (target.kind === "budget" && cost > target.budget * (1 + 1e-9)) return null;
    if (!meetsConstraints(prepared, levels, ratios)) return null;
    const error = goal.error(lawLevels(prepared, levels, ratios));
    if (target.kind === "error" && error > target.error * (1 + 1e-9)) return null;
    return { levels, ratios, error, cost };
  };
  return {
    meets: (levels) => measure(levels) !== null,
    score: (levels) => {
      const known = amounts(levels);
      return rules.some((rule) => rule.holds(known) === false) ? null : measure(known);
    },
  };
}

/** Within the trust region: rounding to a whole number goes inwards. */
function trusted(prepared: Prepared, axis: AxisName, level: number, ratios: Ratios): boolean {
  if (!prepared.problem.trust) return true;
  const each = worth(prepared, axis, ratios);
  const { low, high } = bounds(prepared, axis, ratios);
  return level >= (low / each) * (1 - 1e-9) && level <= (high / each) * (1 + 1e-9);
}

/** Ratios that split whole amounts into whole real and synthetic units, near the wanted ones. Null: the pool is too small. */
function wholeRatios(prepared: Prepared, levels: Levels, wanted: Ratios): Ratios | null {
  const ratios: Record<string, number> = {};
  for (const [axis, mix] of Object.entries(prepared.mixes)) {
    if (!mix) continue;
    const raw = levels[axis] ?? 0;
    const ratio = wanted[axis] ?? mix.ratio;
    if (!prepared.free.includes(axis)) {
      ratios[axis] = ratio;
      continue;
    }
    let real = Math.max(1, Math.round(raw / (1 + ratio)));
    const ceiling = ratioCeiling(mix);
    if (mix.optimise && (raw - real) / real > ceiling * (1 + 1e-12)) real = Math.ceil(raw / (1 + ceiling));
    if (mix.pool !== undefined) real = Math.min(real, Math.max(1, Math.floor(mix.pool)));
    const rounded = Math.max(0, (raw - real) / real);
    if (mix.optimise && rounded > ceiling * (1 + 1e-9)) return null;
    ratios[axis] = rounded;
  }
  return ratios;
}

function gridOf(axis: AxisName, whole: WholeNumbers, present: number | undefined): Grid[] {
  const choices = whole.choices?.[axis];
  if (choices && choices.length > 0) {
    const sorted = [...choices].sort((a, b) => a - b);
    return [
      {
        axis,
        floor: (value) => sorted.filter((choice) => choice <= value * (1 + 1e-12)).at(-1) ?? null,
        next: (value) => sorted.find((choice) => choice > value * (1 + 1e-12)) ?? null,
        previous: (value) => sorted.filter((choice) => choice < value * (1 - 1e-12)).at(-1) ?? null,
      },
    ];
  }
  if (axis === "parameters") return [];
  const step = whole.steps?.[axis] ?? 1;
  const multiples: Grid = {
    axis,
    floor: (value) => {
      const at = Math.floor(value / step + 1e-9) * step;
      return at >= step ? at : null;
    },
    next: (value) => (Math.floor(value / step + 1e-9) + 1) * step,
    previous: (value) => {
      const at = (Math.ceil(value / step - 1e-9) - 1) * step;
      return at >= step ? at : null;
    },
  };
  return [present !== undefined && whole.present?.includes(axis) ? withOne(multiples, present) : multiples];
}

/** A grid with one more value on it. */
function withOne(grid: Grid, one: number): Grid {
  return {
    axis: grid.axis,
    floor: (value) => {
      const at = grid.floor(value);
      return one <= value * (1 + 1e-12) ? Math.max(at ?? one, one) : at;
    },
    next: (value) => {
      const at = grid.next(value);
      return one > value * (1 + 1e-12) ? Math.min(at ?? one, one) : at;
    },
    previous: (value) => {
      const at = grid.previous(value);
      return one < value * (1 - 1e-12) ? Math.max(at ?? one, one) : at;
    },
  };
}

function allowed(grid: Grid, value: number): boolean {
  const floor = grid.floor(value);
  return floor !== null && Math.abs(floor - value) <= 1e-9 * value;
}

function nearby(grid: Grid, value: number, divisors: readonly number[], many: boolean): number[] {
  const values = new Set<number>();
  for (const divisor of divisors) {
    if (divisor > 1 && divisor > 16 * value) continue;
    const at = Math.floor(value / divisor) * divisor;
    for (const near of [at, at + divisor]) {
      const floor = near > 0 ? grid.floor(near) : null;
      if (floor !== null) values.add(floor);
      if (divisor === 1) {
        const next = grid.next(near);
        const previous = grid.previous(near);
        if (next !== null) values.add(next);
        if (previous !== null) values.add(previous);
      }
    }
  }
  const sorted = [...values].sort((a, b) => Math.abs(Math.log(a / value)) - Math.abs(Math.log(b / value)));
  return sorted.slice(0, many ? 6 : 10);
}

function combine(sets: readonly (readonly number[])[], visit: (values: number[]) => void): void {
  const values: number[] = [];
  const walk = (depth: number): void => {
    const set = sets[depth];
    if (!set) {
      visit(values);
      return;
    }
    for (const value of set) {
      values[depth] = value;
      walk(depth + 1);
    }
  };
  walk(0);
}

/**
 * The largest affordable value of one axis (at equal success the smallest that reaches it) with the others fixed: the end of
 * what the target allows by bisection, which is monotone, then inwards until the rules hold, which is not.
 */
function fill(
  grid: Grid,
  levels: Record<string, number>,
  { meets, score }: Scores,
  target: Target,
  around: number,
): Levels | null {
  const at = (value: number): Levels => ({ ...levels, [grid.axis]: value });
  const upwards = target.kind === "budget";
  const start = grid.floor(around) ?? grid.next(0);
  if (start === null) return null;
  let inside: number | null = null;
  let outside: number | null = null;
  for (let value: number | null = start, factor = 1.5; value !== null && value < 1e15; factor *= 2) {
    if (meets(at(value))) {
      inside = value;
      if (outside !== null) break;
    } else {
      outside = value;
      if (inside !== null) break;
    }
    const further: number = (inside === null) === upwards ? value / factor : value * factor;
    const next: number | null = grid.floor(further) ?? grid.next(0);
    if (next === null || next === value) {
      const step: number | null = (inside === null) === upwards ? grid.previous(value) : grid.next(value);
      if (step === null) break;
      value = step;
    } else value = next;
  }
  if (inside === null) return null;
  while (outside !== null) {
    const middle = grid.floor((inside + outside) / 2);
    const lower = Math.min(inside, outside);
    if (middle === null || middle <= lower * (1 + 1e-12)) break;
    if (meets(at(middle))) inside = middle;
    else outside = middle;
  }
  for (
    let value: number | null = inside, i = 0;
    value !== null && i < LONGEST_SCAN;
    value = upwards ? grid.previous(value) : grid.next(value), i++
  ) {
    if (score(at(value))) return at(value);
  }
  return null;
}

/** Moves one axis, or one up and another down, while that helps. */
function climb(start: WholeSplit, grids: readonly Grid[], { score }: Scores, target: Target): WholeSplit {
  let best = start;
  for (let round = 0; round < 200; round++) {
    const before = best;
    const moves: Levels[] = [];
    for (const grid of grids) {
      const value = best.levels[grid.axis] ?? 0;
      for (const moved of [grid.next(value), grid.previous(value)]) {
        if (moved === null) continue;
        moves.push({ ...best.levels, [grid.axis]: moved });
        for (const other of grids) {
          if (other === grid) continue;
          const held = best.levels[other.axis] ?? 0;
          const against = moved > value ? other.previous(held) : other.next(held);
          if (against !== null) moves.push({ ...best.levels, [grid.axis]: moved, [other.axis]: against });
        }
      }
    }
    for (const levels of moves) {
      const split = score(levels);
      if (split && better(split, best, target)) best = split;
    }
    if (best === before) return best;
  }
  return best;
}
