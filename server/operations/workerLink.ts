import type { Job, JobProgress } from "./jobs";

/** What goes to a worker. One job at a time: to cancel it, the worker is ended, since a fit does not look at messages. */
export type ToWorker =
  | { readonly type: "start"; readonly assetsUri?: string }
  | { readonly type: "job"; readonly job: Job }
  | { readonly type: "file"; readonly id: number; readonly ok: boolean; readonly value: unknown };

export type FromWorker =
  | { readonly type: "progress"; readonly progress: JobProgress }
  | { readonly type: "done"; readonly result: unknown }
  | { readonly type: "failed"; readonly message: string }
  /** The worker still looks at its messages. */
  | { readonly type: "alive" }
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
