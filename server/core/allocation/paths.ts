import type { AxisName } from "../axes";
import { ok, refused } from "../result";
import type { Result } from "../result";
import type { Goal } from "./solve/compile";
import { amounts, lawLevels } from "./problem/prepare";
import type { Prepared } from "./problem/prepare";
import { solveAt } from "./solve/solve";
import type { Levels, Ratios } from "./problem/types";

/** A one-parameter family of splits; cost and success rise with s. */
export interface Path {
  readonly name: string;
  readonly ratios: Ratios;
  /** Lowest and highest s that make sense. */
  readonly from: number;
  readonly to: number;
  /** Raw levels at s. */
  at(s: number): Levels;
}

/** Ways to grow that people follow without a law; all start at the current split. */
export type Baseline = "trajectories-only" | "equal-growth" | "current-split";

export const BASELINES: Readonly<Record<Baseline, string>> = {
  "trajectories-only": "scale the trajectories only",
  "equal-growth": "grow every free axis by the same factor",
  "current-split": "keep every share of the spend as it is",
};

const FURTHEST = 80;

/** Code `allocation.baseline`: the baseline moves an axis that is unknown or costs nothing. */
export function baselinePath(prepared: Prepared, baseline: Baseline): Result<Path> {
  const { base, ratios } = prepared;
  const directions: Record<string, number> = {};
  if (baseline === "trajectories-only") {
    const moves = prepared.cost.terms.some((term) => (term.exponents.trajectories ?? 0) > 0);
    if (!moves || base.trajectories === undefined)
      return refused(
        "allocation.baseline",
        "Trajectories are unknown or cost nothing, so that nothing can be scaled along them.",
      );
    directions.trajectories = 1;
  } else if (baseline === "equal-growth") for (const axis of prepared.free) directions[axis] = 1;
  else Object.assign(directions, spendKeeping(prepared));
  if (Object.values(directions).every((direction) => direction === 0))
    return refused("allocation.baseline", "No axis may move.");
  return ok({
    name: BASELINES[baseline],
    ratios,
    from: -FURTHEST,
    to: FURTHEST,
    at: (s) => {
      const levels = amounts(base);
      for (const [axis, direction] of Object.entries(directions))
        levels[axis] = (levels[axis] ?? 1) * Math.exp(direction * s);
      return levels;
    },
  });
}

/**
 * Growth rates that keep each cost term's share: Σ_i k_{t,i}·g_i = 1 for every term t, in the least-squares sense and of the
 * least length (a few Kaczmarz sweeps suffice for a handful of terms).
 */
function spendKeeping(prepared: Prepared): Record<string, number> {
  const { free } = prepared;
  const rows = prepared.cost.terms
    .map((term) => free.map((axis) => term.exponents[axis] ?? 0))
    .filter((row) => row.some((exponent) => exponent > 0));
  const rates = free.map(() => 0);
  for (let sweep = 0; sweep < 2000; sweep++) {
    for (const row of rows) {
      const norm = row.reduce((sum, exponent) => sum + exponent * exponent, 0);
      const miss = 1 - row.reduce((sum, exponent, i) => sum + exponent * rates[i], 0);
      row.forEach((exponent, i) => {
        rates[i] += (miss * exponent) / norm;
      });
    }
  }
  return Object.fromEntries(free.map((axis, i) => [axis, rates[i]]));
}

/** Costs at which the optimal path is solved; between them it is interpolated in logs. */
const NODES = 24;

/**
 * The optimal splits of the fitted law from the cheapest affordable to `over` × the budget, as a path in s = ln(budget):
 * solved at a few budgets and interpolated in ln x between them. Null: nothing is affordable.
 */
export function optimalPath(
  prepared: Prepared,
  goal: Goal,
  budget: number,
  ratios: Ratios,
  start: Float64Array,
  over = 8,
  under = 100,
): Path | null {
  const nodes: { s: number; z: Float64Array }[] = [];
  const from = Math.log(budget / under);
  const to = Math.log(budget * over);
  const here = Math.log(budget);
  const walk = (places: readonly number[], first: Float64Array): Float64Array => {
    let last = first;
    for (const s of places) {
      const point = solveAt(prepared, goal, { kind: "budget", budget: Math.exp(s) }, ratios, last);
      if (!point.ok) continue;
      nodes.push({ s, z: point.value.z });
      last = point.value.z;
    }
    return last;
  };
  // Outwards from the budget that is known: where hardly anything can be bought, success is 0 whatever the split, and a walk that
  // began there would never leave it.
  const places = Array.from({ length: NODES + 1 }, (_, i) => from + ((to - from) * i) / NODES);
  const middle = walk([here], start);
  walk(
    places.filter((s) => s > here + 1e-9),
    middle,
  );
  walk(places.filter((s) => s < here - 1e-9).reverse(), middle);
  nodes.sort((a, b) => a.s - b.s);
  if (nodes.length === 0) return null;
  const first = nodes[0];
  const final = nodes[nodes.length - 1];
  const factor = prepared.free.map((axis) => levelFactor(prepared, axis, ratios));
  return {
    name: "optimal split",
    ratios,
    from: first.s,
    to: final.s,
    at: (s) => {
      const index = nodes.findIndex((node) => node.s >= s);
      const upper = nodes[index < 0 ? nodes.length - 1 : index];
      const lower = nodes[Math.max(0, (index < 0 ? nodes.length - 1 : index) - 1)];
      const share = upper.s > lower.s ? Math.min(1, Math.max(0, (s - lower.s) / (upper.s - lower.s))) : 0;
      const levels = amounts(prepared.base);
      prepared.free.forEach((axis, i) => {
        levels[axis] = Math.exp(lower.z[i] + share * (upper.z[i] - lower.z[i])) * factor[i];
      });
      return levels;
    },
  };
}

function levelFactor(prepared: Prepared, axis: AxisName, ratios: Ratios): number {
  const levels = amounts(prepared.base);
  const position = prepared.problem.law.axes.indexOf(axis);
  return (levels[axis] ?? 1) / (lawLevels(prepared, levels, ratios)[position] ?? 1);
}

export function costOn(prepared: Prepared, path: Path, s: number): number {
  const cost = prepared.cost.cost(path.at(s), path.ratios);
  return cost.ok ? cost.value : NaN;
}

/** The least s on a path with a property that, once true, stays true; null where the far end lacks it. */
export function firstWhere(path: Path, holds: (s: number) => boolean, from = path.from, to = path.to): number | null {
  if (holds(from)) return from;
  if (!holds(to)) return null;
  let low = from;
  let high = to;
  for (let i = 0; i < 60 && high - low > 1e-13 * Math.max(1, Math.abs(high)); i++) {
    const middle = (low + high) / 2;
    if (holds(middle)) high = middle;
    else low = middle;
  }
  return high;
}
