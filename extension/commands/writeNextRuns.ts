import * as vscode from "vscode";
import { Requests, type OptimiseReply, type PlanFilesParams } from "../../server/protocol";
import { withProgress } from "../progress";
import { budgetOf, savedOf, tell, textOf, type Command } from "./command";
import { preview } from "./optimise";

/** The best next runs as configs in a new folder beside the config: a preview first, and only what is ticked is made. */
export const writeNextRuns: Command = {
  id: "scalingLens.writeNextRuns",
  title: "Write next runs as configs",
  when: "scalingLens.hasBudget",
  async run({ client }, target, experiment) {
    const uri = await budgetOf(target);
    if (!uri) return false;
    const place = savedOf(uri);
    if (uri.scheme === "untitled" || place.toString() !== uri.toString()) {
      tell(vscode.l10n.t("Runs are written as copies of a config that is a saved file."));
      return false;
    }
    await vscode.workspace.openTextDocument(uri);
    const params: PlanFilesParams = {
      uri: uri.toString(),
      experiment: textOf(experiment),
      into: (await freeFolder(vscode.Uri.joinPath(uri, ".."))).toString(),
    };
    const reply = await withProgress<OptimiseReply>(
      client,
      vscode.l10n.t("Planning the next runs"),
      Requests.planFiles,
      params,
    );
    const edit = reply.edit && (await (await client.get()).protocol2CodeConverter.asWorkspaceEdit(reply.edit));
    const applied = edit ? await preview(edit) : false;
    // What was made as text is on the disk only when it is saved: a run is started from there.
    if (applied && edit)
      for (const [file] of edit.entries()) if (file.toString() !== uri.toString()) await vscode.workspace.save(file);
    if (applied || !edit) tell(reply.message);
    return applied;
  },
};

/** `next`, or the first of `next-2`, `next-3`, … that is not there. */
async function freeFolder(parent: vscode.Uri): Promise<vscode.Uri> {
  for (let i = 1; ; i++) {
    const folder = vscode.Uri.joinPath(parent, i === 1 ? "next" : `next-${i}`);
    try {
      await vscode.workspace.fs.stat(folder);
    } catch {
      return folder;
    }
  }
}
