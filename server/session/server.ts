import {
  CodeActionKind,
  DidChangeConfigurationNotification,
  DidChangeWatchedFilesNotification,
  DocumentDiagnosticReportKind,
  ResponseError,
  TextDocuments,
  TextDocumentSyncKind,
  WatchKind,
  type CancellationToken,
  type Connection,
  type InitializeResult,
  type InlayHint,
} from "vscode-languageserver";
import { TextDocument } from "vscode-languageserver-textdocument";
import { codeActions } from "../features/codeActions";
import { codeLenses } from "../features/codeLens";
import { completions } from "../features/completion";
import { diagnostics } from "../features/diagnostics";
import { hover } from "../features/hover";
import { inlayHints, resolveInlayHint, type HintData } from "../features/inlayHints";
import type { DocumentModel } from "../features/model";
import { queryCompletion, queryDiagnostics, queryHover } from "../features/cells";
import { documentKind, QUERY_LANGUAGE } from "../detect";
import { clientAbilities } from "./abilities";
import { Notifications, type InitialisationOptions, type Settings, type StatusParams } from "../protocol";
import type { FolderView } from "./folders";
import { NotebookCells, NOTEBOOK_SYNC } from "./notebookCells";
import { registerRequests } from "./requests";
import { resolveAction } from "./resolveAction";
import { describeError, runSafe, type Log } from "./runSafe";
import { Session, type Runtime } from "./session";
import { statusOf } from "./status";

/** What a runtime is made from: what the client said, and a way to ask it for files. */
export type RuntimeFactory = (
  options: InitialisationOptions,
  ask: (method: string, params: unknown) => Promise<unknown>,
  log: Log,
) => Runtime;

/** After the last edit, status and pushed diagnostics are brought up to date this much later. */
const SETTLE = 120;

