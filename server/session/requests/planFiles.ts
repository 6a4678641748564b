import type { WorkspaceEdit } from "vscode-languageserver-types";
import { plural, spend } from "../../core/numbers";
import { plannedFiles } from "../../operations/plan";
import { rangeOf } from "../../features/model";
import { Requests, type OptimiseReply, type PlanFilesParams } from "../../protocol";
import { LineIndex } from "../../syntax/text";
import { scalingNow } from "../scalingEdit";
import { handler } from "./types";

const nothing = (message: string): OptimiseReply => ({ edit: null, message, remainder: [] });

/** The best next runs as new files, to be looked at before they are made; nothing is written here. */
export const planFiles = handler<PlanFilesParams, OptimiseReply>(
  Requests.planFiles,
  async ({ model, session }, { uri, experiment, into }) => {
    const found = await model(uri);
    const chosen = (found?.model.assessment?.experiments ?? []).filter(
      ({ budget }) => experiment === undefined || budget.name === experiment,
    );
    if (!found?.model.assessment || chosen.length === 0)
      return nothing("This document holds no budget that is recognised.");
    if (chosen.length > 1) return nothing("Say which experiment: choose “Plan next runs” above it.");
    const project = await session.projectOf(uri);
    const now = await scalingNow(session, project.scalingUri);
    const planned = await plannedFiles(
      session,
      {
        assessment: found.model.assessment,
        folderUri: project.folderUri,
        scaling: project.scaling && { file: project.scaling.file, text: now.text ?? project.scaling.text },
      },
      chosen[0],
      into.replace(/\/$/, ""),
      {},
    );
    if (!planned.ok) return nothing(`No plan: ${planned.problem.message}`);
    const { sequence, files } = planned.value;
    if (files.runs.length === 0) return nothing(sequence.stop ?? "No further run is worth its cost.");
    for (const { uri: file, before } of files.files)
      if (before === null && (await session.host.stat(file)))
        return nothing("There are runs in this folder already: choose another.");
    const told = `${plural(files.runs.length, "run")}, ${spend(sequence.cost, sequence.unit)} in all`;
    return { edit: editOf(uri, files.files, now, told), message: `${told}.`, remainder: [] };
  },
);

/** New files, ticked. The creation of the config itself, which is there, is not listed and opens the preview. */
function editOf(
  config: string,
  files: readonly { readonly uri: string; readonly text: string; readonly before: string | null }[],
  scaling: { readonly text: string | null; readonly version: number | null },
  label: string,
): WorkspaceEdit {
  return {
    changeAnnotations: {
      runs: { label, needsConfirmation: false },
      look: { label, needsConfirmation: true },
    },
    documentChanges: [
      ...files.flatMap(({ uri, text, before }) => {
        const exists = before !== null;
        const old = exists ? (scaling.text ?? "") : "";
        const edit = {
          textDocument: { uri, version: exists ? scaling.version : null },
          edits: [
            { range: rangeOf(new LineIndex(old), { start: 0, end: old.length }), newText: text, annotationId: "runs" },
          ],
        };
        return exists ? [edit] : [{ kind: "create" as const, uri, annotationId: "runs" }, edit];
      }),
      { kind: "create", uri: config, options: { ignoreIfExists: true }, annotationId: "look" },
    ],
  };
}
