import type { CancellationToken } from "vscode";
import type { BaseLanguageClient } from "vscode-languageclient";
import {
  Notifications,
  Requests,
  type QueryProgressParams,
  type RunQueryParams,
  type RunQueryReply,
} from "../../server/protocol";

type OnProgress = (progress: QueryProgressParams) => void;

/** Runs one cell. The only thing the controller knows of the server. */
export type QueryRunner = (
  params: Omit<RunQueryParams, "token">,
  cancelled: CancellationToken,
  onProgress: OnProgress,
) => Promise<RunQueryReply>;

let counter = 0;

/** A runner over the language client, which is started by the first cell that needs it. */
export function clientRunner(client: () => Promise<BaseLanguageClient>): QueryRunner {
  return async (params, cancelled, onProgress) => {
    const connected = await client();
    const token = `cell-${++counter}`;
    const listening = connected.onNotification(Notifications.queryProgress, (progress: QueryProgressParams) => {
      if (progress.token === token) onProgress(progress);
    });
    try {
      return await connected.sendRequest<RunQueryReply>(Requests.runQuery, { ...params, token }, cancelled);
    } finally {
      listening.dispose();
    }
  };
}
