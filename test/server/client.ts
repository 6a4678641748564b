import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { createConnection, StreamMessageReader, StreamMessageWriter } from "vscode-languageserver/node";
import {
  createProtocolConnection,
  type ClientCapabilities,
  type CodeAction,
  type CodeLens,
  type CompletionItem,
  type Diagnostic,
  type Hover,
  type InitializeResult,
  type InlayHint,
  type ProtocolConnection,
  type Range,
} from "vscode-languageserver-protocol/node";
import { runJob } from "../../server/operations/runJob";
import type { JobRunner } from "../../server/operations/jobs";
import { createGrammars } from "../../server/syntax/treeSitter";
import { Notifications, type StatusParams } from "../../server/protocol";
import { startServer } from "../../server/session/server";
import { inPlaceRunner } from "../../server/operations/runner";
import { MemoryHost } from "./memoryHost";

const WASM: Readonly<Record<string, string>> = {
  "web-tree-sitter.wasm": "node_modules/web-tree-sitter/web-tree-sitter.wasm",
  "tree-sitter-bash.wasm": "node_modules/@vscode/tree-sitter-wasm/wasm/tree-sitter-bash.wasm",
  "tree-sitter-python.wasm": "node_modules/@vscode/tree-sitter-wasm/wasm/tree-sitter-python.wasm",
};

export const grammars = createGrammars((name) => readFile(join(__dirname, "../..", WASM[name])));

export interface ClientOptions {
  readonly host?: MemoryHost;
  readonly folders?: readonly string[];
  readonly settings?: (uri: string) => unknown;
  readonly pull?: boolean;
  readonly jobs?: JobRunner;
  readonly locale?: string;
}

/** An editor in a test: typed requests over in-memory streams to a server of its own. */
export class TestClient {
  readonly host: MemoryHost;
  readonly statuses: StatusParams[] = [];
  readonly logged: string[] = [];
  readonly pushed = new Map<string, readonly Diagnostic[]>();
  readonly refreshes: string[] = [];
  readonly registrations: { method: string; registerOptions?: unknown }[] = [];
  readonly shown: string[] = [];
  capabilities: InitializeResult["capabilities"] = {};
  settings: (uri: string) => unknown;
  readonly connection: ProtocolConnection;
  readonly #versions = new Map<string, number>();
  readonly #texts = new Map<string, string>();

  private constructor(options: ClientOptions) {
    this.host = options.host ?? new MemoryHost();
    this.settings = options.settings ?? (() => ({}));
    const up = new PassThrough();
    const down = new PassThrough();
    const server = createConnection(new StreamMessageReader(up), new StreamMessageWriter(down));
    startServer(server, () => ({
      host: this.host,
      jobs:
        options.jobs ??
        inPlaceRunner(this.host, (job, host, onProgress, signal) =>
          runJob(job, host, onProgress, signal, { grammars }),
        ),
      grammars,
    }));
    this.connection = createProtocolConnection(new StreamMessageReader(down), new StreamMessageWriter(up));
    this.connection.onNotification(Notifications.status, (status: StatusParams) => {
      this.statuses.push(status);
    });
    this.connection.onNotification("window/logMessage", ({ message }: { message: string }) => {
      this.logged.push(message);
    });
    this.connection.onNotification("window/showMessage", ({ message }: { message: string }) => {
      this.shown.push(message);
    });
    this.connection.onNotification(
      "textDocument/publishDiagnostics",
      ({ uri, diagnostics }: { uri: string; diagnostics: Diagnostic[] }) => {
        this.pushed.set(uri, diagnostics);
      },
    );
    this.connection.onRequest("workspace/configuration", ({ items }: { items: { scopeUri?: string }[] }) =>
      items.map((item) => this.settings(item.scopeUri ?? "")),
    );
    this.connection.onRequest(
      "client/registerCapability",
      ({ registrations }: { registrations: { method: string; registerOptions?: unknown }[] }) => {
        this.registrations.push(...registrations);
      },
    );
    this.connection.onRequest("client/unregisterCapability", () => undefined);
    for (const method of [
      "workspace/codeLens/refresh",
      "workspace/inlayHint/refresh",
      "workspace/diagnostic/refresh",
    ]) {
      this.connection.onRequest(method, () => {
        this.refreshes.push(method);
      });
    }
    this.connection.listen();
  }

  static async start(options: ClientOptions = {}): Promise<TestClient> {
    const client = new TestClient(options);
    const capabilities: ClientCapabilities = {
      workspace: {
        configuration: true,
        workspaceFolders: true,
        didChangeConfiguration: { dynamicRegistration: true },
        didChangeWatchedFiles: { dynamicRegistration: true, relativePatternSupport: true },
        codeLens: { refreshSupport: true },
        inlayHint: { refreshSupport: true },
        diagnostics: { refreshSupport: true },
        workspaceEdit: {
          documentChanges: true,
          changeAnnotationSupport: { groupsOnLabel: true },
          resourceOperations: ["create"],
        },
      },
      textDocument: {
        codeLens: {},
        inlayHint: { resolveSupport: { properties: ["tooltip"] } },
        ...(options.pull === false ? {} : { diagnostic: { dynamicRegistration: false } }),
      },
    };
    const result = await client.connection.sendRequest<InitializeResult>("initialize", {
      processId: null,
      rootUri: null,
      capabilities,
      initializationOptions: { locale: options.locale, docsUri: "file:///extension/docs" },
      workspaceFolders: (options.folders ?? ["file:///w"]).map((uri) => ({ uri, name: uri })),
    });
    client.capabilities = result.capabilities;
    await client.connection.sendNotification("initialized", {});
    return client;
  }

