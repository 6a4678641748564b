import { BrowserMessageReader, BrowserMessageWriter, createConnection } from "vscode-languageserver/browser";
import { runJob } from "../operations/runJob";
import { createGrammars } from "../syntax/treeSitter";
import { assetReader, clientHost } from "../session/clientHost";
import { inPlaceRunner, workerRunner } from "../operations/runner";
import { startServer } from "../session/server";
import type { Pictures } from "../report/print/pictures";
import { joined } from "../syntax/uris";
import type { Host } from "../host";
import type { InitialisationOptions } from "../protocol";
import { FONTS, threadedPictures } from "../report/print/threadedPictures";
import type { WorkerLink } from "../operations/workerLink";

declare const self: DedicatedWorkerGlobalScope;

/** What the DOM types do not know of a worker's own scope. */
interface DedicatedWorkerGlobalScope {
  postMessage(message: unknown): void;
  onmessage: ((event: MessageEvent) => void) | null;
  onerror: unknown;
  onmessageerror: unknown;
}

/** A worker of a worker: its script comes from another origin in most hosts, so a tiny local one imports it and says which part it is. */
function startWorker(url: string): WorkerLink {
  const script = URL.createObjectURL(
    new Blob([`self.scalingLensJob = true; importScripts(${JSON.stringify(url)});`], { type: "text/javascript" }),
  );
  const worker = new Worker(script);
  return {
    post: (message) => worker.postMessage(message),
    onMessage: (listener) => {
      worker.onmessage = ({ data }) => listener(data);
    },
    onEnd: (listener) => {
      worker.onerror = (event) => listener(event.message || "it could not be loaded");
    },
    end: () => worker.terminate(),
  };
}

/** Pictures for notebook files, drawn by a bundle beside the server's own. Without a place for it there are none. */
function picturesOf(
  host: Host,
  { workerUrl, assetsUri }: InitialisationOptions,
  warn: (message: string) => void,
): Pictures | undefined {
  if (!workerUrl || !assetsUri) return undefined;
  const url = workerUrl.replace(/[^/]*$/, "png.js");
  const read = assetReader(host, joined(assetsUri, ".."));
  return threadedPictures(
    () => {
      const worker = new Worker(
        URL.createObjectURL(new Blob([`importScripts(${JSON.stringify(url)});`], { type: "text/javascript" })),
      );
      return {
        post: (message) => worker.postMessage(message),
        onMessage: (listener) => {
          worker.onmessage = ({ data }) => listener(data);
        },
        onEnd: (listener) => {
          worker.onerror = (event) => listener(event.message || "it could not be loaded");
        },
      };
    },
    async () => ({
      wasm: await read("wasm/resvg.wasm"),
      fonts: await Promise.all(FONTS.map((name) => read(`fonts/${name}`))),
    }),
    warn,
  );
}

/** Serves the editor whose web worker this is. */
export function start(): void {
  const connection = createConnection(new BrowserMessageReader(self as never), new BrowserMessageWriter(self as never));
  startServer(connection, (options, ask, log) => {
    const host = clientHost(ask, options.canWrite !== false);
    const grammars = createGrammars(assetReader(host, options.assetsUri));
    const start = () => {
      if (!options.workerUrl) throw new Error("the client names no worker");
      const link = startWorker(options.workerUrl);
      link.post({ type: "start", assetsUri: options.assetsUri });
      return link;
    };
    const inPlace = inPlaceRunner(host, (job, files, onProgress, signal) =>
      runJob(job, files, onProgress, signal, { grammars }),
    );
    const jobs = workerRunner(
      start,
      ask,
      inPlace,
      (reason) => log.warn(`Fits run on the server's own thread: ${reason}`),
      { most: 2, silence: 60_000 },
    );
    const readers = workerRunner(
      start,
      ask,
      inPlace,
      (reason) => log.warn(`Documents are read on the server's own thread: ${reason}`),
      { most: 3, next: "newest", quick: 300, silence: 3_000, start: 60_000 },
    );
    readers.warm();
    const pictures = picturesOf(host, options, (message) => log.warn(message));
    return { host, readers, jobs, grammars, ...(pictures ? { pictures } : {}) };
  });
}
