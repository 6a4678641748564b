import { recommendedSplit } from "../assessment/edits/target";
import { isPredicted, type AllocationView, type ExperimentAssessment } from "../assessment/types";
import { proposalOf } from "../assessment/verdict";
import type { Split } from "../core/allocation";
import type { Estimate } from "../core/estimate";
import { spendShare } from "./facts";
import { priorDirection, verdictLine } from "./headline";
import { count, decimal, percentInterval, percentWithInterval } from "./numbers";
import { ownedHint } from "./owned";
import { axisTitle, escape, table } from "./print/markdown";

/** A section of a document. */
export function section(title: string, body: string): string {
  return `## ${title}\n\n${body}`;
}

/** In a table: a percent that never breaks before its sign. */
function percent(value: number): string {
  return `${decimal(100 * value, 1)}\u00a0%`;
}

export function share(value: Estimate): string {
  return `${percentWithInterval(value)} ${percentInterval(value)}`.trim();
}

/** Narrow enough for a preview beside the config: amounts with what they come to, then where the cost goes. */
export function splitSection(experiment: ExperimentAssessment, view: AllocationView): string {
  const { result, edits, alone: written } = view;
  const proposed = proposalOf(experiment) !== null;
  // Without edits, the file alone is what it is now.
  const alone = edits.length > 0 ? written : null;
  const best = recommendedSplit(result);
  const splits = [result.current, ...(proposed ? [best] : []), ...(alone ? [alone.change.second] : [])];
  const head = ["", "now", ...(proposed ? ["best split"] : []), ...(alone ? ["this file alone"] : [])];
  const axes = [...new Set(splits.flatMap(({ levels }) => Object.keys(levels)))];
  const row = (title: string, cell: (split: Split) => string | undefined) => [
    title,
    ...splits.map((split) => cell(split) ?? "—"),
  ];
  const amount = (level: number | undefined) => (level === undefined ? undefined : count(level));
  const spent = (split: Split, axis: string) => {
    const value = spendShare(split.parts, axis);
    return value === undefined ? undefined : percent(value);
  };
  const amounts = [
    ...axes.map((axis) => row(axisTitle(axis), ({ levels }) => amount(levels[axis]))),
    row("**Success**", (split) =>
      split === result.current && !isPredicted(experiment.prediction) ? "unknown" : share(split.predicted),
    ),
    row(`**Cost, ${result.unit}**`, ({ cost }) => count(cost)),
  ];
  const shares = axes
    .filter((axis) => splits.some((split) => spent(split, axis) !== undefined))
    .map((axis) => row(axisTitle(axis), (split) => spent(split, axis)));
  const held = result.pinned
    .filter((pin) => axes.includes(pin.axis))
    .map((pin) => `- ${axisTitle(pin.axis)} are held: ${escape(pin.reason)}${/[.!?]$/.test(pin.reason) ? "" : "."}`);
  const parts = [
    table(head, amounts),
    held.join("\n"),
    alone ? "*This file alone* is what its edits come to by themselves: what it cannot say stays as it is." : "",
    proposed ? robustSentence(result) : whyNone(experiment),
    proposed ? ownedHint(view) : "",
    shares.length === 0 ? "" : `Where the cost goes:\n\n${table(head, shares)}`,
    "For charts of this split, run the command **Scaling Lens: Show allocation charts** from the config.",
  ];
  return section("The split", parts.filter((part) => part !== "").join("\n\n"));
}

/** What stands in place of an optimum that is not claimed. */
function whyNone(experiment: ExperimentAssessment): string {
  const { verdict } = experiment;
  if (verdict.kind === "no-better-split") return "No other split is proposed: none is known to be better.";
  const prior = priorDirection(experiment);
  return `No split is proposed: ${escape(verdictLine(experiment))}. ${prior === "" ? "" : `${escape(prior)} `}The command **Scaling Lens: Plan next runs** lists runs that would show it.`;
}

/** Which of the two splits is recommended, and the other where it differs. */
function robustSentence({ robust, optimum, recommended }: AllocationView["result"]): string {
  const followed =
    recommended === "robust"
      ? "Recommended: the split with the largest mean success over the draws."
      : "Recommended: the best split of the fitted law.";
  if (!robust) return followed;
  const [name, other, own] =
    recommended === "robust"
      ? ["The best split of the fitted law alone", optimum, robust]
      : ["The split with the largest mean success over the draws", robust, optimum];
  const differing = Object.entries(other.levels).filter(
    ([axis, level]) => level !== undefined && count(level) !== count(own.levels[axis] ?? NaN),
  );
  return `${followed} ${name} ${differing.length === 0 ? "is the same." : `differs: ${differing.map(([axis, level]) => `${escape(axis)} ${count(level ?? NaN)}`).join(", ")}.`}`;
}
