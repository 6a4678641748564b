import * as vscode from "vscode";
import type { DocumentReply } from "../server/protocol";

const SCHEME = "scaling-lens";

/** What a virtual document shows; it stands in the document's address, so that a reload can ask for it again. */
export interface DocumentSource {
  readonly method: string;
  readonly params: unknown;
}

/** Read-only documents that the server writes: explanations, comparisons, run tables. */
export class VirtualDocuments implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #ask: (source: DocumentSource) => Promise<DocumentReply>;
  readonly #given = new Map<string, string>();
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly #registration: vscode.Disposable;
  readonly onDidChange = this.#changed.event;

  constructor(ask: (source: DocumentSource) => Promise<DocumentReply>) {
    this.#ask = ask;
    this.#registration = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const given = this.#given.get(uri.toString());
    if (given !== undefined) return given;
    try {
      const source = JSON.parse(uri.query) as DocumentSource;
      if (!source.method) return "";
      // The server answers for documents that it has been sent.
      for (const subject of subjectsOf(source))
        await vscode.workspace.openTextDocument(vscode.Uri.parse(subject, true));
      return (await this.#ask(source)).markdown;
    } catch {
      return vscode.l10n.t("This document can no longer be shown: run the command again.");
    }
  }

  /** Writes open documents about a budget again once it has come to rest. */
  refresh(subject: string): void {
    for (const { uri } of vscode.workspace.textDocuments) {
      if (uri.scheme !== SCHEME) continue;
      try {
        const same = (other: string) => vscode.Uri.parse(other).toString() === vscode.Uri.parse(subject).toString();
        if (subjectsOf(JSON.parse(uri.query) as DocumentSource).some(same)) this.#changed.fire(uri);
      } catch {
        // An address that somebody else made up.
      }
    }
  }

  /** Shows what the server writes for `source`, rendered where Markdown can be rendered. */
  async open(title: string, source: DocumentSource): Promise<void> {
    const uri = address(title, source);
    this.#changed.fire(uri);
    await show(uri);
  }

  /** Shows a text that is already at hand. */
  async openText(reply: DocumentReply): Promise<void> {
    const uri = address(reply.title, { method: "", params: null });
    this.#given.set(uri.toString(), reply.markdown);
    this.#changed.fire(uri);
    await show(uri);
  }

  dispose(): void {
    this.#registration.dispose();
    this.#changed.dispose();
  }
}

/** The documents that a virtual one is about. */
function subjectsOf({ params }: DocumentSource): readonly string[] {
  const { uri, uris } = (params ?? {}) as { uri?: unknown; uris?: unknown };
  return [uri, ...(Array.isArray(uris) ? uris : [])].filter((one): one is string => typeof one === "string");
}

function address(title: string, source: DocumentSource): vscode.Uri {
  const name = title.replace(/[\\/:*?"<>|#%\r\n]+/g, " ").trim() || "Scaling Lens";
  return vscode.Uri.from({ scheme: SCHEME, path: `/${name}.md`, query: JSON.stringify(source) });
}

async function show(uri: vscode.Uri): Promise<void> {
  const document = await vscode.workspace.openTextDocument(uri);
  // Beside the config, never further: a document asked for from another one takes its place.
  const aside = vscode.window.tabGroups.activeTabGroup.viewColumn > vscode.ViewColumn.One;
  try {
    // The list of commands does not hold those of an extension that has not started, so it is tried.
    await vscode.commands.executeCommand(aside ? "markdown.showPreview" : "markdown.showPreviewToSide", uri);
  } catch {
    await vscode.window.showTextDocument(document, {
      viewColumn: aside ? vscode.ViewColumn.Active : vscode.ViewColumn.Beside,
      preview: true,
    });
  }
}
