import * as vscode from "vscode";
import { documentKind } from "../../server/detect";
import { Requests } from "../../server/protocol";
import { isWritten, tell, type Command } from "./command";

export const compare: Command = {
  id: "scalingLens.compare",
  title: "Compare allocations",
  when: "workspaceFolderCount > 0",
  async run({ documents }, first, selected) {
    const given = Array.isArray(selected) ? selected : Array.isArray(first) ? first : [];
    const uris = given
      .map((item) => (typeof item === "string" ? vscode.Uri.parse(item, true) : item))
      .filter((item): item is vscode.Uri => item instanceof vscode.Uri);
    const chosen = uris.length > 0 ? uris : await pick();
    if (!chosen || chosen.length === 0) return;
    for (const uri of chosen) await vscode.workspace.openTextDocument(uri);
    await documents.open(vscode.l10n.t("Compared allocations"), {
      method: Requests.compare,
      params: { uris: chosen.map((uri) => uri.toString()) },
    });
  },
};

const labelOf = (uri: vscode.Uri): string => vscode.workspace.asRelativePath(uri);

async function pick(): Promise<vscode.Uri[] | undefined> {
  const found = new Map<string, vscode.Uri>();
  for (const document of vscode.workspace.textDocuments) {
    // A commit's text of the same file, a preview: not what is compared.
    if (!isWritten(document.uri)) continue;
    const kind = documentKind(document.uri.path, document.languageId, document.getText());
    if (kind === "budget" || kind === "framework") found.set(labelOf(document.uri), document.uri);
  }
  for (const uri of await vscode.workspace.findFiles("**/*.budget.{yaml,yml,json,toml}", "**/node_modules/**", 200))
    if (!found.has(labelOf(uri))) found.set(labelOf(uri), uri);
  if (found.size === 0) {
    tell(vscode.l10n.t("No budgets to compare: open a config or add a *.budget.yaml."));
    return undefined;
  }
  const items = [...found].map(([label, uri]) => ({ label, uri }));
  const picked = await vscode.window.showQuickPick(items, {
    canPickMany: true,
    title: vscode.l10n.t("Compare allocations"),
    placeHolder: vscode.l10n.t("Two or more budgets or configs"),
  });
  return picked?.map(({ uri }) => uri);
}
