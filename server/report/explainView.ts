import { axisWord } from "../core/axes";
import { isAllocated, isPredicted, type ExperimentAssessment, type FitState } from "../assessment/types";
import { recommendedSplit } from "../assessment/edits/target";
import { isClaimed } from "../assessment/verdict";
import { capitalised, spend } from "../core/numbers";
import { Commands, type ExplainView } from "../protocol";
import { count } from "./numbers";
import { costLine } from "./costLine";
import { explanationDetails } from "./experiment";
import { changeTitle, priorDirection, verdictLine } from "./headline";
import { percentInterval, percentWithInterval } from "./numbers";
import { whatIf } from "./whatIf";
import { say } from "./words";

/** Explain's first screen for one experiment: verdict, one chart, the split, and what can be done. */
export function explainView(uri: string, file: string, experiment: ExperimentAssessment, fit: FitState): ExplainView {
  const { budget, prediction, allocation, verdict, law } = experiment;
  const args = [uri, budget.name] as const;
  const view = isAllocated(allocation) ? allocation : null;
  const claimed = view !== null && isClaimed(verdict);
  const written = claimed && view.edits.length > 0;
  const after = view ? (view.alone?.change.second ?? recommendedSplit(view.result)) : null;
  const known = isPredicted(prediction)
    ? `${percentWithInterval(prediction.successRate)} success ${percentInterval(prediction.successRate)} expected`
    : `No success rate can be given: ${prediction.reason}`;
  const spent = view ? ` at ${spend(view.result.current.cost, view.result.unit)}` : "";
  return {
    experiment: budget.name,
    name: budget.name === "" ? file : budget.name,
    verdict:
      fit.kind !== "ready"
        ? `No scaling fit: ${fit.reason}`
        : view
          ? capitalised(verdictLine(experiment))
          : `No best split: ${allocationReason(experiment)}`,
    success: `${known}${isPredicted(prediction) ? `${spent} (95 % interval)` : ""}.`.replace(/\.\.$/, "."),
    doubts: [
      ...(fit.kind === "ready" && fit.fit.simulated
        ? ["The fit rests on simulated runs: these figures say nothing about real training."]
        : []),
      ...(fit.kind === "ready" && fit.fit.prior
        ? ["Every exponent is a published or inferred value, calibrated by one run of yours."]
        : []),
      ...[priorDirection(experiment)].filter((text) => text !== ""),
    ],
    cost: costLine(experiment),
    actions: [
      ...(written ? [{ label: say("lens.optimise"), command: Commands.optimise, args }] : []),
      ...(verdict.kind === "not-known" && view
        ? [{ label: say("lens.plan"), command: Commands.planNextRuns, args }]
        : []),
      ...(fit.kind !== "ready"
        ? [
            { label: say("lens.fit"), command: Commands.fitLogs, args: [uri] },
            { label: say("lens.calibrate"), command: Commands.calibrate, args },
          ]
        : []),
    ],
    change:
      written && view && after
        ? changeTitle(view.result.current, after, view.result.unit, law?.law.response ?? "success")
        : "",
    byHand:
      claimed && view
        ? view.remainder.map(
            ({ axis, from, to, reason }) =>
              `${axisWord(axis)} ${from === null ? "" : `${count(from)} `}→ ${count(to)}: ${reason}`,
          )
        : [],
    whatIf: fit.kind === "ready" ? whatIf(experiment) : null,
    details: explanationDetails(experiment),
  };
}

function allocationReason({ allocation }: ExperimentAssessment): string {
  return isAllocated(allocation) ? "" : allocation.reason;
}
