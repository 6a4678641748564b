import { parentPort } from "node:worker_threads";
import { memoryCache, runJob, type JobTools } from "./assessment/runJob";
import { createGrammars } from "./configs/treeSitter";
import { readAsset } from "./node/assets";
import { createDuckdbAccelerator } from "./node/duckdb";
import { createNodeHost } from "./node/host";
import { clientHost, hostByScheme } from "./session/clientHost";
import { serveJobs, type ToWorker } from "./session/worker";

/** Serves the jobs of the server that started this thread. */
export function start(): void {
  const port = parentPort;
  if (port) {
    const service = serveJobs(
      (message) => port.postMessage(message),
      (job, onProgress) => runJob(job, host, onProgress, undefined, tools),
    );
    const tools: JobTools = { grammars: createGrammars(readAsset), accelerator: createDuckdbAccelerator(), cache: memoryCache() };
    const host = hostByScheme(createNodeHost(), clientHost(service.ask, false));
    port.on("message", (message: ToWorker) => service.receive(message));
  }
}
