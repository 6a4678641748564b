import type { AxisName } from "../../axes";
import { packDraws } from "../../numerics/packed";
import { weightsOf } from "../explore/choose";
import { drawsOf, logSum } from "../explore/parts";
import type { Candidate, Explored } from "../explore/plan";
import type { RivalLaw } from "../file/file";
import { bootstrap } from "./bootstrap";
import { centreOf } from "./centre";

/** Laws with less weight than this are left out, and the others share it. */
const LEAST_WEIGHT = { posterior: 0.005, bootstrap: 0.03 } as const;
/** Fewer draws show nothing of a law. */
const LEAST_DRAWS = 8;

/** Probability, over every law, that an axis has no effect at all; empty where that was not weighed. */
export function noEffectOf(explored: Explored): ReadonlyMap<AxisName, number> {
  const out = new Map<AxisName, number>();
  if (!explored.posterior || explored.identified.axes.length < 2) return out;
  const { law } = explored.plan;
  let total = 0;
  for (const [candidate, weight] of weightsOf(explored)) {
    const { parts } = candidate;
    if (!parts || (law !== "auto" && candidate.base.law !== law)) continue;
    total += weight;
    const all = logSum(parts.map(({ score }) => score));
    for (const axis of candidate.base.axes) {
      const zero = parts.filter(({ without }) => without.includes(axis));
      const share = zero.reduce((sum, { score }) => sum + Math.exp(score - all), 0);
      out.set(axis, (out.get(axis) ?? 0) + weight * share);
    }
  }
  return new Map([...out].map(([axis, share]) => [axis, total > 0 ? Math.min(1, share / total) : 0]));
}

export interface Mixture {
  /** Of the chosen law. */
  readonly weight: number;
  readonly others: readonly RivalLaw[];
}

/**
 * The laws that the runs do not rule out, with draws in proportion to their weight. Predictions mix them with the chosen law's draws:
 * intervals from one law alone covered 57–90 % of predictions beyond the runs when another law was true. Null when cancelled.
 */
export function mixtureOf(
  explored: Explored,
  chosen: Candidate,
  count: number,
  progress: () => boolean,
): Mixture | null {
  const { posterior, plan, seen, loss, configurations } = explored;
  if (plan.law !== "auto") return { weight: 1, others: [] };
  const least = LEAST_WEIGHT[posterior ? "posterior" : "bootstrap"];
  const kept = [...weightsOf(explored)].filter(
    ([candidate, weight]) => candidate === chosen || (weight >= least && (!posterior || candidate.parts !== null)),
  );
  const total = kept.reduce((sum, [, weight]) => sum + weight, 0);
  const others: RivalLaw[] = [];
  let own = kept.length === 0 ? 1 : 0;
  for (const [candidate, share] of kept) {
    const weight = share / total;
    if (candidate === chosen) {
      own = weight;
      continue;
    }
    const some = Math.max(LEAST_DRAWS, Math.round(weight * count));
    const { model, base, fit } = candidate;
    const drawn = posterior ? drawsOf(candidate.parts!, some, plan.seed, progress) : null;
    const draws = posterior
      ? drawn?.draws
      : bootstrap(model, seen, loss, configurations, [fit.theta], some, plan.seed, progress);
    if (!draws) return null;
    others.push({
      law: base.law,
      variant: base.variant,
      weight,
      theta: Array.from((posterior ? centreOf(candidate, draws, seen) : fit.theta).subarray(0, base.parameters.length)),
      draws: packDraws(
        posterior ? "posterior" : "bootstrap",
        model.parameters.map((one) => one.name),
        draws,
      ),
    });
  }
  // A law of one's own may be chosen without a weight beside the others: then it speaks alone.
  return own > 0 ? { weight: own, others } : { weight: 1, others: [] };
}
