import * as vscode from "vscode";
import { Requests } from "../../server/protocol";
import { budgetOf, textOf, type Command } from "./command";

export const explain: Command = {
  id: "scalingLens.explain",
  title: "Explain allocation",
  when: "scalingLens.hasBudget",
  async run({ documents }, target, experiment) {
    const uri = await budgetOf(target);
    if (!uri) return;
    await vscode.workspace.openTextDocument(uri);
    const name = uri.path.split("/").pop() ?? "";
    await documents.open(vscode.l10n.t("Allocation of {0}", name), {
      method: Requests.explain,
      params: { uri: uri.toString(), experiment: textOf(experiment) },
    });
  },
};
