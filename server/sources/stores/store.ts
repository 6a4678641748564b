import { holdsSecret } from "../../host";
import type { Notes } from "../../records/notes";
import type { StoreQuery } from "../../runs/options";
import type { Interest, RunMetrics } from "../../runs/series";
import type { ReadingCache } from "../kept/readingCache";
import { DIALECTS, type Dialect, type DialectName } from "./sql";

/** Types of columns by table and column, in lower case. */
export type StoreTables = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** What reading a store needs. */
export interface StoreContext {
  readonly query: StoreQuery;
  readonly notes: Notes;
  readonly wants: (metric: string) => Interest;
  readonly signal?: AbortSignal;
  /** Those of the store; none where the address names its table. */
  readonly tables: StoreTables;
  /** What was read before; absent: all is read. */
  readonly cache?: ReadingCache;
}

/** A run as a store holds it. */
export interface StoredRun {
  /** Unique within the store. */
  readonly id: string;
  readonly name: string;
  readonly metrics: RunMetrics;
  /** When it was last written, in milliseconds since 1970; 0 where the store does not say. */
  readonly modified: number;
}

/** One kind of store. Adding one is a file that exports this and a line in `stores/index.ts`. */
export interface Store {
  readonly id: string;
  /** For notes: `an MLflow store`. */
  readonly title: string;
  /** Whether the tables with these columns are this store's. */
  recognises(tables: StoreTables, place: StorePlace): boolean;
  /** Rejects where it cannot be read: with a StoreProblem where a table or a column is missing. */
  runs(place: StorePlace, context: StoreContext): Promise<StoredRun[]>;
}

/** Something that a store lacks, which its note names by a code of its own. */
export class StoreProblem extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** A URI of `logs:` taken apart. */
export interface StorePlace {
  /** As it is sent to `query`: without our own parameters. */
  readonly uri: string;
  readonly dialect: Dialect;
  /** Our own parameters: `runs`, `rollouts`, `experiment`, `project`. */
  readonly parameters: ReadonlyMap<string, string>;
}

const SCHEMES: Readonly<Record<string, DialectName>> = {
  sqlite: "sqlite",
  postgres: "postgres",
  postgresql: "postgres",
  clickhouse: "clickhouse",
  clickhouses: "clickhouse",
};

const OURS = new Set(["runs", "rollouts", "experiment", "project"]);

/** Whether a source of `logs:` is a store and no file. */
export function isStore(uri: string): boolean {
  const scheme = /^([a-z]+):/i.exec(uri)?.[1].toLowerCase();
  return scheme !== undefined && Object.hasOwn(SCHEMES, scheme);
}

const PASSWORD =
  "A password stands in this address. Take it out, and set it in the environment (PGPASSWORD, CLICKHOUSE_PASSWORD), or in the editor by “Store or forget a secret”.";

/** A store's URI taken apart; a text says what is wrong with it. A password in it is an error: workspace files are shared. */
export function storePlace(uri: string): StorePlace | string {
  const scheme = /^([a-z]+):/i.exec(uri)?.[1].toLowerCase() ?? "";
  const dialect = DIALECTS[SCHEMES[scheme]];
  if (holdsSecret(uri)) return PASSWORD;
  const [address, query = ""] = uri.split("?", 2);
  const parameters = new Map<string, string>();
  const rest: string[] = [];
  for (const part of query.split("&").filter((text) => text !== "")) {
    const [name, value = ""] = part.split("=", 2).map((text) => {
      try {
        return decodeURIComponent(text);
      } catch {
        return text;
      }
    });
    if (OURS.has(name)) parameters.set(name, value);
    else rest.push(part);
  }
  return { uri: rest.length > 0 ? `${address}?${rest.join("&")}` : address, dialect, parameters };
}

/** All rows of a query. */
export async function rowsOf(
  { query, signal }: Pick<StoreContext, "query" | "signal">,
  { uri }: StorePlace,
  sql: string,
): Promise<Readonly<Record<string, unknown>>[]> {
  const rows: Readonly<Record<string, unknown>>[] = [];
  for await (const row of query(uri, sql, signal)) rows.push(row);
  return rows;
}
