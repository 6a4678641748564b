import * as vscode from "vscode";
import { DOCUMENT_LANGUAGES, documentKind, QUERY_LANGUAGE } from "../server/detect";
import { Requests, type DocumentReply, type ExplainReply } from "../server/protocol";
import { Client, type ClientFactory } from "./client";
import { registerCommands } from "./commands";
import { ExplainPanel } from "./explainPanel";
import { inFront, withOtherCells } from "./inFront";
import { describe, log } from "./log";
import { registerNotebook } from "./notebook";
import { StoreSecrets } from "./secrets";
import { Status } from "./status";
import { registerTools } from "./tools";
import { VirtualDocuments } from "./virtualDocuments";

/** What the tests in a real host may use of a running extension. */
export interface Api {
  readonly serverStarted: () => boolean;
}

/** A document that grows into a budget is noticed this long after the last key. */
const NOTICE_AFTER = 300;

/**
 * Sets everything up without starting or awaiting the server: that happens when a document is ours, when a command needs
 * it, or when a notebook cell runs.
 */
export function activate(context: vscode.ExtensionContext, factory: ClientFactory): Api {
  const status = new Status();
  const secrets = new StoreSecrets(context.secrets, () => ({
    isTrusted: vscode.workspace.isTrusted,
    isTraced: !/^(off|messages)$/.test(vscode.workspace.getConfiguration("scalingLens").get("trace.server", "off")),
  }));
  const client = new Client(context, factory, status, secrets);
  const documents = new VirtualDocuments((source) => client.ask<DocumentReply>(source.method, source.params));
  const explain = new ExplainPanel(context, (params) => client.ask<ExplainReply>(Requests.explain, params));
  context.subscriptions.push(
    status.onDidSettle(({ uri }) => documents.refresh(uri)),
    status.onDidSettle(({ uri }) => explain.refresh(uri)),
    explain,
    status,
    client,
    documents,
    registerCommands({ context, client, documents, explain, secrets }),
    watchDocuments(client),
    registerTools(context, client),
  );
  context.subscriptions.push(vscode.workspace.onDidGrantWorkspaceTrust(() => client.trusted()));
  registerNotebook(context, () => client.get());
  return { serverStarted: () => client.started };
}

function watchDocuments(client: Client): vscode.Disposable {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const start = () => {
    // The failure is already in the log and the status item.
    if (!client.started) client.get().catch(() => undefined);
  };
  const look = (document: vscode.TextDocument) => {
    if (!client.started && kindOf(document) !== null) start();
  };
  const lookAtActive = () => {
    const document = inFront();
    const kinds = document ? withOtherCells(document).map(kindOf) : [];
    vscode.commands
      .executeCommand("setContext", "scalingLens.hasBudget", kinds.includes("budget") || kinds.includes("framework"))
      .then(undefined, (error: unknown) => log().warn(describe(error)));
  };
  for (const document of vscode.workspace.textDocuments) look(document);
  lookAtActive();
  return vscode.Disposable.from(
    vscode.workspace.onDidOpenTextDocument((document) => {
      look(document);
      lookAtActive();
    }),
    vscode.window.onDidChangeActiveTextEditor(lookAtActive),
    vscode.window.onDidChangeActiveNotebookEditor(lookAtActive),
    vscode.workspace.onDidChangeTextDocument(({ document }) => {
      if (document !== inFront() || !languages.has(document.languageId)) return;
      clearTimeout(timer);
      timer = setTimeout(() => {
        look(document);
        lookAtActive();
      }, NOTICE_AFTER);
    }),
    { dispose: () => clearTimeout(timer) },
  );
}

const languages: ReadonlySet<string> = new Set([...DOCUMENT_LANGUAGES, QUERY_LANGUAGE]);
const OTHER_SCHEMES: ReadonlySet<string> = new Set([
  "git",
  "output",
  "scaling-lens",
  "vscode-scm",
  "walkThrough",
  "debug",
]);

function kindOf(document: vscode.TextDocument) {
  if (!languages.has(document.languageId) || OTHER_SCHEMES.has(document.uri.scheme)) return null;
  return documentKind(document.uri.path, document.languageId, document.getText());
}