/** Connects the features to a client. All state is in the session; what is here is wiring. */
export function startServer(connection: Connection, createRuntime: RuntimeFactory): void {
  const log: Log = {
    info: (m) => connection.console.info(m),
    warn: (m) => connection.console.warn(m),
    error: (m) => connection.console.error(m),
  };
  const documents = new TextDocuments(TextDocument);
  const cells = new NotebookCells(documents);
  let session: Session | null = null;
  let client = clientAbilities(null);
  let docsUri: string | undefined;

  connection.onInitialize((params): InitializeResult => {
    const options = (params.initializationOptions ?? {}) as InitialisationOptions;
    client = clientAbilities(params);
    docsUri = options.docsUri;
    const ask = (method: string, request: unknown) => connection.sendRequest<unknown>(method, request);
    const configuration = client.configuration
      ? (uri: string) =>
          connection.workspace.getConfiguration({ scopeUri: uri, section: "scalingLens" }) as Promise<unknown>
      : null;
    session = new Session(
      createRuntime(options, ask, log),
      options,
      configuration,
      params.workspaceFolders?.map(({ uri }) => uri) ?? [],
      log,
    );
    session.withDocuments((uri) => documents.get(uri) ?? documents.all().find((one) => sameUri(one.uri, uri)), cells);
    session.onChanged(() => {
      if (!session) return;
      refresh();
      for (const document of documents.all()) schedule(document.uri);
    });
    session.onProgressed(() => {
      for (const document of documents.all()) if (!timers.has(document.uri)) schedule(document.uri);
    });
    return {
      capabilities: {
        textDocumentSync: { openClose: true, change: TextDocumentSyncKind.Incremental, save: true },
        notebookDocumentSync: NOTEBOOK_SYNC,
        codeLensProvider: { resolveProvider: false },
        inlayHintProvider: { resolveProvider: true },
        hoverProvider: true,
        codeActionProvider: {
          codeActionKinds: [CodeActionKind.QuickFix, CodeActionKind.RefactorRewrite],
          resolveProvider: true,
        },
        completionProvider: { triggerCharacters: [" ", ":", "{", ","] },
        ...(client.pull && {
          diagnosticProvider: { identifier: "scaling-lens", interFileDependencies: true, workspaceDiagnostics: false },
        }),
        workspace: { workspaceFolders: { supported: true, changeNotifications: true } },
      },
      serverInfo: { name: "Scaling Lens" },
    };
  });

  connection.onInitialized(async () => {
    if (client.configurationChange)
      await connection.client.register(DidChangeConfigurationNotification.type, { section: "scalingLens" });
    if (client.folders) {
      connection.workspace.onDidChangeWorkspaceFolders(({ added, removed }) =>
        session?.changeFolders(
          added.map(({ uri }) => uri),
          removed.map(({ uri }) => uri),
        ),
      );
    }
    if (client.watch) session?.onWatch((globs) => watch(globs));
  });

  /** Run logs are watched only where a `scaling.yaml` names them, and only there. */
  let watching: Promise<{ dispose(): void } | null> = Promise.resolve(null);
  function watch(globs: readonly { readonly folder: string; readonly pattern: string }[]): void {
    watching = watching
      .then(async (before) => {
        before?.dispose();
        if (globs.length === 0) return null;
        const watchers = globs.map(({ folder, pattern }) => ({
          globPattern: client.relativeWatch ? { baseUri: folder, pattern } : pattern,
          kind: WatchKind.Create | WatchKind.Change | WatchKind.Delete,
        }));
        return connection.client.register(DidChangeWatchedFilesNotification.type, { watchers });
      })
      .catch((error: unknown) => {
        log.warn(`Run logs cannot be watched: ${describeError(error)}`);
        return null;
      });
  }

  connection.onDidChangeConfiguration(() => session?.settingsChanged());
  connection.onDidChangeWatchedFiles(({ changes }) => session?.filesChanged(changes.map(({ uri }) => uri)));

  function refresh(): void {
    const quietly = (request: Promise<unknown>) => {
      request.catch(() => undefined);
    };
    if (client.refreshLens) quietly(connection.languages.connection.sendRequest("workspace/codeLens/refresh"));
    if (client.refreshHints) quietly(connection.languages.inlayHint.refresh());
    if (client.pull && client.refreshDiagnostics) connection.languages.diagnostics.refresh();
  }

  const timers = new Map<string, ReturnType<typeof setTimeout>>();
  /** Status, and diagnostics where they are pushed, once a document has come to rest. */
  function schedule(uri: string): void {
    clearTimeout(timers.get(uri));
    timers.set(
      uri,
      setTimeout(() => {
        timers.delete(uri);
        void settle(uri).catch((error: unknown) => log.error(`Settling ${uri} failed: ${describeError(error)}`));
      }, SETTLE),
    );
  }

  async function settle(uri: string): Promise<void> {
    const found = await modelOf(uri);
    if (!found) return;
    if (documents.get(uri)?.version !== found.model.version) return;
    const live = session ? await session.liveOf(found.model) : undefined;
    const state: StatusParams = statusOf(found.model, found.folder, live);
    await connection.sendNotification(Notifications.status, state);
    if (!client.pull) {
      await connection.sendDiagnostics({
        uri,
        version: found.model.version,
        diagnostics: diagnostics(found.model, found.settings, NEVER, docsUri),
      });
    }
  }

  documents.onDidOpen(({ document }) => schedule(document.uri));
  documents.onDidChangeContent(({ document }) => schedule(document.uri));
  documents.onDidSave(({ document }) => session?.saved(document.uri));
  documents.onDidClose(({ document }) => {
    clearTimeout(timers.get(document.uri));
    timers.delete(document.uri);
    session?.closed(document.uri);
    if (!client.pull) connection.sendDiagnostics({ uri: document.uri, diagnostics: [] }).catch(() => undefined);
  });
  documents.listen(connection);
  cells.listen(connection, (changed) => {
    refresh();
    for (const uri of changed) schedule(uri);
  });

  /** A notebook cell in the query language, which has features of its own. */
  function queryCell(uri: string): TextDocument | null {
    const document = documents.get(uri);
    return document?.languageId === QUERY_LANGUAGE ? document : null;
  }

  async function modelOf(
    uri: string,
  ): Promise<{ model: DocumentModel; settings: Settings; folder: FolderView } | null> {
    const document = documents.get(uri);
    if (!document || !session) return null;
    // Before any await: most documents of these languages are nobody's budget.
    if (documentKind(uri, document.languageId, document.getText()) === null) return null;
    return session.model(document);
  }

  /** What a command is about: of a notebook, whichever cell is in front, the cell that holds the config. */
  async function meantBy(uri: string): ReturnType<typeof modelOf> {
    const own = await modelOf(uri);
    if (own && own.model.experiments.length > 0) return own;
    for (const cell of cells.codeWith(uri)) {
      const other = await modelOf(cell);
      if (other && other.model.experiments.length > 0) return other;
    }
    return own;
  }

  /** One feature over one document: nothing for documents that are not ours, and nothing of a version that has moved on. */
  async function feature<Value>(
    name: string,
    uri: string,
    token: CancellationToken,
    empty: Value,
    work: (model: DocumentModel, settings: Settings, folder: FolderView) => Value | Promise<Value>,
  ): Promise<Value | ResponseError<void>> {
    return runSafe(log, name, token, empty, async () => {
      const found = await modelOf(uri);
      if (!found || token.isCancellationRequested || documents.get(uri)?.version !== found.model.version) return empty;
      return work(found.model, found.settings, found.folder);
    });
  }

  connection.onCodeLens(({ textDocument }, token) =>
    feature("Code lens", textDocument.uri, token, [], async (model, settings) =>
      settings.codeLens.enabled && session ? codeLenses(model, token, await session.liveOf(model)) : [],
    ),
  );

  connection.onHover(({ textDocument, position }, token) => {
    const cell = queryCell(textDocument.uri);
    if (cell) return runSafe(log, "Hover", token, null, () => queryHover(cell.getText(), cell.offsetAt(position)));
    return feature("Hover", textDocument.uri, token, null, async (model, settings) =>
      settings.hover.enabled && session
        ? hover(model, documents.get(textDocument.uri)?.offsetAt(position) ?? 0, await session.liveOf(model))
        : null,
    );
  });

  connection.languages.inlayHint.on(({ textDocument, range }, token) =>
    feature<InlayHint[]>("Inlay hints", textDocument.uri, token, [], (model, settings) => {
      const document = documents.get(textDocument.uri);
      if (!document || !settings.inlayHints.enabled || model.limited) return [];
      return inlayHints(model, { start: document.offsetAt(range.start), end: document.offsetAt(range.end) }, token);
    }),
  );

  connection.languages.inlayHint.resolve((hint, token) => {
    const data = hint.data as HintData;
    return feature("Inlay hint", data.uri, token, hint, (model) =>
      model.version === data.version ? resolveInlayHint(model, hint) : hint,
    );
  });

  connection.onCodeAction(({ textDocument, range, context }, token) =>
    feature("Code actions", textDocument.uri, token, [], (model) => {
      const document = documents.get(textDocument.uri);
      return document
        ? codeActions(
            model,
            { start: document.offsetAt(range.start), end: document.offsetAt(range.end) },
            context,
            token,
          )
        : [];
    }),
  );

  connection.onCodeActionResolve((action, token) => {
    const uri = (action.data as { uri?: string } | undefined)?.uri ?? "";
    return feature("Code action", uri, token, action, (model, settings, folder) =>
      session ? resolveAction(session, model, settings, folder, action) : action,
    );
  });

  connection.onCompletion(({ textDocument, position }, token) =>
    runSafe(log, "Completion", token, [], () => {
      const document = documents.get(textDocument.uri);
      if (!document) return [];
      if (document.languageId === QUERY_LANGUAGE)
        return queryCompletion(document.getText(), document.offsetAt(position));
      const kind = documentKind(document.uri, document.languageId, document.getText());
      return kind === null
        ? []
        : completions(kind, document.languageId, document.getText(), document.offsetAt(position));
    }),
  );

  if (connection.languages.diagnostics) {
    connection.languages.diagnostics.on(async ({ textDocument }, token) => {
      const cell = queryCell(textDocument.uri);
      if (cell) return { kind: DocumentDiagnosticReportKind.Full, items: queryDiagnostics(cell.getText()) };
      const items = await feature("Diagnostics", textDocument.uri, token, [], (model, settings) =>
        diagnostics(model, settings, token, docsUri),
      );
      return items instanceof ResponseError
        ? (items as ResponseError<never>)
        : { kind: DocumentDiagnosticReportKind.Full, items };
    });
  }

  registerRequests({ connection, log, session: () => session, document: (uri) => documents.get(uri), model: meantBy });
  connection.onShutdown(() => {
    for (const timer of timers.values()) clearTimeout(timer);
    session?.dispose();
  });
  connection.listen();
}

/** Editors and paths do not encode alike: `%40` and `@`, `c%3A` and `c:`. */
function sameUri(a: string, b: string): boolean {
  try {
    return decodeURIComponent(a) === decodeURIComponent(b);
  } catch {
    return false;
  }
}

const NEVER = { isCancellationRequested: false };
