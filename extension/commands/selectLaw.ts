import * as vscode from "vscode";
import { Requests, type LawsReply } from "../../server/protocol";
import { folderOf, textOf, type Command } from "./command";

export const selectLaw: Command = {
  id: "scalingLens.selectLaw",
  title: "Select law",
  when: "workspaceFolderCount > 0",
  async run({ client }, target, given) {
    const uri = folderOf(target);
    if (!uri) return;
    const settings = vscode.workspace.getConfiguration("scalingLens", uri);
    const law = textOf(given) ?? (await pick(await client.ask<LawsReply>(Requests.laws, { uri: uri.toString() })));
    if (!law) return;
    const scope =
      vscode.workspace.workspaceFolders && vscode.workspace.workspaceFolders.length > 1
        ? vscode.ConfigurationTarget.WorkspaceFolder
        : vscode.workspace.workspaceFolders
          ? vscode.ConfigurationTarget.Workspace
          : vscode.ConfigurationTarget.Global;
    await settings.update("fit.law", law === "auto" ? undefined : law, scope);
  },
};

async function pick({ laws, current }: LawsReply): Promise<string | undefined> {
  // One line a law: what it says of the axes, and how well it does here. Its formula is in Explain and in the documentation.
  const items = laws.map(({ name, form, note }) => ({
    label: name,
    description: note || form,
    picked: name === current,
  }));
  const picked = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t("Select law"),
    placeHolder: vscode.l10n.t("In force: {0}", current),
    matchOnDescription: true,
  });
  return picked?.label;
}
