import * as vscode from "vscode";
import { QUERY_LANGUAGE } from "../../server/detect";
import { describe, log } from "../log";
import { errorOutput, notebookOutput, progressOutput } from "./outputs";
import { CellQueue } from "./queue";
import type { QueryRunner } from "./runner";

export const NOTEBOOK_TYPE = "jupyter-notebook";
/** Stable: notebooks remember their kernel by it. */
const CONTROLLER_ID = "scaling-lens.fits";
const PROGRESS_EVERY_MS = 250;

interface Job {
  readonly cell: vscode.NotebookCell;
  readonly execution: vscode.NotebookCellExecution;
}

/** Whether a notebook is one of ours: made by us, or with a cell in our language. */
function isFitNotebook(notebook: vscode.NotebookDocument): boolean {
  const metadata = notebook.metadata as { metadata?: { language_info?: { name?: unknown } } };
  return (
    metadata.metadata?.language_info?.name === QUERY_LANGUAGE ||
    notebook.getCells().some((cell) => cell.document.languageId === QUERY_LANGUAGE)
  );
}

/** Runs fit cells of plain `.ipynb` files, one at a time per notebook. */
export class FitController implements vscode.Disposable {
  readonly #controller: vscode.NotebookController;
  readonly #queues = new Map<string, CellQueue<Job>>();
  readonly #disposables: vscode.Disposable[] = [];
  #order = 0;

  constructor(private readonly run: QueryRunner) {
    this.#controller = vscode.notebooks.createNotebookController(CONTROLLER_ID, NOTEBOOK_TYPE, "Scaling Lens");
    this.#controller.supportedLanguages = [QUERY_LANGUAGE];
    this.#controller.supportsExecutionOrder = true;
    this.#controller.description = vscode.l10n.t("Fit cells");
    this.#controller.executeHandler = (cells, notebook) => this.#execute(cells, notebook);
    this.#disposables.push(
      this.#controller,
      vscode.workspace.onDidOpenNotebookDocument((notebook) => this.#prefer(notebook)),
      vscode.workspace.onDidChangeNotebookDocument(({ notebook, contentChanges, cellChanges }) => {
        if (contentChanges.length > 0 || cellChanges.some((change) => change.document)) this.#prefer(notebook);
      }),
      vscode.workspace.onDidCloseNotebookDocument((notebook) => this.#queues.delete(notebook.uri.toString())),
    );
    for (const notebook of vscode.workspace.notebookDocuments) this.#prefer(notebook);
  }

  dispose(): void {
    for (const disposable of this.#disposables) disposable.dispose();
  }

  /** A plain Python notebook keeps its own kernel: there we are one choice among others. */
  #prefer(notebook: vscode.NotebookDocument): void {
    if (notebook.notebookType !== NOTEBOOK_TYPE) return;
    const { Preferred, Default } = vscode.NotebookControllerAffinity;
    this.#controller.updateNotebookAffinity(notebook, isFitNotebook(notebook) ? Preferred : Default);
  }

  #execute(cells: readonly vscode.NotebookCell[], notebook: vscode.NotebookDocument): Promise<void> {
    const key = notebook.uri.toString();
    let queue = this.#queues.get(key);
    if (!queue) {
      queue = new CellQueue<Job>(
        (job) => this.#runCell(job),
        ({ execution }) => {
          // An execution must be started before it can be ended.
          execution.start();
          execution.end(undefined);
        },
      );
      this.#queues.set(key, queue);
    }
    // Made now, so that a waiting cell shows that it waits.
    return queue.add(cells.map((cell) => ({ cell, execution: this.#controller.createNotebookCellExecution(cell) })));
  }

  /** True when the cells after it may run. */
  async #runCell({ cell, execution }: Job): Promise<boolean> {
    execution.executionOrder = ++this.#order;
    execution.start(Date.now());
    const end = (success: boolean): boolean => {
      execution.end(success, Date.now());
      return success;
    };
    if (execution.token.isCancellationRequested) return end(false);
    let shown = 0;
    let busy: Thenable<void> = Promise.resolve();
    try {
      const reply = await this.run(this.#params(cell), execution.token, (progress) => {
        if (Date.now() - shown < PROGRESS_EVERY_MS) return;
        shown = Date.now();
        busy = execution.replaceOutput(progressOutput(progress));
      });
      await busy;
      await execution.replaceOutput([
        ...reply.outputs.map(notebookOutput),
        ...(reply.error ? [errorOutput(reply.error)] : []),
      ]);
      return end(reply.error === undefined);
    } catch (error) {
      await busy;
      const cancelled = execution.token.isCancellationRequested;
      if (!cancelled) log().error(`A fit cell failed: ${describe(error)}`);
      await execution.replaceOutput(
        errorOutput({ message: cancelled ? vscode.l10n.t("Cancelled.") : describe(error) }),
      );
      return end(false);
    }
  }

  #params(cell: vscode.NotebookCell): Parameters<QueryRunner>[0] {
    const { notebook } = cell;
    const above = notebook
      .getCells(new vscode.NotebookRange(0, cell.index))
      .filter((other) => other.kind === vscode.NotebookCellKind.Code && other.document.languageId === QUERY_LANGUAGE)
      .map((other) => other.document.getText());
    const vegaLite = vscode.workspace
      .getConfiguration("scalingLens", notebook.uri)
      .get<boolean>("notebook.vegaLite", false);
    return { notebookUri: baseUri(notebook.uri), text: cell.document.getText(), above, vegaLite };
  }
}

/** An unsaved notebook has no folder of its own: its paths start in the first workspace folder. */
function baseUri(uri: vscode.Uri): string {
  const folder = vscode.workspace.workspaceFolders?.[0];
  return uri.scheme === "untitled" && folder
    ? vscode.Uri.joinPath(folder.uri, "untitled.ipynb").toString()
    : uri.toString();
}
