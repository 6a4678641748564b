import type { CodeAction } from "vscode-languageserver-types";
import { scalingChanges } from "../assessment";
import type { ActionData } from "../features/codeActions";
import { plainEdit } from "../features/edits";
import { editOf } from "../features/fields";
import { sitesOf, type DocumentModel } from "../features/model";
import type { Settings } from "../protocol";
import type { FolderView } from "./folders";
import { optimiseDocument } from "./requests/optimise";
import { scalingEdit } from "./scalingEdit";
import type { Session } from "./session";

/** Makes the edit of an action that was chosen. An action of another version stays without one: nothing is then changed. */
export async function resolveAction(session: Session, model: DocumentModel, settings: Settings, folder: FolderView, action: CodeAction): Promise<CodeAction> {
  const data = action.data as ActionData;
  if (data.version !== model.version) return action;
  const { experiment } = data;
  switch (data.kind) {
    case "optimise":
    case "same-success": {
      const mode = data.kind === "optimise" ? undefined : { kind: "same-success" } as const;
      const { edit } = optimiseDocument(model, folder, settings.recommendation, { uri: model.uri, experiment, ...(mode && { mode }) });
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
      const text = project.scaling?.text ?? null;
      const change = data.kind === "fact" ? { kind: "fact", axis: data.axis, file: relative(project.folderUri, model.uri) } as const : { kind: data.kind, axis: data.axis };
      const edit = scalingEdit(project.scalingUri, text, scalingChanges(text ?? "", change));
      return edit ? { ...action, edit } : action;
    }
    case "group-size":
      return action;
  }
}

function relative(folderUri: string, uri: string): string {
  const path = uri.startsWith(`${folderUri}/`) ? uri.slice(folderUri.length + 1) : uri.slice(uri.lastIndexOf("/") + 1);
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
