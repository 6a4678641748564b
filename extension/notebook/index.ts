import * as vscode from "vscode";
import type { BaseLanguageClient } from "vscode-languageclient";
import { FitController } from "./controller";
import { serveFigures } from "./messages";
import { clientRunner } from "./runner";
import { allocationCharts, newFitNotebook } from "./template";

/**
 * Notebooks: the kernel of fit cells, the command that makes a new one, and what figures may ask for. `client` is called when a cell
 * runs, so that nothing starts for a notebook that is only looked at.
 */
export function registerNotebook(context: vscode.ExtensionContext, client: () => Promise<BaseLanguageClient>): void {
  context.subscriptions.push(
    new FitController(clientRunner(client)),
    serveFigures(),
    vscode.commands.registerCommand("scalingLens.newFitNotebook", newFitNotebook),
    vscode.commands.registerCommand("scalingLens.allocationCharts", allocationCharts),
  );
}
