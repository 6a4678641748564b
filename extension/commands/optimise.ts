import * as vscode from "vscode";
import { Requests, type OptimiseParams, type OptimiseReply } from "../../server/protocol";
import { log } from "../log";
import { budgetOf, isWritable, tell, textOf, type Command, type Tools } from "./command";

/** Asks for the edit and opens it in the refactor preview. Returns whether anything was applied. */
export async function optimise(tools: Tools, target: unknown, params: Omit<OptimiseParams, "uri">): Promise<boolean> {
  const uri = await budgetOf(target);
  if (!uri) return false;
  if (!(await isWritable(uri))) {
    tell(vscode.l10n.t("This file is read-only: nothing was changed."));
    return false;
  }
  // The server answers for what it has been sent, so the document must be open.
  const document = await vscode.workspace.openTextDocument(uri);
  const reply = await tools.client.ask<OptimiseReply>(Requests.optimise, { uri: document.uri.toString(), ...params });
  const told = (): void => {
    tell(reply.message);
    // Too long for the status bar; Explain has it too.
    for (const rest of reply.remainder) log().info(vscode.l10n.t("By hand: {0}", rest));
  };
  if (!reply.edit) {
    told();
    return false;
  }
  const edit = await (await tools.client.get()).protocol2CodeConverter.asWorkspaceEdit(reply.edit);
  const applied = await preview(edit);
  if (applied) told();
  return applied;
}

/** The preview's tree has one head a kind of change, which says what the changes come to; by file, it would not be shown. */
export async function preview(edit: vscode.WorkspaceEdit): Promise<boolean> {
  const group = (by: "Type" | "File") =>
    Promise.resolve(vscode.commands.executeCommand(`refactorPreview.groupBy${by}`)).catch(() => undefined);
  let open = true;
  const applied = Promise.resolve(vscode.workspace.applyEdit(edit, { isRefactoring: true })).finally(() => {
    open = false;
  });
  // The view takes a moment to open, and grouping is refused before.
  for (const wait of [150, 400, 1000]) {
    await Promise.race([applied, new Promise((resolve) => setTimeout(resolve, wait))]);
    if (!open) break;
    await group("Type");
  }
  const result = await applied;
  await group("File");
  return result;
}

export const optimiseCommand: Command = {
  id: "scalingLens.optimise",
  title: "Optimise allocation",
  when: "scalingLens.hasBudget",
  run: (tools, target, experiment) => optimise(tools, target, { experiment: textOf(experiment) }),
};
