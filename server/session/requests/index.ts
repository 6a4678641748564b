import type { Connection } from "vscode-languageserver";
import type { TextDocument } from "vscode-languageserver-textdocument";
import { describeError, type Log } from "../runSafe";
import type { Session } from "../session";
import { calibrate } from "./calibrate";
import { compare, explain } from "./documents";
import { folderEdit, laws, scaffold, secretAddresses } from "./folder";
import { operation } from "./operation";
import { optimise } from "./optimise";
import { plan } from "./plan";
import { planFiles } from "./planFiles";
import { query } from "./query";
import { fitLogs, measure, scanLogs } from "./runs";
import type { RequestHandler, Tools } from "./types";

const HANDLERS: readonly RequestHandler[] = [
  optimise,
  explain,
  compare,
  scanLogs,
  fitLogs,
  measure,
  laws,
  scaffold,
  folderEdit,
  calibrate,
  plan,
  planFiles,
  query,
  operation,
  secretAddresses,
];

interface Wiring {
  readonly connection: Connection;
  readonly log: Log;
  session(): Session | null;
  document(uri: string): TextDocument | undefined;
  model: Tools["model"];
}

/** Answers every request of our own. A failure is logged and reaches the caller, who asked for it by hand. */
export function registerRequests({ connection, log, session, document, model }: Wiring): void {
  for (const { method, handle } of HANDLERS) {
    connection.onRequest(method, async (params: unknown, token) => {
      const running = session();
      if (!running) throw new Error("The server is not ready.");
      const workDoneToken = (params as { workDoneToken?: string | number } | null)?.workDoneToken;
      const progress = workDoneToken === undefined ? null : connection.window.attachWorkDoneProgress(workDoneToken);
      try {
        return await handle({ connection, log, session: running, document, model }, params, token, progress);
      } catch (error) {
        if (!token.isCancellationRequested) log.error(`${method} failed: ${describeError(error)}`);
        throw error;
      } finally {
        progress?.done();
      }
    });
  }
}
