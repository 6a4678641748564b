import type { Estimate } from "../estimate";
import { thin } from "../numerics/quantiles";
import { normalCdf, quantile } from "../numerics/special";
import { discrepancyBetween } from "../laws/predictive";
import { drawsAt } from "./predict";
import { lawLevels, rawLevels } from "./problem/prepare";
import type { Prepared } from "./problem/prepare";
import type { Ratios } from "./problem/types";
import { goalOf } from "./solve/compile";
import { solveAt } from "./solve/solve";

/** A gain above this many points is one that a person would not want to miss (verdicts.md). */
const LARGE_POINTS = 3;

/** Draws whose own best split is solved for: convex ones are cheap. */
const OWN_BEST = { convex: 100, local: 32 } as const;

/** The median with the central 95 % of the draws; without draws the point alone, and ends that are NaN. */
export function median(point: number, draws: readonly number[]): Estimate {
  const usable = draws.filter(Number.isFinite);
  if (usable.length === 0) return { estimate: point, low: NaN, high: NaN };
  const [low, estimate, high] = [0.025, 0.5, 0.975].map((probability) => quantile(usable, probability));
  return { estimate, low, high };
}

/**
 * A split that was picked because it looks best looks better than it is: in simulation (docs/maths.md, 200 truths of 8 and 12 runs) gains were
 * 0.3 to 0.7 of their standard deviation less than their median, wherever one starts from. So much of it is taken off before a gain is claimed.
 */
const PICKED = 0.6;

/** What is taken off a gain's draws for having been picked: `PICKED` of their lower spread. 0 without draws. */
export function allowanceFor(draws: readonly number[]): number {
  const usable = draws.filter(Number.isFinite);
  if (usable.length === 0) return 0;
  return (PICKED * Math.max(0, quantile(usable, 0.5) - quantile(usable, 0.05))) / 1.645;
}

/** Share of the draws in which a gain is above 0, or above an allowance. */
export function probabilityOf(draws: readonly number[], allowance = 0): number | null {
  const usable = draws.filter(Number.isFinite);
  return usable.length === 0 ? null : usable.filter((gain) => gain > allowance).length / usable.length;
}

/**
 * Of what laws may miss, the part that P(G* > 3) counts: it moves a draw's own best gain down as often as up, and here only up counts. In full,
 * P was four times what simulation found (240 budgets near the optimum, 8 and 12 runs).
 */
const MISSED = 0.5;

/**
 * P(G* > 3): share of the draws whose own best split at this cost gains more than `LARGE_POINTS` over the present one (of a loss:
 * that many percent of it), the allowance for having been picked taken off: of all splits, a draw's own best is picked the most.
 * Null without draws or where no axis may move.
 * @param points what one unit of error is in points
 * @param allowance `allowanceFor` the gain of the recommended split, in points
 */
export function largeGains(
  prepared: Prepared,
  budget: number,
  ratios: Ratios,
  from: Float64Array,
  points: number,
  allowance: number,
): number | null {
  const all = drawsAt(prepared, ratios);
  if (all.length === 0 || prepared.free.length === 0) return null;
  const now = lawLevels(prepared, prepared.base, prepared.ratios);
  const present = drawsAt(prepared, prepared.ratios);
  const convex = thin(all, OWN_BEST.local).every((draw) => goalOf(draw).posynomial !== null);
  const indices = thin(
    all.map((_, b) => b),
    convex ? OWN_BEST.convex : OWN_BEST.local,
  );
  const success = prepared.problem.law.response === "success";
  let large = 0;
  let counted = 0;
  for (const b of indices) {
    const own = solveAt(prepared, goalOf(all[b]), { kind: "budget", budget }, ratios, from);
    if (!own.ok) continue;
    const error = present[b].error(now);
    const there = lawLevels(prepared, rawLevels(prepared, own.value.z, ratios), ratios);
    const gain = points * (error - all[b].error(there)) - allowance;
    const beyond = gain - (success ? LARGE_POINTS : (LARGE_POINTS / 100) * error);
    const off = MISSED * points * discrepancyBetween(prepared.problem.law, now, there);
    counted++;
    large += off > 0 ? normalCdf(beyond / off) : beyond > 0 ? 1 : 0;
  }
  return counted === 0 ? null : large / counted;
}
