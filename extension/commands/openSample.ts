import * as vscode from "vscode";
import { tell, type Command } from "./command";

/** Opens a copy of the sample workspace, so that trying things out changes nothing of the extension itself. */
export const openSample: Command = {
  id: "scalingLens.openSample",
  title: "Open sample workspace",
  async run({ context }) {
    const source = vscode.Uri.joinPath(context.extensionUri, "samples", "appworld");
    if (source.scheme !== "file" && source.scheme !== "vscode-remote") {
      tell(vscode.l10n.t("The sample workspace cannot be opened here: this window has no file system for it."));
      return;
    }
    const copy = vscode.Uri.joinPath(context.globalStorageUri, "samples", "appworld");
    await vscode.workspace.fs.createDirectory(vscode.Uri.joinPath(context.globalStorageUri, "samples"));
    await vscode.workspace.fs.copy(source, copy, { overwrite: true });
    await vscode.commands.executeCommand("vscode.openFolder", copy, { forceNewWindow: true });
  },
};
