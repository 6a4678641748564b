import { queryMemory, runQuery, type QueryMemory } from "../../cells";
import { folderOf } from "../../syntax/uris";
import {
  Notifications,
  Requests,
  type QueryProgressParams,
  type RunQueryParams,
  type RunQueryReply,
} from "../../protocol";
import type { Session } from "../session";
import { handler, signalOf } from "./types";

/** What cells have computed, kept as long as their session. */
const memories = new WeakMap<Session, QueryMemory>();

function memoryOf(session: Session): QueryMemory {
  let memory = memories.get(session);
  if (!memory) memories.set(session, (memory = queryMemory()));
  return memory;
}

export const query = handler<RunQueryParams, RunQueryReply>(
  Requests.runQuery,
  async ({ session, connection }, params, token) => {
    const project = await session.projectOf(params.notebookUri);
    const settings = await session.settingsOf(params.notebookUri);
    const signal = signalOf(token);
    return runQuery(params.text, params.above, {
      host: session.host,
      jobs: session.jobs,
      grammars: session.grammars,
      ...(session.pictures ? { pictures: session.pictures } : {}),
      baseUri: folderOf(params.notebookUri),
      folderUri: project.folderUri,
      scaling: project.scaling,
      defaultFit: () => project.settled(signal),
      memory: memoryOf(session),
      vegaLite: params.vegaLite,
      recommend: settings.recommendation,
      signal,
      onProgress: ({ label, share }) => {
        const progress: QueryProgressParams = { token: params.token, label, share };
        connection.sendNotification(Notifications.queryProgress, progress).catch(() => undefined);
      },
    });
  },
);
