import { spawn, type ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { StreamMessageReader, StreamMessageWriter } from "vscode-languageserver/node";
import { createProtocolConnection, type CodeLens, type ProtocolConnection } from "vscode-languageserver-protocol/node";

const LANGUAGES: Readonly<Record<string, string>> = { sh: "shellscript", py: "python", toml: "toml", json: "json" };

export interface ServerOptions {
  /** Modules that Node loads first, in the server and its workers. */
  readonly preload?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly initialisation?: Readonly<Record<string, unknown>>;
}

/** The built server as an editor runs it, over pipes. */
export class RunningServer {
  readonly process: ChildProcess;
  readonly connection: ProtocolConnection;
  readonly #root: string;

  private constructor(process: ChildProcess, connection: ProtocolConnection, root: string) {
    this.process = process;
    this.connection = connection;
    this.#root = root;
  }

  /** `folders` are names below `root`, each a workspace folder. */
  static async start(
    programs: string,
    root: string,
    folders: readonly string[],
    { preload = [], env = {}, initialisation }: ServerOptions = {},
  ): Promise<RunningServer> {
    const before = preload.flatMap((file) => ["--import", pathToFileURL(file).href]);
    const child = spawn(process.execPath, [...before, join(programs, "server.js"), "--stdio"], {
      stdio: ["pipe", "pipe", "ignore"],
      env: { ...process.env, NODE_OPTIONS: "", ...env },
    });
    if (!child.stdout || !child.stdin) throw new Error("The server has no streams.");
    const connection = createProtocolConnection(
      new StreamMessageReader(child.stdout),
      new StreamMessageWriter(child.stdin),
    );
    connection.onRequest("workspace/configuration", ({ items }: { items: unknown[] }) => items.map(() => ({})));
    connection.onRequest("client/registerCapability", () => null);
    connection.listen();
    const server = new RunningServer(child, connection, root);
    await connection.sendRequest("initialize", {
      processId: process.pid,
      rootUri: null,
      workspaceFolders: folders.map((name) => ({ uri: server.uri(name), name })),
      capabilities: { workspace: { configuration: true, workspaceFolders: true }, textDocument: { codeLens: {} } },
      ...(initialisation && { initializationOptions: initialisation }),
    });
    await connection.sendNotification("initialized", {});
    return server;
  }

  uri(path: string): string {
    return pathToFileURL(join(this.#root, path)).href;
  }

  open(path: string, text = readFileSync(join(this.#root, path), "utf8")): Promise<void> {
    const languageId = LANGUAGES[path.slice(path.lastIndexOf(".") + 1)] ?? "yaml";
    return this.connection.sendNotification("textDocument/didOpen", {
      textDocument: { uri: this.uri(path), languageId, version: 1, text },
    });
  }

  change(path: string, version: number, text: string): Promise<void> {
    return this.connection.sendNotification("textDocument/didChange", {
      textDocument: { uri: this.uri(path), version },
      contentChanges: [{ text }],
    });
  }

  lenses(path: string): Promise<CodeLens[] | null> {
    return this.connection.sendRequest("textDocument/codeLens", { textDocument: { uri: this.uri(path) } });
  }

  end(): void {
    this.connection.dispose();
    this.process.kill("SIGKILL");
  }
}
