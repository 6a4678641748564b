import * as vscode from "vscode";
import type { Client } from "../client";
import { describe, log } from "../log";
import type { VirtualDocuments } from "../virtualDocuments";

/** What commands work with. */
export interface Tools {
  readonly context: vscode.ExtensionContext;
  readonly client: Client;
  readonly documents: VirtualDocuments;
}

/** One palette command: a file of its own, and one line in `index.ts`. */
export interface Command {
  readonly id: string;
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

/** The document that a lens or the explorer names, else the active one. */
export function documentOf(argument: unknown): vscode.Uri | undefined {
  if (typeof argument === "string") return vscode.Uri.parse(argument, true);
  if (argument instanceof vscode.Uri) return argument;
  return vscode.window.activeTextEditor?.document.uri;
}

/** A document of ours or a workspace folder, for commands about a folder. */
export function folderOf(argument: unknown): vscode.Uri | undefined {
  return documentOf(argument) ?? vscode.workspace.workspaceFolders?.[0]?.uri;
}

export function textOf(argument: unknown): string | undefined {
  return typeof argument === "string" && argument !== "" ? argument : undefined;
}
