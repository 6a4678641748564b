import type { Job, JobProgress, JobResult, JobRunner } from "./jobs";
import type { Host } from "../host";
import { Seats, type Seat } from "./seats";
import type { FromWorker, ToWorker, WorkerLink } from "./workerLink";

export class JobCancelled extends Error {
  constructor() {
    super("Cancelled");
    this.name = "JobCancelled";
  }
}

/** A job that was given up: its worker said nothing for too long, or died of it. */
export class JobStopped extends Error {
  constructor(
    message: string,
    readonly why: "slow" | "died",
  ) {
    super(message);
    this.name = "JobStopped";
  }
}

class NoWorker extends Error {}

type Ask = (method: string, params: unknown) => Promise<unknown>;

export interface RunnerOptions {
  /** Workers at once (default 1): a job that takes long holds up no other while there is one more. */
  readonly most?: number;
  /** Which of the waiting jobs is next (default: the first). */
  readonly next?: "first" | "newest";
  /** Milliseconds after which a job counts as long; of several workers one is kept for those that are not. Default: there is none. */
  readonly quick?: number;
  /** Milliseconds without a word from a worker that has begun with a job, after which the worker is ended. Default: any time. */
  readonly silence?: number;
  /** The same for one that has not begun yet: its program is still being loaded. */
  readonly start?: number;
  /** Milliseconds of computing that the whole process has used, where that can be told. */
  readonly spent?: () => number;
}

/** How often a worker is waited for again where the process did not have its time. */
const MOST_PATIENCE = 4;

/** The worker is needed for something shorter: this job begins again later. */
class Yielded extends Error {}

/**
 * Runs jobs in workers. A worker is started when there is a job and none is idle, and kept; `ask`
 * answers its file requests. Where no worker can be started, `inPlace` does the work.
 */
export function workerRunner(
  start: () => WorkerLink,
  ask: Ask,
  inPlace: JobRunner,
  onFallback: (reason: string) => void,
  { most = 1, next = "first", quick, silence, start: startTime = silence, spent }: RunnerOptions = {},
): JobRunner & { warm(): void } {
  const seats = new Seats(start, { most, next, ...(quick !== undefined && { quick }), ...(spent && { spent }) });
  let usable = true;
  let inPlaceTail: Promise<unknown> = Promise.resolve();

  const inWorker = (
    seat: Seat,
    job: Job,
    onProgress: ((progress: JobProgress) => void) | undefined,
    signal: AbortSignal | undefined,
    onTurn: (giveUp: () => void) => void,
  ): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const { link } = seat;
      let timer: ReturnType<typeof setTimeout> | undefined;
      const give = (up: Error) => {
        seats.drop(seat);
        link.end();
        settle(() => reject(up));
      };
      const watch = (limit: number | undefined) => {
        clearTimeout(timer);
        if (limit === undefined) return;
        const before = spent?.() ?? 0;
        const wait = (ms: number, more: number) => {
          timer = setTimeout(() => {
            // On a machine that is busy with other things the time is not the worker's: what counts is the processor's.
            const left = spent ? limit - (spent() - before) : 0;
            if (more > 0 && left > limit / 10) wait(Math.max(left, limit / 2), more - 1);
            else give(new JobStopped(`It took longer than ${(limit / 1000).toFixed(1)} s and was stopped`, "slow"));
          }, ms);
        };
        wait(limit, MOST_PATIENCE);
      };
      const onAbort = () => give(new JobCancelled());
      onTurn(() => give(new Yielded()));
      const settle = (finish: () => void) => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", onAbort);
        finish();
      };
      signal?.addEventListener("abort", onAbort, { once: true });
      link.onEnd((reason) => {
        seats.drop(seat);
        // One that never spoke could not be loaded here, and none will be.
        settle(() => reject(seat.spoke ? new JobStopped(`The worker ended: ${reason}`, "died") : new NoWorker(reason)));
      });
      link.onMessage((message) => {
        seats.began(seat);
        watch(silence);
        switch (message.type) {
          case "alive":
            break;
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
              (value) => link.post({ type: "file", id: message.id, ok: true, value }),
              (error: unknown) => link.post({ type: "file", id: message.id, ok: false, value: String(error) }),
            );
        }
      });
      watch(startTime);
      link.post({ type: "job", job });
    });

  const here = <J extends Job>(job: J, onProgress?: (progress: JobProgress) => void, signal?: AbortSignal) => {
    const turn = inPlaceTail.then(() => {
      if (signal?.aborted) throw new JobCancelled();
      return inPlace.run(job, onProgress, signal);
    });
    inPlaceTail = turn.catch(() => undefined);
    return turn;
  };

  return {
    async run<J extends Job>(
      job: J,
      onProgress?: (progress: JobProgress) => void,
      signal?: AbortSignal,
    ): Promise<JobResult<J>> {
      if (!usable) return here(job, onProgress, signal);
      for (let long = false; ;) {
        let seat: Seat;
        // Until it runs there is nothing to give up.
        let giveUp = (): void => undefined;
        try {
          seat = await seats.take(long, () => giveUp());
        } catch (error) {
          usable = false;
          onFallback(String(error));
          return here(job, onProgress, signal);
        }
        try {
          if (signal?.aborted) throw new JobCancelled();
          return (await inWorker(seat, job, onProgress, signal, (way) => (giveUp = way))) as JobResult<J>;
        } catch (error) {
          if (error instanceof Yielded) {
            long = true;
            continue;
          }
          if (!(error instanceof NoWorker)) throw error;
          usable = false;
          onFallback(error.message);
          return await here(job, onProgress, signal);
        } finally {
          seats.leave(seat);
        }
      }
    },
    warm() {
      try {
        if (usable && seats.count === 0) seats.open();
      } catch (error) {
        usable = false;
        onFallback(String(error));
      }
    },
  };
}

/** How often a worker that is not busy with itself says so (milliseconds). */
const HEARTBEAT = 500;

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
      post({ type: "alive" });
      const alive = setInterval(() => post({ type: "alive" }), HEARTBEAT);
      run(message.job, (progress) => post({ type: "progress", progress }))
        .finally(() => clearInterval(alive))
        // A result that cannot be sent is a failure of the job, and no end of the worker.
        .then((result) => post({ type: "done", result }))
        .catch((error: unknown) =>
          post({ type: "failed", message: error instanceof Error ? error.message : String(error) }),
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
