import * as vscode from "vscode";
import { QUERY_LANGUAGE } from "../../server/detect";
import { inFront } from "../inFront";
import { NOTEBOOK_TYPE } from "./controller";

/**
 * A new notebook with a fit cell and an allocation cell, on the workspace's own logs where they are known. Called with a budget (by
 * "Explain", for one), the charts of that budget come first.
 */
export async function newFitNotebook(budgetUri?: unknown, experiment?: unknown): Promise<void> {
  const asked = typeof budgetUri === "string" ? vscode.Uri.parse(budgetUri) : undefined;
  const [found] = asked
    ? [asked]
    : await vscode.workspace.findFiles("**/*.budget.{yaml,yml,json,toml}", "**/node_modules/**", 1);
  const budget = JSON.stringify(found ? vscode.workspace.asRelativePath(found, false) : "experiment.budget.yaml");
  const one = typeof experiment === "string" && experiment !== "" ? `, experiment: ${JSON.stringify(experiment)}` : "";
  // The logs and the fit that scaling.yaml names are those of the lens: a cell without a fit uses them.
  const [scaling] = await vscode.workspace.findFiles("**/scaling.{yaml,yml}", "**/node_modules/**", 1);
  const logs = scaling ? "# The fit is that of scaling.yaml.\n" : 'fit: { logs: "runs/**", law: auto }\n';
  const { Code, Markup } = vscode.NotebookCellKind;
  const cell = (text: string): vscode.NotebookCellData => new vscode.NotebookCellData(Code, text, QUERY_LANGUAGE);
  const note = (text: string): vscode.NotebookCellData => new vscode.NotebookCellData(Markup, text, "markdown");
  const fit = [
    note(vscode.l10n.t("How success scales with each axis of the data.")),
    cell(`${logs}show: [axes, exponents, residuals]`),
  ];
  const allocation = [
    note(vscode.l10n.t("How the experiment's budget is split, and how it would be split best.")),
    cell(`allocate: { budget: ${budget}${one} }\nshow: [split, frontier, growth]`),
  ];
  const data = new vscode.NotebookData([
    note(`# ${vscode.l10n.t("Scaling fit")}`),
    ...(asked ? [...allocation, ...fit] : [...fit, ...allocation]),
  ]);
  // Without it, cells come back as Python after a save.
  data.metadata = { metadata: { language_info: { name: QUERY_LANGUAGE } } };
  const notebook = await vscode.workspace.openNotebookDocument(NOTEBOOK_TYPE, data);
  await vscode.window.showNotebookDocument(notebook);
  // The charts of a budget were asked for: they are drawn at once. The cell after the title and its note is the allocation.
  if (asked)
    await vscode.commands.executeCommand("notebook.cell.execute", {
      ranges: [{ start: 2, end: 3 }],
      document: notebook.uri,
    });
}

/** The split, frontier and growth charts of a budget: the document named, or the one in front. */
export async function allocationCharts(target?: unknown, experiment?: unknown): Promise<void> {
  const uri =
    typeof target === "string" ? target : (target instanceof vscode.Uri ? target : inFront()?.uri)?.toString();
  if (uri !== undefined) await newFitNotebook(uri, experiment);
}