  async open(uri: string, text: string, languageId = languageOf(uri)): Promise<void> {
    this.#versions.set(uri, 1);
    this.#texts.set(uri, text);
    await this.connection.sendNotification("textDocument/didOpen", {
      textDocument: { uri, languageId, version: 1, text },
    });
  }

  /** Replaces the whole text. */
  async change(uri: string, text: string): Promise<void> {
    const version = (this.#versions.get(uri) ?? 1) + 1;
    this.#versions.set(uri, version);
    this.#texts.set(uri, text);
    await this.connection.sendNotification("textDocument/didChange", {
      textDocument: { uri, version },
      contentChanges: [{ text }],
    });
  }

  async close(uri: string): Promise<void> {
    await this.connection.sendNotification("textDocument/didClose", { textDocument: { uri } });
  }

  text(uri: string): string {
    return this.#texts.get(uri) ?? "";
  }

  lenses(uri: string): Promise<CodeLens[]> {
    return this.connection.sendRequest("textDocument/codeLens", { textDocument: { uri } });
  }

  async lensText(uri: string): Promise<string> {
    return (await this.lenses(uri)).map(({ command }) => command?.title).join(" | ");
  }

  hints(uri: string, range: Range = whole(this.text(uri))): Promise<InlayHint[]> {
    return this.connection.sendRequest("textDocument/inlayHint", { textDocument: { uri }, range });
  }

  resolveHint(hint: InlayHint): Promise<InlayHint> {
    return this.connection.sendRequest("inlayHint/resolve", hint);
  }

  /** The document with its hints in place, as a person sees it. */
  async rendered(uri: string): Promise<string> {
    const lines = this.text(uri).split("\n");
    const hints = await this.hints(uri);
    for (const hint of [...hints].sort((a, b) => b.position.character - a.position.character)) {
      const { line, character } = hint.position;
      const label = typeof hint.label === "string" ? hint.label : hint.label.map(({ value }) => value).join("");
      lines[line] = `${lines[line].slice(0, character)}⟦${label}⟧${lines[line].slice(character)}`;
    }
    return lines.join("\n");
  }

  hover(uri: string, needle: string): Promise<Hover | null> {
    return this.connection.sendRequest("textDocument/hover", {
      textDocument: { uri },
      position: this.position(uri, needle),
    });
  }

  async hoverText(uri: string, needle: string): Promise<string> {
    const hover = await this.hover(uri, needle);
    return hover ? (hover.contents as { value: string }).value : "";
  }

  async diagnostics(uri: string): Promise<Diagnostic[]> {
    const report = await this.connection.sendRequest<{ items: Diagnostic[] }>("textDocument/diagnostic", {
      textDocument: { uri },
    });
    return report.items;
  }

  actions(uri: string, needle: string, diagnostics: readonly Diagnostic[] = []): Promise<CodeAction[]> {
    const start = this.position(uri, needle);
    return this.connection.sendRequest("textDocument/codeAction", {
      textDocument: { uri },
      range: { start, end: start },
      context: { diagnostics },
    });
  }

  resolveAction(action: CodeAction): Promise<CodeAction> {
    return this.connection.sendRequest("codeAction/resolve", action);
  }

  complete(uri: string, line: number, character: number): Promise<CompletionItem[]> {
    return this.connection.sendRequest("textDocument/completion", {
      textDocument: { uri },
      position: { line, character },
    });
  }

  ask<Reply>(method: string, params: unknown): Promise<Reply> {
    return this.connection.sendRequest<Reply>(method, params);
  }

  /** The position just inside the first occurrence of a text. */
  position(uri: string, needle: string): { line: number; character: number } {
    const text = this.text(uri);
    const at = text.indexOf(needle);
    if (at < 0) throw new Error(`"${needle}" is not in ${uri}`);
    const before = text.slice(0, at).split("\n");
    return { line: before.length - 1, character: before[before.length - 1].length };
  }

  async filesChanged(...uris: string[]): Promise<void> {
    await this.connection.sendNotification("workspace/didChangeWatchedFiles", {
      changes: uris.map((uri) => ({ uri, type: 2 })),
    });
  }

  async configurationChanged(): Promise<void> {
    await this.connection.sendNotification("workspace/didChangeConfiguration", { settings: null });
  }

  /** Waits until a condition holds; fails after a few seconds. */
  async until(what: string, condition: () => boolean | Promise<boolean>, limit = 20_000): Promise<void> {
    const end = Date.now() + limit;
    while (!(await condition())) {
      if (Date.now() > end) throw new Error(`Timed out: ${what}\n${this.logged.join("\n")}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  async stop(): Promise<void> {
    await this.connection.sendRequest("shutdown");
    this.connection.dispose();
  }
}

function whole(text: string): Range {
  return { start: { line: 0, character: 0 }, end: { line: text.split("\n").length, character: 0 } };
}

function languageOf(uri: string): string {
  const ending = uri.slice(uri.lastIndexOf(".") + 1);
  return (
    (
      { yaml: "yaml", yml: "yaml", toml: "toml", json: "json", sh: "shellscript", py: "python" } as Record<
        string,
        string
      >
    )[ending] ?? "plaintext"
  );
}

/** Applies the text edits of one document, as an editor does. */
export function applyEdits(text: string, edits: readonly { range: Range; newText: string }[]): string {
  const starts = [0];
  for (let i = 0; i < text.length; i++) if (text[i] === "\n") starts.push(i + 1);
  const offset = ({ line, character }: { line: number; character: number }) => starts[line] + character;
  let result = text;
  for (const edit of [...edits].sort((a, b) => offset(b.range.start) - offset(a.range.start))) {
    result = result.slice(0, offset(edit.range.start)) + edit.newText + result.slice(offset(edit.range.end));
  }
  return result;
}
