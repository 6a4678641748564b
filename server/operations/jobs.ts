import type { CellSurroundings } from "../syntax/notebook";
import type { TimedRun } from "../assessment/timedRuns";
import type { PackedDocument } from "../configs/packed";
import type { ScalingFile } from "../configs/scaling/scalingFile";
import type { FitOptions, FitFile } from "../core/fit";
import type { Problem } from "../core/result";
import type { RunTable } from "../core/table";
import type { RolloutMeasure } from "../rollouts/types";

/** Long work that leaves the server's main thread. Everything in it survives a structured clone. */
export type Job = JobOrder & {
  /** Folders outside of which nothing is read, where the workspace is not trusted. */
  readonly within?: readonly string[];
};

type JobOrder =
  | ({ readonly kind: "read-runs" } & RunsRequest)
  | ({ readonly kind: "fit" } & RunsRequest & { readonly options: FitOptions })
  | {
      readonly kind: "measure";
      readonly uris: readonly string[];
      /** As for runs; without them no store is asked in the editor. */
      readonly folderUri?: string;
      readonly scalingText?: string;
    }
  | {
      readonly kind: "read-document";
      readonly uri: string;
      readonly text: string;
      readonly languageId?: string;
      readonly cell?: CellSurroundings;
      readonly scaling: ScalingFile | null;
    };

/** Which runs, and how their logs are to be read. */
export interface RunsRequest {
  readonly folderUri: string;
  /** Globs, folders or files, relative to the folder or as URIs. */
  readonly sources: readonly string[];
  /** `scaling.yaml`'s text, whose mapping, metric and facts hold for the runs. */
  readonly scalingText?: string;
  /** What makes a setting: runs that differ in one of these are fitted apart. Default: all three, or what the logs state. */
  readonly by?: readonly ("model" | "algorithm" | "domain")[];
}

export interface JobProgress {
  /** What is being done: `Reading runs/a/metrics.jsonl`, `Refitting`. */
  readonly label: string;
  /** In [0, 1]. */
  readonly share: number;
}

export type JobResult<J extends Job = Job> = J extends { kind: "read-runs" }
  ? { readonly table: RunTable }
  : J extends { kind: "fit" }
    ? FitJobResult
    : J extends { kind: "measure" }
      ? MeasureJobResult
      : J extends { kind: "read-document" }
        ? PackedDocument
        : never;

export interface FitJobResult {
  readonly table: RunTable;
  /** What the logs tell of time, of runs that are still on as well. */
  readonly timed: readonly TimedRun[];
  readonly fit: { readonly ok: true; readonly value: FitFile } | { readonly ok: false; readonly problem: Problem };
}

export interface MeasureJobResult {
  readonly measure: RolloutMeasure;
}

/** Runs jobs one after another: in a worker in the editor, in place on the command line. */
export interface JobRunner {
  run<J extends Job>(job: J, onProgress?: (progress: JobProgress) => void, signal?: AbortSignal): Promise<JobResult<J>>;
}
