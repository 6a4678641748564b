import type { Problem } from "../../result";
import { logShare } from "./believe";
import type { Candidate, Explored } from "./plan";
import type { SelectionEntry } from "../file/file";

/** A law whose (Q)AICc is further above the best one's than this is not chosen, whatever its priors say. */
const REFUSED = 10;

/** Of fewer runs, the one or two that are held out say little about a law. */
export const ENOUGH = 20;

/**
 * Power of the evidence in a law's weight: no law is exactly right, so that runs say less of which is nearest than they would of which
 * is right (a fractional posterior; Grünwald and van Ommen 2017). At 1, twelve runs gave true additive laws a weight of a few per cent.
 */
const TEMPERED = 0.7;

export interface Choice {
  /** The chosen candidate per explored setting, in their order. */
  readonly candidates: readonly Candidate[];
  readonly selection: readonly SelectionEntry[];
  readonly warnings: readonly Problem[];
}

function keyOf({ base }: Candidate): string {
  return `${base.law}|${base.variant ?? ""}`;
}

/**
 * ln of a law's weight up to a constant, higher is better: tempered evidence under the priors, or the Akaike weight, times the share of belief
 * beforehand. Null where too few runs tell it.
 */
function scoreOf(candidate: Candidate, { candidates }: Explored): number | null {
  const own =
    candidate.evidence === null
      ? candidate.aicc === null
        ? null
        : -candidate.aicc / 2
      : TEMPERED * candidate.evidence;
  return own === null ? null : own + logShare(candidate, candidates);
}

/** Share of belief by candidate; those sum to 1. */
export function weightsOf(explored: Explored): ReadonlyMap<Candidate, number> {
  const scored = explored.candidates.flatMap((candidate) => {
    const score = scoreOf(candidate, explored);
    return score === null || (candidate.base.law === "custom" && explored.plan.law !== "custom")
      ? []
      : [{ candidate, score }];
  });
  const top = Math.max(...scored.map(({ score }) => score));
  const total = scored.reduce((sum, { score }) => sum + Math.exp(score - top), 0);
  return new Map(scored.map(({ candidate, score }) => [candidate, Math.exp(score - top) / total]));
}

/** Whether another law fits so much better that this one may not be chosen. */
function refusedBy(candidate: Candidate, { candidates }: Explored): boolean {
  const best = Math.min(...candidates.map(({ aicc }) => aicc ?? Infinity));
  return candidate.aicc !== null && candidate.aicc > best + REFUSED;
}

/**
 * One law for all settings, so that their exponents mean the same: the one with the best QAICc (or, for few runs, evidence)
 * summed over the settings that can carry it. A setting that cannot takes its own best.
 */
export function choose(explored: readonly Explored[]): Choice {
  const totals = new Map<string, { score: number; carried: number; refused: number }>();
  for (const one of explored) {
    for (const candidate of one.candidates) {
      const score = scoreOf(candidate, one);
      if (score === null) continue;
      const known = totals.get(keyOf(candidate)) ?? { score: 0, carried: 0, refused: 0 };
      totals.set(keyOf(candidate), {
        score: known.score + score,
        carried: known.carried + 1,
        refused: known.refused + (refusedBy(candidate, one) ? 1 : 0),
      });
    }
  }
  const ranked = [...totals].sort(
    ([, a], [, b]) => b.carried - a.carried || a.refused - b.refused || b.score - a.score,
  );
  const winner = ranked[0]?.[0];
  const candidates = explored.map(
    (one) =>
      one.candidates.find((candidate) => keyOf(candidate) === winner) ??
      one.candidates.reduce((a, b) => ((scoreOf(b, one) ?? -Infinity) > (scoreOf(a, one) ?? -Infinity) ? b : a)),
  );
  const selection = selectionOf(explored);
  return {
    candidates,
    selection,
    warnings: doubts(
      candidates[0],
      selection,
      explored.some((one) => one.posterior),
      explored.some((one) => one.runs.length >= ENOUGH),
    ),
  };
}

