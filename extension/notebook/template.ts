import * as vscode from "vscode";
import { QUERY_LANGUAGE } from "../../server/detect";
import { NOTEBOOK_TYPE } from "./controller";

/** A new notebook with a fit cell and an allocation cell, on the workspace's own logs where they are known. */
export async function newFitNotebook(): Promise<void> {
  const budgets = await vscode.workspace.findFiles("**/*.budget.{yaml,yml,json,toml}", "**/node_modules/**", 1);
  const budget = budgets[0] ? vscode.workspace.asRelativePath(budgets[0], false) : "experiment.budget.yaml";
  const { Code, Markup } = vscode.NotebookCellKind;
  const cell = (text: string): vscode.NotebookCellData => new vscode.NotebookCellData(Code, text, QUERY_LANGUAGE);
  const note = (text: string): vscode.NotebookCellData => new vscode.NotebookCellData(Markup, text, "markdown");
  const data = new vscode.NotebookData([
    note("# Scaling fit\n\nHow success scales with each axis of the data, and where the budget should go."),
    cell('fit: { logs: "runs/**", law: auto }\nshow: [axes, exponents, residuals]'),
    note("How the experiment's budget is split, and how it would be split best."),
    cell(`allocate: { budget: ${JSON.stringify(budget)} }\nshow: [split, frontier, growth]`),
  ]);
  // Without it, cells come back as Python after a save.
  data.metadata = { metadata: { language_info: { name: QUERY_LANGUAGE } } };
  const notebook = await vscode.workspace.openNotebookDocument(NOTEBOOK_TYPE, data);
  await vscode.window.showNotebookDocument(notebook);
}
