import * as vscode from "vscode";
import type { QueryOutput, QueryProgressParams, RunQueryReply } from "../../server/protocol";

const bytes = (base64: string): Uint8Array => Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));

/** The server's outputs as VS Code's. */
export function notebookOutput({ items }: QueryOutput): vscode.NotebookCellOutput {
  return new vscode.NotebookCellOutput(
    items.map(({ mime, text, base64 }) =>
      base64 === undefined
        ? vscode.NotebookCellOutputItem.text(text ?? "", mime)
        : new vscode.NotebookCellOutputItem(bytes(base64), mime),
    ),
  );
}

/** An error as a reader meets it: a sentence and the line of the cell, no stack. */
export function errorOutput({
  message,
  line,
  character,
}: NonNullable<RunQueryReply["error"]>): vscode.NotebookCellOutput {
  const where =
    line === undefined ? "" : `Line ${line + 1}${character === undefined ? "" : `, column ${character + 1}`}`;
  return new vscode.NotebookCellOutput([
    vscode.NotebookCellOutputItem.error({ name: where, message, stack: where ? `${where}: ${message}` : message }),
  ]);
}

/** `Refitting resampled runs: 340 of 1000 (48 %)`, replaced by the outputs when they are there. */
export function progressOutput({ label, share }: QueryProgressParams): vscode.NotebookCellOutput {
  return new vscode.NotebookCellOutput([
    vscode.NotebookCellOutputItem.text(`${label} (${Math.round(100 * share)} %)`, "text/plain"),
  ]);
}
