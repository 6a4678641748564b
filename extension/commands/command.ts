import * as vscode from "vscode";
import { documentKind } from "../../server/detect";
import type { Client } from "../client";
import type { ExplainPanel } from "../explainPanel";
import { inFront, notebookOf } from "../inFront";
import { describe, log } from "../log";
import type { StoreSecrets } from "../secrets";
import type { VirtualDocuments } from "../virtualDocuments";

/** What commands work with. */
export interface Tools {
  readonly context: vscode.ExtensionContext;
  readonly client: Client;
  readonly documents: VirtualDocuments;
  readonly explain: ExplainPanel;
  readonly secrets: StoreSecrets;
}

/** One palette command: a file of its own, and one line in `index.ts`. */
export interface Command {
  readonly id: string;
  /** As the palette shows it, in English. `npm run generate` writes it to package.json. Without one, only our own code runs it. */
  readonly title?: string;
  /** When the palette shows it; always without one. */
  readonly when?: string;
  run(tools: Tools, ...args: unknown[]): Promise<unknown>;
}

/** A command never throws at its caller with a pop-up: failures go to the log, and briefly to the status bar. */
export function register(tools: Tools, command: Command): vscode.Disposable {
  return vscode.commands.registerCommand(command.id, async (...args: unknown[]) => {
    try {
      return await command.run(tools, ...args);
    } catch (error) {
      if (error instanceof vscode.CancellationError) return undefined;
      log().error(`${command.id} failed: ${describe(error)}`);
      tell(vscode.l10n.t("Scaling Lens: {0} (see the log)", describe(error)));
      return undefined;
    }
  });
}

/** One sentence in the status bar: what a command did, or why there was nothing to do. */
export function tell(message: string): void {
  vscode.window.setStatusBarMessage(message, 8000);
}

/** The document that a lens or the explorer names, else the one in front. */
function documentOf(argument: unknown): vscode.Uri | undefined {
  if (typeof argument === "string") return vscode.Uri.parse(argument, true);
  if (argument instanceof vscode.Uri) return argument;
  return inFront()?.uri;
}

/** The document that is saved: of a notebook's cell, the notebook. */
export function savedOf(uri: vscode.Uri): vscode.Uri {
  return notebookOf(uri)?.uri ?? uri;
}

/** Whether a document's text is a person's to change: a file or an untitled one, not a commit or a preview. */
export function isWritten(uri: vscode.Uri): boolean {
  const { scheme } = savedOf(uri);
  return scheme === "untitled" || vscode.workspace.fs.isWritableFileSystem(scheme) === true;
}

/** Whether the settings make an editor of it read-only; the host itself does not tell. */
async function isLockedBySettings(uri: vscode.Uri): Promise<boolean> {
  const files = vscode.workspace.getConfiguration("files", uri);
  const folder = vscode.workspace.getWorkspaceFolder(uri);
  const document = await vscode.workspace.openTextDocument(uri);
  const named = (key: string): boolean =>
    Object.entries(files.get<Record<string, unknown>>(key) ?? {}).some(
      ([glob, on]) =>
        on === true &&
        vscode.languages.match({ pattern: folder ? new vscode.RelativePattern(folder, glob) : glob }, document) > 0,
    );
  return named("readonlyInclude") && !named("readonlyExclude");
}

/** Whether it may be changed now: its file may be protected. */
export async function isWritable(uri: vscode.Uri): Promise<boolean> {
  if (savedOf(uri).scheme === "untitled" || !isWritten(uri)) return isWritten(uri);
  if (await isLockedBySettings(savedOf(uri))) return false;
  try {
    const { permissions = 0 } = await vscode.workspace.fs.stat(savedOf(uri));
    return (permissions & vscode.FilePermission.Readonly) === 0;
  } catch {
    return true;
  }
}

function holdsBudget(document: vscode.TextDocument): boolean {
  const { uri, languageId } = document;
  if (!isWritten(uri)) return false;
  const kind = documentKind(uri.path, languageId, document.getText());
  return kind === "budget" || kind === "framework";
}

/**
 * The budget that a command is about: the one named, the one in front, else (a walkthrough or a notebook may be in front) one that
 * is open, or one of the workspace that is picked.
 */
export async function budgetOf(argument: unknown): Promise<vscode.Uri | undefined> {
  const named = documentOf(argument);
  if (named) return named;
  const open = vscode.workspace.textDocuments.filter((document) => holdsBudget(document)).map(({ uri }) => uri);
  if (open.length === 1) return open[0];
  const found =
    open.length > 0
      ? open
      : await vscode.workspace.findFiles("**/*.budget.{yaml,yml,json,toml}", "**/node_modules/**", 200);
  if (found.length === 0) tell(vscode.l10n.t("Open a training config or a *.budget.yaml first."));
  if (found.length <= 1) return found[0];
  const picked = await vscode.window.showQuickPick(
    found.map((uri) => ({ label: vscode.workspace.asRelativePath(uri), uri })),
    { title: vscode.l10n.t("Which budget?") },
  );
  return picked?.uri;
}

/** A document of ours or a workspace folder, for commands about a folder. */
export function folderOf(argument: unknown): vscode.Uri | undefined {
  return documentOf(argument) ?? vscode.workspace.workspaceFolders?.[0]?.uri;
}

export function textOf(argument: unknown): string | undefined {
  return typeof argument === "string" && argument !== "" ? argument : undefined;
}
