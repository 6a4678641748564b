import type { VerdictReason, Verdict } from "./verdictTypes";
import { percent, list, count, decimal } from "../core/numbers";
import { shortAxis, type AxisName } from "../core/axes";
import type { Estimate } from "../core/estimate";
import type { FittedLaw } from "../core/laws/law";
import type { Allocation } from "../core/allocation";
import type { Unknown } from "../budget/budget";
import { isAllocated, type AllocationView, type LawInForce } from "./types";

/** Thresholds of the table in docs/allocation.md, chosen by the study of verdicts (docs/maths.md). */
export const VERDICT = {
  better: 0.95,
  /** Where the recommendation lies beyond the trust region. */
  betterBeyond: 0.975,
  likely: 0.7,
  /** Points of the median; of a loss, per cent of it. */
  least: 1,
  /** P(G* > 3) up to which no better split is said. */
  none: 0.1,
  /** How far beyond the runs, per axis, success is predicted and splits are trusted. */
  trust: 3,
  /** An axis moves where it changes by more than this factor. */
  moved: 1.1,
  /** Runs below which nothing is claimed of a split. */
  leastRuns: 4,
} as const;

/** Whether a better split is claimed, surely or likely: only then are values proposed. */
export function isClaimed({ kind }: Verdict): boolean {
  return kind === "better-split" || kind === "likely-better";
}

/**
 * Whether values may be proposed. At equal cost only where a better split is claimed. Another budget or success was asked for by name:
 * then as long as nothing forbids to speak; the width of the gain alone does not.
 */
export function isProposed(
  verdict: Verdict,
  result: Pick<Allocation, "mode" | "constraints" | "best" | "response">,
): boolean {
  return isAsked(result) ? !isBlocked(verdict) && hasRate(result) : isClaimed(verdict);
}

/** False where the law gives even the best split no success: then no split of what is asked for is better than another. */
export function hasRate({ best, response }: Pick<Allocation, "best" | "response">): boolean {
  return response === "loss" || (!best.outOfRange && best.predicted.estimate > 0);
}

/** True where the answer is to another question than the best split at the present cost: also where that breaks a limit. */
export function isAsked({ mode, constraints }: Pick<Allocation, "mode" | "constraints">): boolean {
  return mode !== "same-compute" || constraints.some(({ now, amount }) => now > amount * (1 + 1e-6));
}

/** The optimum, where it may be shown as a proposal. */
export function proposalOf({
  allocation,
  verdict,
}: {
  readonly allocation: AllocationView | Unknown;
  readonly verdict: Verdict;
}): AllocationView | null {
  return isAllocated(allocation) && isProposed(verdict, allocation.result) ? allocation : null;
}

/** Not known for a reason that no draw can outweigh: an axis that never varied, other runs, out of range, too few. */
export function isBlocked({ kind, reasons }: Verdict): boolean {
  return kind === "not-known" && reasons.some(({ code }) => code !== "verdict.uncertain");
}

/** What a verdict rests on. */
export interface Evidence {
  readonly law: LawInForce | null;
  readonly allocation: Pick<AllocationView, "result"> | Unknown;
  /** Why no fit holds, where none does. */
  readonly noFit: string | null;
  /** Axes that take part by their prior: they never varied in the runs. */
  readonly unvaried: readonly AxisName[];
  /** How far beyond the runs the present split lies, by axis; 1 inside. */
  readonly beyond: Readonly<Record<string, number>>;
  /** The present split, as the law takes it. */
  readonly levels?: Readonly<Record<string, number>>;
}

/** The verdict by the rules in their order: what is not known comes first. */
export function verdictOf(evidence: Evidence): Verdict {
  const { law, allocation, noFit } = evidence;
  if (noFit !== null || !law) return unknownVerdict([{ code: "verdict.no-fit", message: noFit ?? "no law holds" }]);
  const reasons = blockers(evidence, law);
  if (!isAllocated(allocation)) {
    const own = reasons.some(({ code }) => code !== "verdict.few-runs");
    return unknownVerdict(
      own ? reasons : [...reasons, { code: "verdict.no-optimum", message: sentence(allocation.reason) }],
    );
  }
  const { result } = allocation;
  const { regret } = result;
  const gain: Estimate = { estimate: regret.estimate, low: regret.low, high: regret.high };
  if (reasons.length > 0) return { kind: "not-known", probability: null, gain, reasons };
  const { probability, large } = regret;
  if (probability === null)
    return unknownVerdict([
      { code: "verdict.no-draws", message: "the fit has no draws, so nothing is known of its error" },
    ]);
  const median = inPoints(result, regret.estimate - regret.allowance);
  const sure = isTrusted(result) ? VERDICT.better : VERDICT.betterBeyond;
  if (probability >= sure && median >= VERDICT.least) return { kind: "better-split", probability, gain, reasons: [] };
  if (probability >= VERDICT.likely && median >= VERDICT.least)
    return { kind: "likely-better", probability, gain, reasons: [] };
  if (large !== null && large <= VERDICT.none) return { kind: "no-better-split", probability, gain, reasons: [] };
  return {
    kind: "not-known",
    probability,
    gain,
    reasons: [{ code: "verdict.uncertain", message: `the gain could be anything from ${range(gain, result)}` }],
  };
}

