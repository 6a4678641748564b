import type { AxisName } from "../core/axes";
import type { RewardScheme, SyntheticShare } from "../core/table";
import type { ConfigReading } from "../budget/budget";
import type { Scale } from "./scale";

/** Which evaluations give a run its value. `last3`: the mean of the last three (the default); `best` flatters, and says so. */
export type FinalRule = "last" | "best" | `last${number}`;

/**
 * Reads a run's config through the framework readers; undefined when it is none. `text` is given where the log itself
 * carries the config (W&B, MLflow): plain JSON in the framework's own shape, to be read instead of the file.
 */
export type ConfigReader = (uri: string, text?: string) => Promise<ConfigReading | undefined>;

/** What is known about a run from outside its metrics: run.json, its config, `scaling.yaml`. */
export interface RunFacts {
  readonly axes?: Readonly<Partial<Record<AxisName, number>>>;
  readonly model?: string;
  readonly algorithm?: string;
  readonly domain?: string;
  readonly setting?: string;
  readonly seed?: string;
  /** Distinct evaluation tasks. */
  readonly evaluationTasks?: number;
  /** In (0, 1]. */
  readonly rewardDensity?: number;
  readonly rewardScheme?: RewardScheme;
  readonly synthesis?: Readonly<Partial<Record<AxisName, SyntheticShare>>>;
  readonly tokensPerTrajectory?: number;
  readonly gpus?: number;
  /** Training steps as planned. */
  readonly plannedSteps?: number;
  readonly promptsPerStep?: number;
  readonly groupSize?: number;
  readonly rolloutsPerStep?: number;
  /** Passes over the tasks as planned. */
  readonly epochs?: number;
  /** How the success metric is written. */
  readonly scale?: Scale;
  /** Where each axis level comes from. */
  readonly levels?: Readonly<Partial<Record<AxisName, string>>>;
  readonly simulated?: boolean;
  /** The framework whose key list is tried first. */
  readonly framework?: string;
  /** The success metric of these runs, as in `RunOptions`. */
  readonly metric?: string;
}

export interface RunProgress {
  /** Bytes read so far, and in all. */
  readonly done: number;
  readonly total: number;
  /** What is being read now. */
  readonly file: string;
}

/** Keeps what was read of an unchanged file. A store that fails only costs time. */
export interface RunCache {
  /** The value as it was set, whole; undefined otherwise. */
  get(key: string): Promise<string | undefined>;
  /** Rejects where the value cannot be kept, with a message for people. */
  set(key: string, value: string): Promise<void>;
}

/** Columns of a table file, in the order of its rows; NaN and null stand for an absent value. */
export interface ScanBatch {
  /** NaN: not there. */
  readonly numbers: Readonly<Record<string, Float64Array>>;
  readonly texts: Readonly<Record<string, TextColumn>>;
  readonly rows: number;
}

/** Texts as indices into the distinct ones of a batch; -1: not there. */
export interface TextColumn {
  readonly words: readonly string[];
  readonly codes: Int32Array;
}

export interface ScanRequest {
  readonly uri: string;
  /** Bytes of the file. */
  readonly size: number;
  readonly format: "jsonl" | "csv" | "parquet";
  readonly numbers: readonly string[];
  readonly texts: readonly string[];
  /** Rows where one of these is present. */
  readonly anyOf: readonly string[];
  /** Rows where one of these is absent are given besides: they say that the file is not as it seemed. */
  readonly required: readonly string[];
  /** The number column that counts steps: rows of the first steps (up to 1) are given besides, so that each run shows. */
  readonly step: string;
  readonly signal?: AbortSignal;
}

/**
 * A faster way to read the same columns of a large, clean file. Throws for anything it cannot read exactly (a malformed
 * line, a value of another type): the caller then reads the file plainly, which names the line.
 */
export interface TableAccelerator {
  readonly name: string;
  /** Bytes from which it pays. */
  readonly worthwhile: number;
  /** A file that is worth it has been found: what takes its time to start may start now. */
  prepare?(): void;
  scan(request: ScanRequest): AsyncIterable<ScanBatch>;
}

/** The accelerator itself failed (its process ended, or never began); of anything else that it throws the file is the reason. */
export class AcceleratorFailure extends Error {}

export interface RunOptions {
  /** The success metric's key, or a glob in which `*` stands for anything, such as `val-core/gsm8k/acc/mean@*`. */
  readonly metric?: string;
  /** Absent: `last3` of evaluations, and of training rollouts a window that holds 500. */
  readonly final?: FinalRule;
  /** How values are written, where they are no shares of 1. */
  readonly scale?: Scale;
  /** Our name of a column → the name in the files: `{ tasks: "n_prompts", success_rate: "acc" }`. */
  readonly columns?: Readonly<Record<string, string>>;
  readonly config?: ConfigReader;
  /**
   * Facts of `scaling.yaml` for a run by all the places that are its own (folder, files, `file#name`): one answer, however
   * its globs are written. They fill what run.json and the config leave open.
   */
  /** All that the facts rest on, in one text: what was read of tables is kept by it. */
  readonly factsKey?: string;
  readonly facts?: (uris: readonly string[]) => RunFacts | undefined;
  readonly cache?: RunCache;
  /** The time, in milliseconds since 1970, by which a run that was written lately is told from one that stopped. */
  readonly now?: number;
  readonly accelerator?: TableAccelerator;
  /** Asks the stores (databases) that `logs:` names; absent where none may be asked. */
  readonly stores?: StoreQuery;
  readonly onProgress?: (progress: RunProgress) => void;
  /** Stops the reading: the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** Rows of one SELECT on a store, as they come. Rejects with a message for people: never a secret in it. */
export type StoreQuery = (
  uri: string,
  sql: string,
  signal?: AbortSignal,
) => AsyncIterable<Readonly<Record<string, unknown>>>;
