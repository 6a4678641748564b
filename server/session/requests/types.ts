import type { CancellationToken, Connection, WorkDoneProgressReporter } from "vscode-languageserver";
import type { TextDocument } from "vscode-languageserver-textdocument";
import type { DocumentModel } from "../../features/model";
import type { Settings } from "../../protocol";
import type { FolderView } from "../folders";
import type { Log } from "../runSafe";
import type { Session } from "../session";

/** What requests of our own work with. */
export interface Tools {
  readonly connection: Connection;
  readonly log: Log;
  readonly session: Session;
  document(uri: string): TextDocument | undefined;
  model(uri: string): Promise<{ model: DocumentModel; settings: Settings; folder: FolderView } | null>;
}

/** One request: a name and what it does. Unlike a feature's, its failure reaches the caller, who asked for it by hand. */
export interface RequestHandler {
  readonly method: string;
  handle(
    tools: Tools,
    params: unknown,
    token: CancellationToken,
    progress: WorkDoneProgressReporter | null,
  ): Promise<unknown>;
}

export function handler<Params, Reply>(
  method: string,
  handle: (
    tools: Tools,
    params: Params,
    token: CancellationToken,
    progress: WorkDoneProgressReporter | null,
  ) => Promise<Reply>,
): RequestHandler {
  return { method, handle: (tools, params, token, progress) => handle(tools, params as Params, token, progress) };
}

/** A signal that follows a token. */
export function signalOf(token: CancellationToken): AbortSignal {
  const controller = new AbortController();
  if (token.isCancellationRequested) controller.abort();
  else token.onCancellationRequested(() => controller.abort());
  return controller.signal;
}