function unknownVerdict(reasons: readonly VerdictReason[]): Verdict {
  return { kind: "not-known", probability: null, gain: null, reasons };
}

/** What forbids to speak, whatever the draws say. */
function blockers({ allocation, unvaried, beyond, levels }: Evidence, law: LawInForce): VerdictReason[] {
  const reasons: VerdictReason[] = [];
  const moved = isAllocated(allocation) ? unvaried.filter((axis) => moves(allocation.result, axis)) : [];
  if (law.fit.prior)
    reasons.push({
      code: "verdict.few-runs",
      message: "one run sets the level, and every exponent is a published value",
    });
  else if (law.fit.runs < VERDICT.leastRuns)
    reasons.push({
      code: "verdict.few-runs",
      message: law.fit.runs === 1 ? "only 1 run is fitted" : `only ${law.fit.runs} runs are fitted`,
    });
  if (moved.length > 0 && !law.fit.prior)
    reasons.push({ code: "verdict.never-varied", message: `${named(moved)} never varied in your runs` });
  if (law.borrowed)
    reasons.push({
      code: "verdict.other-setting",
      message: `no run of this setting is fitted; the law is that of ${law.setting}`,
    });
  const far = tooFar(beyond, levels, law.law.ranges);
  if (far !== null) reasons.push({ code: "verdict.out-of-range", message: far });
  return reasons;
}

/** Why a success rate is not shown beyond the trust region. */
export const TOO_FAR = "too far from your runs to predict";

/** `too far from your runs to predict (tasks 12× beyond)`, or `below` where the levels are smaller than the runs'; null within the trust region. */
export function tooFar(
  beyond: Readonly<Partial<Record<string, number>>>,
  levels: Readonly<Partial<Record<string, number>>> = {},
  ranges: FittedLaw["ranges"] = {},
): string | null {
  const axes = Object.entries(beyond).flatMap(([axis, factor]) =>
    factor !== undefined && factor > VERDICT.trust * (1 + 1e-9) ? [[axis, factor] as const] : [],
  );
  return axes.length === 0
    ? null
    : `${TOO_FAR} (${list(axes.map(([axis, factor]) => `${shortAxis(axis)} ${times(factor)}× ${side(levels[axis], ranges[axis])}`))})`;
}

/** On which side of the fitted runs a level outside them is. */
export function side(level: number | undefined, range: { readonly min: number } | undefined): "below" | "beyond" {
  return range !== undefined && level !== undefined && level < range.min ? "below" : "beyond";
}

function times(factor: number): string {
  return factor < 10 ? decimal(factor, 1) : count(Math.round(factor));
}

function moves({ current, best }: Allocation, axis: AxisName): boolean {
  const ratio = (best.levels[axis] ?? NaN) / (current.levels[axis] ?? NaN);
  return Math.abs(Math.log(ratio)) > Math.log(VERDICT.moved);
}

function isTrusted({ best }: Allocation): boolean {
  return Object.values(best.extrapolation).every((factor) => (factor ?? 1) <= VERDICT.trust * (1 + 1e-6));
}

/** Of a loss, per cent of the present one. */
function inPoints({ response, current }: Allocation, gain: number): number {
  return response === "success" ? gain : (100 * gain) / current.predicted.estimate;
}

function range({ low, high }: Estimate, { response }: Allocation): string {
  const show = (value: number) =>
    `${value < 0 ? "−" : "+"}${response === "success" ? decimal(Math.abs(value), 1) : percent(Math.abs(value))}`;
  return `${show(low)} to ${show(high)}${response === "success" ? " points" : ""}`;
}

function named(axes: readonly AxisName[]): string {
  return list(axes.map(shortAxis));
}

function sentence(text: string): string {
  return text.replace(/\s+/g, " ").replace(/\.$/, "");
}
