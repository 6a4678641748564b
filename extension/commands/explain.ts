import * as vscode from "vscode";
import { budgetOf, textOf, type Command } from "./command";

export const explain: Command = {
  id: "scalingLens.explain",
  title: "Explain allocation",
  when: "scalingLens.hasBudget",
  async run({ explain: panel }, target, experiment) {
    const uri = await budgetOf(target);
    if (!uri) return;
    await vscode.workspace.openTextDocument(uri);
    const name = uri.path.split("/").pop() ?? "";
    await panel.open(vscode.l10n.t("Allocation of {0}", name), {
      uri: uri.toString(),
      experiment: textOf(experiment),
    });
  },
};
