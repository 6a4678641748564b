import * as vscode from "vscode";
import type { ExplainParams, ExplainReply } from "../server/protocol";
import { describe, log } from "./log";

const TYPE = "scalingLens.explain";

type Ask = (params: ExplainParams) => Promise<ExplainReply>;

/** Explain beside the config: one page that follows the config and is used again. Its first screen is drawn, the rest folded. */
export class ExplainPanel implements vscode.Disposable {
  readonly #extensionUri: vscode.Uri;
  readonly #ask: Ask;
  readonly #registration: vscode.Disposable;
  #panel: vscode.WebviewPanel | undefined;
  #params: ExplainParams | undefined;
  #reply: ExplainReply | undefined;

  constructor({ extensionUri }: vscode.ExtensionContext, ask: Ask) {
    this.#extensionUri = extensionUri;
    this.#ask = ask;
    this.#registration = vscode.window.registerWebviewPanelSerializer(TYPE, {
      deserializeWebviewPanel: async (panel, state: Partial<ExplainParams> | undefined) => {
        if (typeof state?.uri !== "string") return panel.dispose();
        this.#adopt(panel);
        await this.#load({ uri: state.uri, experiment: state.experiment }, panel.title);
      },
    });
  }

  async open(title: string, params: ExplainParams): Promise<void> {
    const aside = vscode.window.tabGroups.activeTabGroup.viewColumn > vscode.ViewColumn.One;
    if (this.#panel) this.#panel.reveal(this.#panel.viewColumn, true);
    else
      this.#adopt(
        vscode.window.createWebviewPanel(
          TYPE,
          title,
          { viewColumn: aside ? vscode.ViewColumn.Active : vscode.ViewColumn.Beside, preserveFocus: true },
          { enableFindWidget: true },
        ),
      );
    await this.#load(params, title);
  }

  /** Writes the page again once its config has come to rest. */
  refresh(uri: string): void {
    const shown = this.#params;
    if (!this.#panel || !shown || vscode.Uri.parse(shown.uri).toString() !== vscode.Uri.parse(uri).toString()) return;
    this.#load(shown, this.#panel.title).catch((error: unknown) => log().warn(describe(error)));
  }

  dispose(): void {
    this.#registration.dispose();
    this.#panel?.dispose();
  }

  #adopt(panel: vscode.WebviewPanel): void {
    this.#panel = panel;
    const dist = vscode.Uri.joinPath(this.#extensionUri, "dist");
    panel.webview.options = { enableScripts: true, localResourceRoots: [dist] };
    panel.onDidDispose(() => {
      if (this.#panel === panel) this.#panel = undefined;
    });
    panel.webview.onDidReceiveMessage((message: { type?: unknown; view?: unknown; action?: unknown }) => {
      if (message.type === "ready") void this.#post();
      else if (message.type === "action") {
        // The page names one of the actions that it was given, and nothing else.
        const action = this.#reply?.views[Number(message.view)]?.actions[Number(message.action)];
        if (action) void vscode.commands.executeCommand(action.command, ...action.args);
      }
    });
    panel.webview.html = page(panel.webview, vscode.Uri.joinPath(dist, "explain.js"));
  }

  async #load(params: ExplainParams, title: string): Promise<void> {
    this.#params = params;
    // The server answers for documents that it has been sent.
    await vscode.workspace.openTextDocument(vscode.Uri.parse(params.uri, true));
    const reply = await this.#ask(params);
    if (this.#params !== params || !this.#panel) return;
    this.#panel.title = title;
    this.#reply = reply;
    await this.#post();
  }

  async #post(): Promise<void> {
    const [panel, reply] = [this.#panel, this.#reply];
    if (!panel || !reply) return;
    const views = await Promise.all(
      reply.views.map(async (view) => ({ ...view, details: await rendered(view.details) })),
    );
    const empty = {
      name: reply.title,
      verdict: reply.markdown,
      success: "",
      doubts: [],
      cost: "",
      actions: [],
      change: "",
    };
    await panel.webview.postMessage({
      views: views.length > 0 ? views : [{ ...empty, byHand: [], whatIf: null, details: "" }],
      state: this.#params,
    });
  }
}

/** Markdown as the editor renders it; where it has no renderer, as it is written. */
async function rendered(markdown: string): Promise<string> {
  try {
    const html = await vscode.commands.executeCommand<string>("markdown.api.render", markdown);
    if (typeof html === "string" && html !== "") return html;
  } catch {
    // The built-in Markdown extension may be switched off.
  }
  return `<pre>${markdown.replace(/&/g, "&amp;").replace(/</g, "&lt;")}</pre>`;
}

function page(webview: vscode.Webview, script: vscode.Uri): string {
  const nonce = [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("");
  const policy = `default-src 'none'; style-src 'unsafe-inline'; script-src 'nonce-${nonce}'`;
  return `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="${policy}"></head>
<body><script nonce="${nonce}" src="${webview.asWebviewUri(script).toString()}"></script></body></html>`;
}
