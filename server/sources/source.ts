import type { RunRow } from "../core/table";
import type { Host } from "../host";
import type { FoundFile } from "../records/files";
import type { Notes } from "../records/notes";
import type { DuplicateRule } from "../rollouts/duplicates";
import type { RolloutMeasure } from "../rollouts/types";
import type { Columns } from "../runs/columns";
import type { RunOptions, StoreQuery } from "../runs/options";
import type { Interest, RunMetrics } from "../runs/series";
import type { ReadingCache } from "./kept/readingCache";
import type { ReadContext } from "./files/readers/reader";

/** What a source may use of the world. */
export interface World {
  readonly host: Host;
  readonly notes: Notes;
  /** As scaling.yaml maps them. */
  readonly columns: Columns;
  /** Which metrics matter: others need not travel. */
  readonly wants: (metric: string) => Interest;
  /** What was read in earlier times. */
  readonly cache: ReadingCache;
  readonly options: RunOptions;
  /** Whether sources before this one held anything. */
  readonly others: boolean;
  /** Something of this size (bytes) is going to be read. */
  prepare(size: number): void;
}

/** One witness of a run. */
interface RunLog {
  /** Stable, such as `console-3`. */
  readonly kind: string;
  /** For notes: `a W&B export`. */
  readonly title: string;
  /** Where it is; sizes are in bytes, 0 where reading takes no time of ours. */
  readonly files: readonly FoundFile[];
  /** @param metric the run's own success metric, where it states one */
  read(context: ReadContext, metric?: string): Promise<readonly RunMetrics[]>;
}

/** One run as found: its logs, the best witness first, and where its config may be. */
export interface FoundRun<Log = RunLog> {
  readonly id: string;
  /** The run's folder, or its address. */
  readonly root: string;
  readonly name: string;
  readonly logs: readonly Log[];
  readonly runJson?: FoundFile;
  /** Possible configs, the likeliest first. */
  readonly configs: readonly FoundFile[];
}

/** A table of results: a row a run. */
interface FoundTable {
  readonly file: FoundFile;
  read(context: ReadContext): Promise<readonly RunRow[]>;
}

/** What an address holds. */
export interface Holding {
  readonly runs: readonly FoundRun[];
  readonly tables: readonly FoundTable[];
  /** Put before its runs' names where other sources came before. */
  readonly prefix: string;
}

export interface RolloutQuestion {
  readonly host: Host;
  readonly notes: Notes;
  readonly columns?: Readonly<Record<string, string>>;
  /** Reward from which a rollout counts as solved, where the rows state no success. */
  readonly solvedAt: number;
  /** How repeated tasks are told, and the cosine distance up to which two are the same. */
  readonly duplicates?: DuplicateRule;
  readonly threshold?: number;
  readonly query?: StoreQuery;
  readonly signal?: AbortSignal;
}

/**
 * A kind of place where runs live. Adding one is a file that exports this, and a line in `sources/index.ts`. Nothing rejects but
 * for the signal; what is wrong is in the notes.
 */
export interface Source {
  readonly id: string;
  /** Whether an address of `logs:` is this source's. */
  matches(uri: string): boolean;
  find(uri: string, world: World): Promise<Holding>;
  /** Measures rollouts where they are; absent: it holds none. Null where they cannot be read. */
  rollouts?(uri: string, question: RolloutQuestion): Promise<Omit<RolloutMeasure, "files" | "notes"> | null>;
}
