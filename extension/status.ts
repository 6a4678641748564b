import * as vscode from "vscode";
import { Commands, Notifications, type StatusParams } from "../server/protocol";
import { DOCUMENT_LANGUAGES } from "../server/detect";
import type { BaseLanguageClient } from "vscode-languageclient";

/** Which law is in force for the active document, from how many runs; busy, stale and error states. Never a pop-up. */
export class Status implements vscode.Disposable {
  readonly #item: vscode.LanguageStatusItem;
  readonly #states = new Map<string, StatusParams>();
  readonly #disposables: vscode.Disposable[] = [];
  readonly #came = new vscode.EventEmitter<StatusParams>();
  /** The server has finished with a version of a document. */
  readonly onDidSettle = this.#came.event;

  constructor() {
    this.#item = vscode.languages.createLanguageStatusItem(
      "scalingLens",
      DOCUMENT_LANGUAGES.map((language) => ({ language })),
    );
    this.#item.name = "Scaling Lens";
    this.#item.text = vscode.l10n.t("Scaling Lens");
    this.#disposables.push(
      this.#item,
      this.#came,
      vscode.window.onDidChangeActiveTextEditor(() => this.#show()),
      vscode.workspace.onDidCloseTextDocument((document) => this.#states.delete(document.uri.toString())),
    );
    this.#show();
  }

  listenTo(client: BaseLanguageClient): vscode.Disposable {
    return client.onNotification(Notifications.status, (state: StatusParams) => {
      this.#states.set(vscode.Uri.parse(state.uri).toString(), state);
      if (state.state !== "busy") this.#came.fire(state);
      this.#show();
    });
  }

  /** A failure of the extension itself: said here and in the log. */
  fail(message: string): void {
    this.#item.severity = vscode.LanguageStatusSeverity.Error;
    this.#item.text = vscode.l10n.t("Scaling Lens: error");
    this.#item.detail = message;
    this.#item.command = { title: vscode.l10n.t("Show log"), command: Commands.showLog };
    this.#item.busy = false;
  }

  #show(): void {
    const document = vscode.window.activeTextEditor?.document;
    const state = document && this.#states.get(document.uri.toString());
    const item = this.#item;
    item.selector =
      state && document
        ? { language: document.languageId, scheme: document.uri.scheme }
        : { scheme: "scaling-lens-none" };
    if (!state) return;
    item.text = state.text;
    item.detail = state.detail;
    item.busy = state.state === "busy";
    item.severity =
      state.state === "error"
        ? vscode.LanguageStatusSeverity.Error
        : state.state === "stale" || state.state === "limited"
          ? vscode.LanguageStatusSeverity.Warning
          : vscode.LanguageStatusSeverity.Information;
    item.command =
      state.state === "no-fit"
        ? { title: vscode.l10n.t("Fit run logs"), command: Commands.fitLogs }
        : state.state === "error"
          ? { title: vscode.l10n.t("Show log"), command: Commands.showLog }
          : { title: vscode.l10n.t("Select law"), command: Commands.selectLaw };
  }

  dispose(): void {
    for (const disposable of this.#disposables) disposable.dispose();
  }
}
