import type { Job, JobProgress, JobResult, JobRunner } from "./jobs";
import type { Host } from "../host";

/** What goes to a worker. One job at a time: to cancel it, the worker is ended, since a fit does not look at messages. */
export type ToWorker =
  | { readonly type: "start"; readonly assetsUri?: string }
  | { readonly type: "job"; readonly job: Job }
  | { readonly type: "file"; readonly id: number; readonly ok: boolean; readonly value: unknown };

export type FromWorker =
  | { readonly type: "progress"; readonly progress: JobProgress }
  | { readonly type: "done"; readonly result: unknown }
  | { readonly type: "failed"; readonly message: string }
  /** Files that the worker cannot reach by itself. */
  | { readonly type: "ask"; readonly id: number; readonly method: string; readonly params: unknown };

/** A running worker, whatever the platform calls it. */
export interface WorkerLink {
  post(message: ToWorker): void;
  onMessage(listener: (message: FromWorker) => void): void;
  /** The worker died by itself. */
  onEnd(listener: (reason: string) => void): void;
  end(): void;
}

export class JobCancelled extends Error {
  constructor() {
    super("Cancelled");
    this.name = "JobCancelled";
  }
}

class NoWorker extends Error {}

type Ask = (method: string, params: unknown) => Promise<unknown>;

/**
 * Runs jobs in a worker, one after another. The worker is started for the first job and kept; `ask` answers its file
 * requests. Where no worker can be started, `inPlace` does the work.
 */
export function workerRunner(
  start: () => WorkerLink,
  ask: Ask,
  inPlace: JobRunner,
  onFallback: (reason: string) => void,
): JobRunner {
  let link: WorkerLink | null = null;
  let usable = true;
  let tail: Promise<unknown> = Promise.resolve();

  const inWorker = (
    job: Job,
    onProgress: ((progress: JobProgress) => void) | undefined,
    signal: AbortSignal | undefined,
  ): Promise<unknown> => {
    link ??= start();
    const worker = link;
    return new Promise((resolve, reject) => {
      const drop = () => {
        worker.end();
        if (link === worker) link = null;
      };
      const onAbort = () => {
        drop();
        reject(new JobCancelled());
      };
      const settle = (finish: () => void) => {
        signal?.removeEventListener("abort", onAbort);
        finish();
      };
      signal?.addEventListener("abort", onAbort, { once: true });
      let heard = false;
      worker.onEnd((reason) =>
        settle(() => {
          if (link === worker) link = null;
          // One that never spoke could not be loaded here, and none will be.
          reject(heard ? new Error(`The worker ended: ${reason}`) : new NoWorker(reason));
        }),
      );
      worker.onMessage((message) => {
        heard = true;
        switch (message.type) {
          case "progress":
            onProgress?.(message.progress);
            break;
          case "done":
            settle(() => resolve(message.result));
            break;
          case "failed":
            settle(() => reject(new Error(message.message)));
            break;
          case "ask":
            ask(message.method, message.params).then(
              (value) => worker.post({ type: "file", id: message.id, ok: true, value }),
              (error: unknown) => worker.post({ type: "file", id: message.id, ok: false, value: String(error) }),
            );
        }
      });
      worker.post({ type: "job", job });
    });
  };

  return {
    run<J extends Job>(
      job: J,
      onProgress?: (progress: JobProgress) => void,
      signal?: AbortSignal,
    ): Promise<JobResult<J>> {
      const turn = tail.then(async () => {
        if (signal?.aborted) throw new JobCancelled();
        if (usable) {
          try {
            link ??= start();
          } catch (error) {
            usable = false;
            onFallback(String(error));
          }
        }
        if (!usable) return inPlace.run(job, onProgress, signal);
        try {
          return (await inWorker(job, onProgress, signal)) as JobResult<J>;
        } catch (error) {
          if (!(error instanceof NoWorker)) throw error;
          usable = false;
          onFallback(error.message);
          return inPlace.run(job, onProgress, signal);
        }
      });
      tail = turn.catch(() => undefined);
      return turn;
    },
  };
}

/** The worker's side: takes jobs, reports, and reaches foreign files through its owner. */
export function serveJobs(
  post: (message: FromWorker) => void,
  run: (job: Job, onProgress: (progress: JobProgress) => void) => Promise<unknown>,
  onStart: (assetsUri: string | undefined) => void = () => undefined,
): { readonly receive: (message: ToWorker) => void; readonly ask: Ask } {
  const waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>();
  let asked = 0;
  return {
    receive(message) {
      if (message.type === "start") {
        onStart(message.assetsUri);
        return;
      }
      if (message.type === "file") {
        const answer = waiting.get(message.id);
        waiting.delete(message.id);
        if (message.ok) answer?.resolve(message.value);
        else answer?.reject(new Error(String(message.value)));
        return;
      }
      run(message.job, (progress) => post({ type: "progress", progress })).then(
        (result) => post({ type: "done", result }),
        (error: unknown) => post({ type: "failed", message: error instanceof Error ? error.message : String(error) }),
      );
    },
    ask: (method, params) =>
      new Promise((resolve, reject) => {
        const id = ++asked;
        waiting.set(id, { resolve, reject });
        post({ type: "ask", id, method, params });
      }),
  };
}

/** Jobs on the calling thread. */
export function inPlaceRunner(
  host: Host,
  run: (
    job: Job,
    host: Host,
    onProgress: (progress: JobProgress) => void,
    signal: AbortSignal | undefined,
  ) => Promise<unknown>,
): JobRunner {
  return {
    run: <J extends Job>(job: J, onProgress?: (progress: JobProgress) => void, signal?: AbortSignal) =>
      run(job, host, onProgress ?? (() => undefined), signal) as Promise<JobResult<J>>,
  };
}
