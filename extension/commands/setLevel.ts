import * as vscode from "vscode";
import { Commands, DIAGNOSTIC_LEVELS } from "../../server/protocol";
import { textOf, type Command } from "./command";

/** Changes the severity of one code of diagnostics in the settings; quick fixes link here, so it is not in the palette. */
export const setLevel: Command = {
  id: Commands.setLevel,
  async run(_tools, target, code, level) {
    const [uri, name] = [textOf(target), textOf(code)];
    if (!uri || !name?.includes(".") || !DIAGNOSTIC_LEVELS.some((one) => one === level)) return;
    const settings = vscode.workspace.getConfiguration("scalingLens", vscode.Uri.parse(uri, true));
    const known = settings.inspect<Record<string, unknown>>("diagnostics");
    const folder = vscode.workspace.workspaceFolders === undefined;
    const before = (folder ? known?.globalValue : known?.workspaceValue) ?? {};
    await settings.update(
      "diagnostics",
      { ...before, [name]: level },
      folder ? vscode.ConfigurationTarget.Global : vscode.ConfigurationTarget.Workspace,
    );
  },
};
