import { bootstrap } from "./bootstrap";
import { scoreOf } from "../explore/choose";
import { problemOf, type Candidate, type Explored } from "../explore/explore";
import type { RivalLaw } from "../file/file";
import { packDraws } from "../../numerics/packed";
import { samplePosterior } from "./posterior";

/** Laws with less weight than this are left out. */
const LEAST_WEIGHT = 0.04;

/**
 * By what the log evidence of few runs is divided before it becomes a weight: it rests on priors that are rough themselves, and at full
 * strength rules out the true law too often, an interaction above all.
 */
const TEMPER = 1.5;

/**
 * Laws that the runs do not rule out, with draws in proportion to their weight (Akaike weights from QAICc; evidence for few
 * runs). Predictions mix them with the chosen law's draws: intervals from one law alone covered 57–90 % of predictions
 * beyond the runs when another law was true. Null when cancelled.
 */
export function rivalsOf(
  explored: Explored,
  chosen: Candidate,
  count: number,
  progress: () => boolean,
): RivalLaw[] | null {
  const { posterior, plan, seen, loss, runs, context, configurations } = explored;
  if (plan.law !== "auto") return [];
  const scored = explored.candidates.flatMap((candidate) => {
    // Families are equally likely beforehand, members of one share its chance.
    const members = explored.candidates.filter((one) => one.base.law === candidate.base.law).length;
    const plain = posterior ? candidate.mode!.evidence : scoreOf(candidate, false);
    const score = plain === null ? null : (plain - Math.log(members)) / (posterior ? TEMPER : 1);
    return score === null || candidate.base.law === "custom" ? [] : [{ candidate, score }];
  });
  const top = Math.max(...scored.map((one) => one.score));
  const total = scored.reduce((sum, one) => sum + Math.exp(one.score - top), 0);
  const out: RivalLaw[] = [];
  for (const { candidate, score } of scored) {
    const weight = Math.exp(score - top) / total;
    if (candidate === chosen || weight < LEAST_WEIGHT) continue;
    const some = Math.max(1, Math.round(weight * count));
    const { model, base, fit } = candidate;
    const draws = posterior
      ? samplePosterior(problemOf(model, seen, runs, plan, context), candidate.mode!, some, plan.seed, progress)?.draws
      : bootstrap(model, seen, loss, configurations, [fit.theta], some, plan.seed, progress);
    if (!draws) return null;
    out.push({
      law: base.law,
      variant: base.variant,
      weight,
      draws: packDraws(
        posterior ? "posterior" : "bootstrap",
        model.parameters.map((one) => one.name),
        draws,
      ),
    });
  }
  return out;
}
