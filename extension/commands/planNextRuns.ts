import * as vscode from "vscode";
import { Requests, type DocumentReply } from "../../server/protocol";
import { withProgress } from "../progress";
import { budgetOf, textOf, type Command } from "./command";

export const planNextRuns: Command = {
  id: "scalingLens.planNextRuns",
  title: "Plan next runs",
  when: "workspaceFolderCount > 0",
  async run({ client, documents }, target, experiment) {
    const uri = await budgetOf(target);
    if (!uri) return;
    await vscode.workspace.openTextDocument(uri);
    await documents.openText(
      await withProgress<DocumentReply>(client, vscode.l10n.t("Planning the next runs"), Requests.plan, {
        uri: uri.toString(),
        experiment: textOf(experiment),
      }),
    );
  },
};
