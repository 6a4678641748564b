import * as vscode from "vscode";

/** The scheme of a notebook's cells. */
const CELL = "vscode-notebook-cell";

/** The document in front: of a notebook, the cell that is being edited or selected. */
export function inFront(): vscode.TextDocument | undefined {
  const text = vscode.window.activeTextEditor?.document;
  const editor = vscode.window.activeNotebookEditor;
  if (!editor || text) return text;
  const cells = editor.notebook.getCells();
  return [...cells.slice(editor.selection.start), ...cells].find(({ kind }) => kind === vscode.NotebookCellKind.Code)
    ?.document;
}

/** All that a document is read with: of a notebook's cell, every cell. */
export function withOtherCells(document: vscode.TextDocument): readonly vscode.TextDocument[] {
  const cells = notebookOf(document.uri)?.getCells();
  return cells?.map((cell) => cell.document) ?? [document];
}

/** The notebook that a cell is in. */
export function notebookOf(uri: vscode.Uri): vscode.NotebookDocument | undefined {
  if (uri.scheme !== CELL) return undefined;
  const isIn = (notebook: vscode.NotebookDocument) =>
    notebook.getCells().some(({ document }) => document.uri.toString() === uri.toString());
  return vscode.workspace.notebookDocuments.find(isIn);
}
