import * as vscode from "vscode";
import type * as library from "vscode-languageclient";
import type { BaseLanguageClient, LanguageClientOptions } from "vscode-languageclient";
import { DOCUMENT_LANGUAGES, QUERY_LANGUAGE } from "../server/detect";
import { Commands, SecretRequest, type InitialisationOptions, type SecretParams } from "../server/protocol";
import { serveFiles } from "./files";
import { describe, log } from "./log";
import type { StoreSecrets } from "./secrets";
import type { Status } from "./status";

/**
 * Makes a client that is not started yet: Node starts a process, a browser a worker. The client library (nine tenths of the
 * extension's code) is loaded here and not before, so that activation stays short.
 */
export type ClientFactory = (options: LanguageClientOptions) => Promise<BaseLanguageClient>;

type Library = typeof library;

/** A server that ends this often within three minutes stays down; the status says so. */
const MOST_RESTARTS = 4;
const RESTART_WINDOW = 3 * 60_000;

/** The one client, started when it is first needed. */
export class Client implements vscode.Disposable {
  readonly #context: vscode.ExtensionContext;
  readonly #factory: ClientFactory;
  readonly #status: Status;
  readonly #secrets: StoreSecrets;
  readonly #ends: number[] = [];
  #running: Promise<BaseLanguageClient> | undefined;

  constructor(context: vscode.ExtensionContext, factory: ClientFactory, status: Status, secrets: StoreSecrets) {
    this.#context = context;
    this.#factory = factory;
    this.#status = status;
    this.#secrets = secrets;
  }

  get started(): boolean {
    return this.#running !== undefined;
  }

  /** The running client; rejects where the server could not be started. */
  get(): Promise<BaseLanguageClient> {
    this.#running ??= this.#start().catch((error: unknown) => {
      this.#running = undefined;
      log().error(`The server did not start: ${describe(error)}`);
      this.#status.fail(describe(error));
      throw error;
    });
    return this.#running;
  }

  /** Sends a request of our own; starts the server where it is not running. */
  async ask<Reply>(method: string, params: unknown, token?: vscode.CancellationToken): Promise<Reply> {
    const client = await this.get();
    // An undefined token would be sent along as a second parameter.
    return token ? client.sendRequest<Reply>(method, params, token) : client.sendRequest<Reply>(method, params);
  }

  async #start(): Promise<BaseLanguageClient> {
    const client = await this.#factory(this.#options(await import("vscode-languageclient")));
    this.#context.subscriptions.push(
      serveFiles(client),
      client.onRequest(SecretRequest, (params: SecretParams) => this.#secrets.handed(params)),
      this.#status.listenTo(client),
    );
    await client.start();
    return client;
  }

  #options({ CloseAction, ErrorAction, RevealOutputChannelOn }: Library): LanguageClientOptions {
    const { extensionUri, globalStorageUri } = this.#context;
    const initializationOptions: InitialisationOptions = {
      workerUrl: vscode.Uri.joinPath(extensionUri, "dist", "server-web.js").toString(true),
      assetsUri: vscode.Uri.joinPath(extensionUri, "dist", "wasm").toString(),
      docsUri: vscode.Uri.joinPath(extensionUri, "docs").toString(),
      cacheUri: vscode.Uri.joinPath(globalStorageUri, "readings").toString(),
      canWrite: vscode.workspace.isTrusted,
      locale: vscode.env.language,
    };
    return {
      documentSelector: [...DOCUMENT_LANGUAGES, QUERY_LANGUAGE].map((language) => ({ language })),
      outputChannel: log(),
      // Nothing ever pops up: errors are in the status item and the log.
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      initializationOptions,
      initializationFailedHandler: (error) => {
        log().error(`The server could not be initialised: ${describe(error)}`);
        return false;
      },
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue, handled: true }),
        closed: () => ({ action: this.#restarts() ? CloseAction.Restart : CloseAction.DoNotRestart, handled: true }),
      },
      markdown: {
        isTrusted: {
          enabledCommands: [
            Commands.optimise,
            Commands.explain,
            Commands.setValue,
            Commands.fitLogs,
            Commands.calibrate,
          ],
        },
        supportHtml: false,
      },
      diagnosticPullOptions: { onChange: true, onSave: false, onTabs: false },
      synchronize: {
        fileEvents: ["**/scaling.{yaml,yml}", "**/*.fit.json"].map((glob) => {
          const watcher = vscode.workspace.createFileSystemWatcher(glob);
          this.#context.subscriptions.push(watcher);
          return watcher;
        }),
      },
    };
  }

  /** Whether a server that ended by itself is started again. */
  #restarts(): boolean {
    const now = Date.now();
    this.#ends.push(now);
    while (this.#ends[0] < now - RESTART_WINDOW) this.#ends.shift();
    if (this.#ends.length <= MOST_RESTARTS) {
      log().warn("The server ended unexpectedly and is started again.");
      return true;
    }
    log().error(`The server ended ${this.#ends.length} times within three minutes and stays down.`);
    this.#status.fail(
      vscode.l10n.t("The Scaling Lens server keeps ending. See the log; reload the window to try again."),
    );
    return false;
  }

  /** Trust decides what may be written; a server that runs is told by starting it again. */
  trusted(): void {
    if (!this.#running) return;
    void this.dispose()
      .then(() => this.get())
      .catch(() => undefined);
  }

  async dispose(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    if (running)
      await running.then(
        (client) => client.stop(),
        () => undefined,
      );
  }
}
