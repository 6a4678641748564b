import type { AxisName } from "../axes";
import type { Model } from "../laws/model";
import { random, seedOf } from "../numerics/random";
import { solver, type Solution, type SolveOptions } from "./levenberg";
import type { Loss, Observed } from "./likelihood";
import type { Run } from "./run";
import { startingPoints } from "./starts";
import type { AxisRange } from "../axes";

/** Rows as the kernels want them. */
export function observe(
  runs: readonly Run[],
  axes: readonly AxisName[],
  ranges: Readonly<Record<string, AxisRange>>,
): Observed {
  const m = runs.length;
  const u = new Float64Array(axes.length * m),
    y = new Float64Array(m),
    n = new Float64Array(m);
  runs.forEach((run, i) => {
    axes.forEach((axis, a) => (u[a * m + i] = Math.log(run.row.axes[axis]!) - Math.log(ranges[axis].centre)));
    y[i] = run.y;
    n[i] = run.n || 1;
  });
  return { m, u, y, n };
}

export function rangesOf(runs: readonly Run[], axes: readonly AxisName[]): Record<string, AxisRange> {
  return Object.fromEntries(
    axes.map((axis) => {
      const levels = runs.map((run) => run.row.axes[axis]!);
      const centre = Math.exp(levels.reduce((sum, x) => sum + Math.log(x), 0) / levels.length);
      const distinct = new Set(levels.map((x) => Math.round(Math.log(x) * 1e6)));
      return [axis, { min: Math.min(...levels), max: Math.max(...levels), centre, levels: distinct.size }];
    }),
  );
}

export interface ManyStarts extends Solution {
  readonly count: number;
  readonly withinOnePercent: number;
  /** Distinct optima other than the best that come close to it, for refits to try as well. */
  readonly alternatives: readonly Float64Array[];
}

/** How far starts are refined, and then the best of them. */
interface Care {
  readonly starts?: SolveOptions;
  readonly best: SolveOptions;
}
const CAREFUL: Care = { best: { tolerance: 1e-13, maxIterations: 500 } };
/** Finds a basin, not its last digit. */
const ROUGH: Care = { starts: { tolerance: 1e-6, maxIterations: 60 }, best: { tolerance: 1e-9, maxIterations: 100 } };

/** Refines every start and keeps the best. */
export function fitFromMany(
  model: Model,
  seen: Observed,
  loss: Loss,
  starts: readonly ArrayLike<number>[],
  care = CAREFUL,
): ManyStarts {
  const w = new Float64Array(seen.m).fill(1);
  const solve = solver(model, seen);
  const all = starts.map((start) => solve.solve(start, w, loss, care.starts)).sort((a, b) => a.objective - b.objective);
  const best = solve.solve(all[0].theta, w, loss, care.best);
  const near = all.filter((one) => one.objective <= best.objective + 0.01 * Math.abs(best.objective) + 1e-12);
  const alternatives = all
    .filter((one) => one.objective > best.objective * 1.0001 && one.objective < best.objective * 1.1 + 2)
    .slice(0, 1)
    .map((one) => one.theta);
  return { ...best, count: starts.length, withinOnePercent: near.length / starts.length, alternatives };
}

/** Above this many rows, starts are refined on a sample first: it finds the basin, all rows then settle it. */
const SAMPLE_ABOVE = 1500,
  SAMPLE = 600;

export function manyStarts(model: Model, seen: Observed, loss: Loss, count: number, seed: number): ManyStarts {
  const stream = random(seedOf(seed, `starts ${model.law} ${model.variant ?? ""}`));
  if (seen.m <= SAMPLE_ABOVE)
    return fitFromMany(model, seen, loss, startingPoints(model, seen, loss.link, count, stream));
  const weight = new Float64Array(seen.m);
  for (let i = 0; i < SAMPLE; i++) weight[stream.below(seen.m)] += 1;
  const some = sample(seen, model.axes.length, weight);
  const rough = startingPoints(model, some, loss.link, count, stream);
  // A model bound to its rows (a control) cannot be sampled: it takes the starts as they are, and fewer of them.
  const bound = model.parameters.some((p) => p.role === "control");
  const first = bound ? null : fitFromMany(model, some, loss, rough, ROUGH);
  const settled = fitFromMany(model, seen, loss, first ? [first.theta, ...first.alternatives] : rough.slice(0, 8));
  return {
    ...settled,
    count: first?.count ?? settled.count,
    withinOnePercent: first?.withinOnePercent ?? settled.withinOnePercent,
  };
}

function sample(seen: Observed, axes: number, weight: Float64Array): Observed {
  const rows = Array.from(weight.keys()).filter((i) => weight[i] > 0),
    m = rows.length;
  const u = new Float64Array(axes * m);
  for (let a = 0; a < axes; a++) rows.forEach((i, j) => (u[a * m + j] = seen.u[a * seen.m + i]));
  return { m, u, y: Float64Array.from(rows, (i) => seen.y[i]), n: Float64Array.from(rows, (i) => seen.n[i]) };
}
