import { axisWord } from "../core/axes";
import { isAllocated, isPredicted, type AllocationView, type ExperimentAssessment } from "../assessment/types";
import { aloneGain } from "../assessment/partial";
import { isAsked, isBlocked, isClaimed, VERDICT } from "../assessment/verdict";
import { type Verdict } from "../assessment/verdictTypes";
import { askedLine } from "./asked";
import { say } from "./words";
import { safe } from "./print/terminal";
import { intervalText } from "./terminalNumbers";
import { decimal, signedPoints } from "./numbers";
import type { Split } from "../core/allocation";
import { list, spend } from "../core/numbers";

/** What gains and distances are counted in. */
type GainUnit = "points" | "loss";

/** A verdict in a few words; every surface prints these. */
function verdictWords(verdict: Verdict, unit: GainUnit = "points"): string {
  const { kind, gain, reasons } = verdict;
  switch (kind) {
    case "better-split":
      return say("verdict.better", amount(gain?.estimate ?? NaN, unit));
    case "likely-better":
      return say("verdict.likely", signed(gain?.estimate ?? NaN, unit), interval(verdict, unit)).replace(/ {2,}/g, " ");
    case "no-better-split":
      return say("verdict.none");
    case "not-known":
      return unsure(verdict) && gain
        ? say("verdict.uncertain", signed(gain.low, unit), `${signed(gain.high, unit)}${unitWord(unit)}`)
        : say("verdict.notKnown", reasons.map(({ message }) => message).join("; "));
  }
}

/** What published exponents alone suggest of axes that never varied: a direction, no claim. Empty where there is none. */
export function priorDirection({ allocation, law, verdict }: ExperimentAssessment): string {
  if (!isAllocated(allocation) || verdict.kind !== "not-known" || !law) return "";
  const { current, best } = allocation.result;
  const moves = law.unvaried.flatMap((axis) => {
    const ratio = (best.levels[axis] ?? NaN) / (current.levels[axis] ?? NaN);
    return Math.abs(Math.log(ratio)) > Math.log(VERDICT.moved)
      ? [`${ratio > 1 ? "more" : "fewer"} ${axisWord(axis)}`]
      : [];
  });
  return moves.length === 0 ? "" : `Published values suggest ${list(moves)}; your runs can't confirm it.`;
}

/** The same for an experiment, in its own unit. Where another budget is asked for, of the present cost by name. */
export function verdictLine({
  verdict,
  law,
  allocation,
}: Pick<ExperimentAssessment, "verdict" | "law" | "allocation">): string {
  const words = verdictWords(verdict, law?.law.response === "loss" ? "loss" : "points");
  return isAllocated(allocation) && isAsked(allocation.result) && !isBlocked(verdict)
    ? say("verdict.atPresent", words.replace(/ at (?:the same|this) cost$/, ""))
    : words;
}

/** True where only the width of the gain keeps the verdict open. */
function unsure({ reasons }: Verdict): boolean {
  return reasons.length === 1 && reasons[0].code === "verdict.uncertain";
}

function amount(value: number, unit: GainUnit): string {
  return unit === "points" ? `${decimal(value, 1)} points` : `${value.toPrecision(2)} of loss`;
}

function signed(value: number, unit: GainUnit): string {
  return unit === "points" ? signedPoints(value) : `${value > 0 ? "+" : ""}${value.toPrecision(2)}`;
}

function unitWord(unit: GainUnit): string {
  return unit === "points" ? " points" : " of loss";
}

function interval({ gain }: Verdict, unit: GainUnit): string {
  if (!gain || !Number.isFinite(gain.low) || !Number.isFinite(gain.high)) return "";
  const end = (value: number) =>
    unit === "points" ? decimal(value, Math.abs(value) >= 10 ? 0 : 1) : value.toPrecision(2);
  return `[${end(gain.low)}, ${end(gain.high)}]`;
}

/** `this file alone: +1.2 points`, where a file cannot hold the whole of a better split. */
export function ownGain(allocation: AllocationView, verdict: Verdict): string {
  const gain = isClaimed(verdict) && !isAsked(allocation.result) ? aloneGain(allocation) : null;
  if (gain === null) return "";
  return allocation.edits.length === 0 ? say("lens.alone.nothing") : say("lens.alone", signedPoints(gain.estimate));
}

/** `42 → 54 % at the same $893`: what a change of the split comes to. `after` is the split that is written. */
export function changeTitle(before: Split, after: Split, unit: string, response: "success" | "loss"): string {
  const rate = (value: number) => (response === "loss" ? value.toPrecision(3) : decimal(100 * value, 0));
  const [from, to] = [rate(before.predicted.estimate), rate(after.predicted.estimate)];
  const sign = response === "loss" ? " of loss" : " %";
  const same = Math.abs(after.cost - before.cost) <= 0.02 * before.cost;
  const paid = same
    ? `at the same ${spend(before.cost, unit)}`
    : `at ${spend(after.cost, unit)} instead of ${spend(before.cost, unit)}`;
  return `${from === to ? from : `${from} → ${to}`}${sign} ${paid}`;
}

/** The lens's line, for a terminal. */
export function headline(experiment: ExperimentAssessment): string {
  const { prediction, allocation, verdict } = experiment;
  const success = isPredicted(prediction)
    ? `${intervalText(prediction.successRate)} success`
    : `no success rate: ${safe(prediction.reason)}`;
  if (!isAllocated(allocation))
    return isPredicted(prediction) ? `${success} · no best split: ${safe(allocation.reason)}` : success;
  return [success, askedLine(experiment, intervalText), safe(verdictLine(experiment)), ownGain(allocation, verdict)]
    .filter((part) => part !== "")
    .join(" · ");
}
