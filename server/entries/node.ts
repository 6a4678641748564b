import { existsSync } from "node:fs";
import { join } from "node:path";
import { Worker, type ResourceLimits } from "node:worker_threads";
import { createConnection, ProposedFeatures } from "vscode-languageserver/node";
import { runJob } from "../operations/runJob";
import { createGrammars } from "../syntax/treeSitter";
import { readAsset } from "../node/assets";
import { sessionCache } from "../node/cache";
import { createNodeHost } from "../node/host";
import { createStoreQuery } from "../node/stores";
import { nodePictures } from "../node/pictures";
import { clientHost, clientSecrets, hostByScheme, readOnly } from "../session/clientHost";
import { inPlaceRunner, workerRunner } from "../operations/runner";
import { startServer } from "../session/server";
import type { WorkerData } from "./worker.node";
import type { WorkerLink } from "../operations/workerLink";

function startWorker(workerData: WorkerData, resourceLimits: ResourceLimits): WorkerLink {
  const script = join(__dirname, "worker.js");
  if (!existsSync(script)) throw new Error(`${script} is missing`);
  const worker = new Worker(script, { workerData, resourceLimits });
  // A worker that only waits must not keep the process alive.
  worker.unref();
  return {
    post: (message) => worker.postMessage(message),
    onMessage: (listener) => {
      worker.removeAllListeners("message").on("message", listener);
    },
    onEnd: (listener) => {
      worker.removeAllListeners("error").on("error", (error) => listener(error.message));
      worker.removeAllListeners("exit").on("exit", (code) => listener(`exit code ${code}`));
    },
    end: () => {
      void worker.removeAllListeners().terminate();
    },
  };
}

/** Memory of a worker that reads documents, and of one that reads runs and fits (MB): past it, the worker ends and not the server. */
const READING_LIMITS: ResourceLimits = { maxOldGenerationSizeMb: 224, maxYoungGenerationSizeMb: 32 };
const JOB_LIMITS: ResourceLimits = { maxOldGenerationSizeMb: 2048 };

/** Processor time of this process, in milliseconds. */
function spent(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Serves the editor that started this process. */
export function start(): void {
  startServer(createConnection(ProposedFeatures.all), (options, ask, log) => {
    const canWrite = options.canWrite !== false;
    const host = hostByScheme(canWrite ? createNodeHost() : readOnly(createNodeHost()), clientHost(ask, canWrite));
    const grammars = createGrammars(readAsset);
    // Where nothing may be written, the cache is not either.
    const cacheUri = canWrite ? options.cacheUri : undefined;
    const cache = sessionCache(cacheUri);
    const stores = createStoreQuery(clientSecrets(ask));
    const inPlace = inPlaceRunner(host, (job, files, onProgress, signal) =>
      runJob(job, files, onProgress, signal, { grammars, cache, stores, onlyNamedStores: true }),
    );
    const jobs = workerRunner(
      () => startWorker({ cacheUri }, JOB_LIMITS),
      ask,
      inPlace,
      (reason) => log.warn(`Fits run on the server's own thread: ${reason}`),
      { most: 2, silence: 60_000, spent },
    );
    const readers = workerRunner(
      () => startWorker({}, READING_LIMITS),
      ask,
      inPlace,
      (reason) => log.warn(`Documents are read on the server's own thread: ${reason}`),
      { most: 3, next: "newest", quick: 300, silence: 1_500, start: 30_000, spent },
    );
    readers.warm();
    const pictures = nodePictures(__dirname, (message) => log.warn(message));
    return { host, jobs, readers, grammars, ...(pictures ? { pictures } : {}) };
  });
}
