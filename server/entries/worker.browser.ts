import { memoryCache, runJob } from "../operations/runJob";
import { createGrammars, type Grammars } from "../syntax/treeSitter";
import { assetReader, clientHost } from "../session/clientHost";
import { serveJobs } from "../operations/runner";
import type { FromWorker, ToWorker } from "../operations/workerLink";

/** What a worker sees as itself; the DOM types describe a window instead. */
const scope = globalThis as unknown as {
  postMessage(message: FromWorker): void;
  onmessage: ((event: { data: ToWorker }) => void) | null;
};

/** Serves the jobs of the server that started this worker. */
export function start(): void {
  const cache = memoryCache();
  let grammars: Grammars | undefined;
  const service = serveJobs(
    (message) => scope.postMessage(message),
    (job, onProgress) => runJob(job, host, onProgress, undefined, { grammars, cache }),
    (assetsUri) => {
      grammars = createGrammars(assetReader(host, assetsUri));
    },
  );
  const host = clientHost(service.ask, false);
  scope.onmessage = ({ data }) => service.receive(data);
}
