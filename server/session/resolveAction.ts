import type { CodeAction } from "vscode-languageserver-types";
import { isAllocated } from "../assessment/types";
import { recommendedSplit } from "../assessment/edits/target";
import { scalingChanges } from "../configs/scaling/scalingEdits";
import { planEdits } from "../configs/wayBack";
import { isKnown, type PlannedEdit } from "../budget/budget";
import type { ActionData } from "../features/codeActions";
import { allocationEdit, plainEdit } from "../features/edits";
import { editOf } from "../features/fields";
import { sitesOf, type DocumentModel } from "../features/model";
import type { Settings } from "../protocol";
import { literalGlob } from "../syntax/pattern/glob";
import { nameOf, pathWithin } from "../syntax/uris";
import type { FolderView } from "./folders";
import { optimiseDocument } from "./requests/optimise";
import { scalingEdit, scalingNow } from "./scalingEdit";
import type { Session } from "./session";

/** Makes the edit of an action that was chosen. An action of another version stays without one: nothing is then changed. */
export async function resolveAction(
  session: Session,
  model: DocumentModel,
  settings: Settings,
  folder: FolderView,
  action: CodeAction,
): Promise<CodeAction> {
  const data = action.data as ActionData;
  if (data.version !== model.version) return action;
  const { experiment } = data;
  switch (data.kind) {
    case "optimise":
    case "same-success": {
      const mode = data.kind === "optimise" ? undefined : ({ kind: "same-success" } as const);
      const { edit } = optimiseDocument(model, folder, settings.recommendation, {
        uri: model.uri,
        experiment,
        ...(mode && { mode }),
      });
      return edit ? { ...action, edit } : action;
    }
    case "set": {
      const shown = model.experiments.find(({ assessment }) => assessment.budget.name === experiment);
      const site = shown && sitesOf(shown).find((one) => one.path === data.path && one.valueSpan.start === data.start);
      const planned = shown && site && editOf(shown.assessment, site);
      return planned ? { ...action, edit: plainEdit(model, [planned]) } : action;
    }
    case "pin":
    case "unpin":
    case "fact": {
      const project = await session.projectOf(model.uri);
      const now = await scalingNow(session, project.scalingUri);
      const change =
        data.kind === "fact"
          ? ({
              kind: "fact",
              axis: data.axis,
              file: literalGlob(pathWithin(project.folderUri, model.uri) ?? nameOf(model.uri)),
            } as const)
          : { kind: data.kind, axis: data.axis };
      const edit = scalingEdit(project.scalingUri, now, scalingChanges(now.text ?? "", change));
      return edit ? { ...action, edit } : action;
    }
    case "group-size": {
      const edits = groupSizeEdits(model, experiment);
      return edits.length > 0 ? { ...action, edit: allocationEdit(model, edits) } : action;
    }
  }
}

/** The optimal rollouts per task by the group size alone: n × optimal τ over present τ, at least two, with steps and epochs as they are. */
function groupSizeEdits(model: DocumentModel, name: string): readonly PlannedEdit[] {
  const document = model.assessment?.document;
  const index = model.assessment?.experiments.findIndex(({ budget }) => budget.name === name) ?? -1;
  const experiment = model.assessment?.experiments[index];
  if (!document || !experiment || !isAllocated(experiment.allocation) || !isKnown(experiment.budget.groupSize))
    return [];
  const from = experiment.allocation.result.current.levels.trajectories;
  const to = recommendedSplit(experiment.allocation.result).levels.trajectories;
  if (!from || !to) return [];
  const groupSize = Math.max(2, Math.round((experiment.budget.groupSize.value * to) / from));
  // What the rollouts per task come to with as many steps and epochs as now: both are stated, so that neither moves.
  const trajectories = (from * groupSize) / experiment.budget.groupSize.value;
  return groupSize === experiment.budget.groupSize.value
    ? []
    : planEdits(document, index, { groupSize, trajectories }).edits;
}
