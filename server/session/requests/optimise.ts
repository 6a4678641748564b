import { isProposed } from "../../assessment/verdict";
import { changeTitle, verdictLine } from "../../report/headline";
import { capitalised } from "../../core/numbers";
import { aloneGain } from "../../assessment/partial";
import { assessDocument } from "../../assessment/assess";
import { computeMode } from "../../operations/amount";
import { isAllocated, type AllocationView, type ExperimentAssessment } from "../../assessment/types";
import { recommendedSplit } from "../../assessment/edits/target";
import type { PlannedEdit } from "../../budget/budget";
import type { Mode, Split } from "../../core/allocation";
import { count, decimal, pointsInterval, signedPoints } from "../../report/numbers";
import { allocationEdit, plainEdit } from "../../features/edits";
import type { DocumentModel } from "../../features/model";
import { basis } from "../../report/asked";
import { say } from "../../report/words";
import { Requests, type OptimiseParams, type OptimiseReply } from "../../protocol";
import { isKnownAxis } from "../../core/axes";
import type { FolderView } from "../folders";
import { handler } from "./types";

export const optimise = handler<OptimiseParams, OptimiseReply>(Requests.optimise, async ({ model }, params) => {
  const found = await model(params.uri);
  return found
    ? optimiseDocument(found.model, found.folder, found.settings.recommendation, params)
    : nothing("This document holds no budget that is recognised.");
});

/** Edits for one or all experiments of a document, in the mode asked for. */
export function optimiseDocument(
  model: DocumentModel,
  folder: FolderView,
  recommend: "optimum" | "robust",
  params: OptimiseParams,
): OptimiseReply {
  if (!model.assessment) return nothing("This document holds no budget that is recognised.");
  if (model.experiments.some(({ stale }) => stale))
    return nothing("The document has a syntax error. Correct it first.");
  const asked = params.mode?.kind === "compute" ? computeMode(params.mode.amount) : null;
  if (asked && !asked.ok) return nothing(asked.problem.message);
  const mode: Mode | undefined = asked
    ? asked.value
    : params.mode?.kind === "same-success"
      ? { kind: "same-success" }
      : undefined;
  const assessment = assessDocument(model.assessment.document, model.uri, folder.scaling, folder.fit, {
    mode,
    recommend,
    pins: (params.pins ?? []).filter(isKnownAxis),
    thorough: true,
  });
  const wanted = assessment.experiments.filter(
    ({ budget }) => params.experiment === undefined || budget.name === params.experiment,
  );
  if (wanted.length === 0) return nothing(`There is no experiment called ${params.experiment ?? ""} here.`);
  const edits = unique(wanted.flatMap(({ allocation }) => (isAllocated(allocation) ? allocation.edits : []))).filter(
    (edit) => !params.only || params.only.includes(edit.path),
  );
  const remainder = params.only ? [] : [...new Set(wanted.flatMap(remainderOf))];
  const message = wanted.map((experiment) => outcome(experiment, wanted.length > 1)).join(" ");
  if (edits.length === 0) return { edit: null, message, remainder };
  const single = params.only !== undefined;
  return { edit: single ? plainEdit(model, edits) : allocationEdit(model, edits, titleOf(wanted)), message, remainder };
}

/** What the edits come to, for the head of the preview; of several experiments, how many. */
function titleOf(experiments: readonly ExperimentAssessment[]): string | undefined {
  const titles = experiments.flatMap(({ allocation, law }) =>
    isAllocated(allocation) && allocation.edits.length > 0
      ? [
          changeTitle(
            allocation.result.current,
            allocation.alone?.change.second ?? recommendedSplit(allocation.result),
            allocation.result.unit,
            law?.law.response ?? "success",
          ),
        ]
      : [],
  );
  return titles.length === 1
    ? titles[0]
    : titles.length > 1
      ? `${titles.length} experiments: ${titles[0]}, …`
      : undefined;
}

function nothing(message: string): OptimiseReply {
  return { edit: null, message, remainder: [] };
}

/** Experiments may share a value (keys above a list): the first change of it stands. */
function unique(edits: readonly PlannedEdit[]): PlannedEdit[] {
  const kept: PlannedEdit[] = [];
  for (const edit of edits)
    if (!kept.some(({ span }) => span.start < edit.span.end && edit.span.start < span.end)) kept.push(edit);
  return kept;
}

function remainderOf({ allocation }: ExperimentAssessment): string[] {
  if (!isAllocated(allocation)) return [];
  return allocation.remainder.map(
    ({ axis, from, to, reason }) => `${axis} ${from === null ? "" : `${count(from)} `}→ ${count(to)}: ${reason}`,
  );
}

/** What the optimisation comes to, short enough for a status bar. */
function outcome(experiment: ExperimentAssessment, named: boolean): string {
  const { budget, allocation, verdict } = experiment;
  const name = named && budget.name !== "" ? `${budget.name}: ` : "";
  if (!isAllocated(allocation)) return `${name}${say("told.none", allocation.reason.replace(/\.$/, ""))}`;
  const { change, wastedShare, mode } = allocation.result;
  if (!isProposed(verdict, allocation.result))
    return `${name}${say("told.verdict", capitalised(verdictLine(experiment)))}`;
  if (allocation.alone) return `${name}${partly(allocation)}`;
  if (mode === "same-success") return `${name}${say("told.cheaper", decimal(100 * wastedShare.estimate, 0))}`;
  return `${name}${say("told.gain", signedPoints(change.estimate), pointsInterval(change), basis(allocation.result))}`;
}

function partly(allocation: AllocationView): string {
  const { result, edits, alone } = allocation;
  const spend = ({ cost }: Split) => `${count(cost)} ${result.unit}`;
  const cheaper = result.mode === "same-success";
  const whole = cheaper ? spend(recommendedSplit(result)) : `${signedPoints(result.change.estimate)} points`;
  if (edits.length === 0 || !alone) return say("told.alone.nothing", whole);
  return say(
    "told.alone",
    cheaper ? spend(alone.change.second) : `${signedPoints(aloneGain(allocation)?.estimate ?? 0)} points`,
    whole,
  );
}
