import { parentPort, workerData } from "node:worker_threads";
import { runJob, type JobTools } from "../operations/runJob";
import { createGrammars } from "../syntax/treeSitter";
import { readAsset } from "../node/assets";
import { sessionCache } from "../node/cache";
import { createDuckdbAccelerator } from "../node/duckdb";
import { createWorkerHost } from "../node/host";
import { createRemoteHost } from "../node/remote/host";
import { createStoreQuery } from "../node/stores";
import { clientHost, clientSecrets, hostByScheme } from "../session/clientHost";
import { serveJobs } from "../operations/runner";
import type { ToWorker } from "../operations/workerLink";

/** What a worker is started with. */
export interface WorkerData {
  /** Folder for what was read of run logs, as a URI; absent where nothing is to outlast the worker. */
  readonly cacheUri?: string;
}

/** Serves the jobs of the server that started this thread. */
export function start(): void {
  const port = parentPort;
  // As long as the worker lives: what a server that is gone has told before.
  const remembered = new Map<string, unknown>();
  if (port) {
    const service = serveJobs(
      (message) => port.postMessage(message),
      (job, onProgress) => runJob(job, host, onProgress, undefined, tools),
    );
    const secretOf = clientSecrets(service.ask);
    const tools: JobTools = {
      grammars: createGrammars(readAsset),
      accelerator: createDuckdbAccelerator(),
      stores: createStoreQuery(secretOf),
      onlyNamedStores: true,
      remote: (allows) => createRemoteHost(remembered, allows, secretOf),
      cache: sessionCache((workerData as WorkerData | null)?.cacheUri),
    };
    const host = hostByScheme(createWorkerHost(), clientHost(service.ask, false));
    port.on("message", (message: ToWorker) => service.receive(message));
  }
}