/** Largest weight first, then best AICc. Over several settings, AICc adds up and the held-out error is pooled; a law that some setting cannot carry has neither. */
function selectionOf(explored: readonly Explored[]): SelectionEntry[] {
  const byKey = new Map<string, Candidate[]>();
  for (const { candidates } of explored)
    for (const one of candidates) byKey.set(keyOf(one), [...(byKey.get(keyOf(one)) ?? []), one]);
  const weights = explored.map(weightsOf);
  const entries = [...byKey.values()].map((ones): SelectionEntry => {
    const { base, model } = ones[0];
    const weight = weights[0].get(ones[0]);
    const all = ones.length === explored.length;
    const aiccReason = all ? lacking(ones, explored, "aicc") : "not fitted in every setting",
      heldOutReason = all ? lacking(ones, explored, "heldOut") : aiccReason;
    return {
      law: base.law,
      ...(base.variant ? { variant: base.variant } : {}),
      parameters: model.parameters.length,
      ...(weight === undefined ? {} : { weight }),
      aicc: all && ones.every((one) => one.aicc !== null) ? ones.reduce((sum, one) => sum + one.aicc!, 0) : null,
      heldOutRmse:
        all && ones.every((one) => one.heldOutRmse !== null)
          ? Math.sqrt(ones.reduce((sum, one) => sum + one.heldOutRmse! ** 2, 0) / ones.length)
          : null,
      ...(aiccReason ? { aiccReason } : {}),
      ...(heldOutReason ? { heldOutReason } : {}),
    };
  });
  return entries.sort(
    (a, b) =>
      (b.weight ?? -1) - (a.weight ?? -1) || (a.aicc ?? Infinity) - (b.aicc ?? Infinity) || a.parameters - b.parameters,
  );
}

function lacking(
  ones: readonly Candidate[],
  explored: readonly Explored[],
  what: "aicc" | "heldOut",
): string | undefined {
  const one = ones.find(({ missing }) => missing?.[what] !== undefined);
  const where =
    explored.length > 1 ? explored.find(({ candidates }) => one && candidates.includes(one))?.setting : undefined;
  return one?.missing?.[what] && `${where ? `${where}: ` : ""}${one.missing[what]}`;
}

function doubts(
  { base }: Candidate,
  selection: readonly SelectionEntry[],
  posterior: boolean,
  enough: boolean,
): Problem[] {
  const name = (one: { law: string; variant?: string | null }): string =>
    one.variant ? `${one.law} (${one.variant})` : one.law;
  const out: Problem[] = [];
  const judged = selection.filter((one) => one.heldOutRmse !== null);
  const chosen = selection.find((one) => one.law === base.law && (one.variant ?? null) === base.variant);
  const steadiest = judged.reduce<SelectionEntry | null>(
    (a, b) => (a && a.heldOutRmse! <= b.heldOutRmse! ? a : b),
    null,
  );
  if (
    enough &&
    chosen?.heldOutRmse != null &&
    steadiest &&
    steadiest !== chosen &&
    chosen.heldOutRmse > 1.1 * steadiest.heldOutRmse!
  ) {
    out.push({
      code: "selection.disagree",
      message: `The laws' weights and the held-out largest runs disagree: ${name(chosen)} is chosen, but ${name(steadiest)} predicts the held-out runs better (error ${steadiest.heldOutRmse!.toPrecision(2)} against ${chosen.heldOutRmse.toPrecision(2)}).`,
    });
  }
  const first = selection.reduce((a, b) => ((b.aicc ?? Infinity) < (a.aicc ?? Infinity) ? b : a));
  if (posterior && chosen?.aicc != null && first?.aicc != null && chosen.aicc - first.aicc > 4) {
    out.push({
      code: "selection.by-priors",
      message: `The law is chosen by its weight under the priors: ${name(chosen)}, though ${name(first)} has the better AICc.`,
    });
  }
  const rival = selection.find(
    (one) => one.law !== base.law && one.aicc !== null && chosen?.aicc != null && Math.abs(one.aicc - chosen.aicc) < 2,
  );
  if (rival && chosen)
    out.push({
      code: "selection.close",
      message: `${name(rival)} fits about as well as ${name(chosen)} (AICc within 2): predictions far outside the runs depend on which is right.`,
    });
  return out;
}
