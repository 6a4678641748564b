import { verdictLine, ownGain } from "../report/headline";
import type { CodeLens, Command, Range } from "vscode-languageserver-types";
import { isAllocated, isPredicted, type AllocationView, type RelativeAnswer } from "../assessment/types";
import { isProposed } from "../assessment/verdict";
import { shortAxis } from "../core/axes";
import { Commands } from "../protocol";
import { percentInterval, percentWithInterval, pointsInterval, signedPoints } from "../report/numbers";
import { forecastLine } from "../report/forecast";
import { rangeOf, type DocumentModel, type LiveView, type ShownExperiment, type Token } from "./model";
import { costLine } from "../report/costLine";
import { shorten } from "../report/print/markdown";
import { askedLine } from "../report/asked";
import { say } from "../report/words";

/** One line of lenses above each experiment: what it should reach, how far that is from the best, and what to do. */
export function codeLenses(model: DocumentModel, token: Token, live: LiveView = () => null): CodeLens[] {
  const lenses: CodeLens[] = [];
  for (const experiment of model.experiments) {
    if (token.isCancellationRequested) return [];
    const { anchor, name } = experiment.assessment.budget;
    const start = rangeOf(model.lines, { start: anchor.start, end: anchor.start }).start;
    const range: Range = { start, end: start };
    const run = live(experiment);
    // What is happening now comes first.
    if (run) lenses.push({ range, command: words(forecastLine(run)) });
    for (const command of commandsFor(model, experiment, name)) lenses.push({ range, command });
  }
  return lenses;
}

/** What is not known for want of runs, and what some would tell. */
const TOLD_BY_RUNS: ReadonlySet<string> = new Set([
  "verdict.few-runs",
  "verdict.never-varied",
  "verdict.other-setting",
  "verdict.out-of-range",
  "verdict.uncertain",
]);

/** Characters of a reason, so that the links behind it stay in sight in a window of 1,280 pixels. */
const MOST_REASON = 90;

function words(title: string): Command {
  return { title, command: "" };
}

function commandsFor(model: DocumentModel, experiment: ShownExperiment, name: string): Command[] {
  const { fit } = model;
  const { prediction, allocation, relative, verdict } = experiment.assessment;
  const plan: Command[] =
    verdict.kind === "not-known" &&
    (isAllocated(allocation) || verdict.reasons.some(({ code }) => TOLD_BY_RUNS.has(code)))
      ? [{ title: say("lens.plan"), command: Commands.planNextRuns, arguments: [model.uri, name] }]
      : [];
  const explain: Command = { title: say("lens.explain"), command: Commands.explain, arguments: [model.uri, name] };
  if (fit.kind === "pending") return [words(say("lens.pending"))];
  if (fit.kind === "failed") {
    return [
      words(say("lens.failed", shorten(fit.reason.replace(/\s+/g, " "), 80))),
      { title: say("lens.log"), command: Commands.showLog },
      { title: say("lens.fit"), command: Commands.fitLogs, arguments: [model.uri] },
    ];
  }
  if (fit.kind === "none") {
    const cost = costLine(experiment.assessment);
    return [
      words(cost === "" ? say("lens.noFit") : `${cost} · ${say("lens.noFit.after")}`),
      { title: say("lens.fit"), command: Commands.fitLogs, arguments: [model.uri] },
      { title: say("lens.calibrate"), command: Commands.calibrate, arguments: [model.uri, name] },
    ];
  }
  // First and short: an editor column may hold some sixty characters, and what figures rest on is not to be cut off.
  const doubts = [
    ...(experiment.stale ? [say("lens.stale")] : []),
    ...(fit.fit.prior ? [say("lens.prior")] : []),
    ...(fit.fit.simulated ? [say("lens.simulated")] : []),
  ];
  const join = (parts: readonly string[]) => parts.filter((part) => part !== "").join(" · ");
  // Its words, and Explain at a click.
  const told = (parts: readonly string[]): Command => ({ ...explain, title: join([...doubts, ...parts]) });
  if (isPredicted(prediction)) {
    const success =
      `${say("lens.success", percentWithInterval(prediction.successRate))} ${percentInterval(prediction.successRate)}`.trim();
    if (!isAllocated(allocation))
      return [
        told([success, say("lens.noOptimum", shorten(allocation.reason.replace(/\s+/g, " ").replace(/\.$/, ""), 80))]),
        explain,
      ];
    return [
      told([
        success,
        askedLine(experiment.assessment),
        verdictLine(experiment.assessment),
        ownGain(allocation, verdict),
      ]),
      ...plan,
      ...(isProposed(verdict, allocation.result) && isWritable(allocation)
        ? [{ title: say("lens.optimise"), command: Commands.optimise, arguments: [model.uri, name] }]
        : []),
      explain,
    ];
  }
  if (relative && relative.doublings.length > 0) return [told([relativeText(relative)]), explain];
  const reason = isAllocated(allocation) ? verdictLine(experiment.assessment) : say("lens.unknown", prediction.reason);
  return [told([shorten(reason.replace(/\s+/g, " "), MOST_REASON)]), ...plan, explain];
}

/** Whether there is anything to write, now: not where only hands can change what is left. */
export function isWritable({ edits, alone }: AllocationView): boolean {
  return edits.length > 0 || alone === null;
}

function relativeText(relative: RelativeAnswer): string {
  return relative.doublings
    .map(({ axis, points }) =>
      `${say("lens.double", shortAxis(axis), signedPoints(points.estimate))} ${pointsInterval(points)}`.trim(),
    )
    .join(" · ");
}
