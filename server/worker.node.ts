import { parentPort } from "node:worker_threads";
import { runJob } from "./assessment/runJob";
import { createGrammars } from "./configs/treeSitter";
import { readAsset } from "./node/assets";
import { createNodeHost } from "./node/host";
import { clientHost, hostByScheme } from "./session/clientHost";
import { serveJobs, type ToWorker } from "./session/worker";

/** Serves the jobs of the server that started this thread. */
export function start(): void {
  const port = parentPort;
  if (port) {
    const service = serveJobs(
      (message) => port.postMessage(message),
      (job, onProgress) => runJob(job, host, onProgress, undefined, grammars),
    );
    const grammars = createGrammars(readAsset);
    const host = hostByScheme(createNodeHost(), clientHost(service.ask, false));
    port.on("message", (message: ToWorker) => service.receive(message));
  }
}
