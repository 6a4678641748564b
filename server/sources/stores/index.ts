import { shownSource } from "../../host";
import { mlflowStore } from "./mlflow";
import { literal, textOf } from "./sql";
import type { StoreQuery } from "../../runs/options";
import {
  rowsOf,
  storePlace,
  type Store,
  type StoredRun,
  type StoreContext,
  StoreProblem,
  type StorePlace,
  type StoreTables,
} from "./store";
import { metricTable } from "./tables";
import { trackioStore } from "./trackio";

export { isStore, storePlace, type StoredRun } from "./store";

/** Kinds of stores, in the order in which they are tried. */
const STORES: readonly Store[] = [metricTable, mlflowStore, trackioStore];

/**
 * Runs of a store that `logs:` names; null where it could not be read. What is wrong is in the notes, with the store's name; only
 * the signal's reason is thrown.
 */
export async function readStore(
  uri: string,
  {
    query,
    notes,
    wants,
    signal,
    cache,
  }: Omit<StoreContext, "query" | "tables"> & { readonly query: StoreQuery | undefined },
): Promise<StoredRun[] | null> {
  const place = storePlace(uri);
  const at = { file: uri };
  if (typeof place === "string") {
    notes.error("store.password", place, { file: shownSource(uri) });
    return [];
  }
  if (!query) {
    notes.error("store.not-here", "Stores are read in a trusted workspace on this machine, not in a browser.", at);
    return [];
  }
  try {
    const tables = await tablesOf(place, query, signal);
    const context = { query, notes, wants, signal, tables, cache };
    const store = STORES.find((one) => one.recognises(tables, place));
    if (!store) {
      notes.error(
        "store.unknown",
        `No runs are recognised here: neither an MLflow store nor a Trackio project, and no table is named with ?runs=. Tables: ${[...tables.keys()].slice(0, 12).join(", ") || "none"}.`,
        at,
      );
      return null;
    }
    const runs = await store.runs(place, context);
    if (runs.length === 0) notes.warn("store.no-runs", `This is ${store.title} without runs.`, at);
    return runs;
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof StoreProblem) notes.error(error.code, error.message, at);
    else
      notes.error(
        "store.failed",
        `The store could not be read: ${error instanceof Error ? error.message : String(error)}`,
        at,
      );
    return null;
  }
}

/** Types of columns by table and column, in lower case. */
async function tablesOf(place: StorePlace, query: StoreQuery, signal?: AbortSignal): Promise<StoreTables> {
  const { dialect } = place;
  const tables = new Map<string, Map<string, string>>();
  if (place.parameters.has("runs")) return tables;
  const sql =
    dialect.name === "sqlite"
      ? "SELECT m.name AS name, c.name AS col, c.type AS type FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type = 'table'"
      : dialect.name === "clickhouse"
        ? "SELECT table AS name, name AS col, type AS type FROM system.columns WHERE database = currentDatabase()"
        : `SELECT table_name AS name, column_name AS col, data_type AS type FROM information_schema.columns WHERE table_schema NOT IN (${literal(dialect, "pg_catalog")}, ${literal(dialect, "information_schema")})`;
  for (const row of await rowsOf({ query, signal }, place, sql)) {
    const [name, column] = [textOf(row.name)?.toLowerCase(), textOf(row.col)?.toLowerCase()];
    if (name === undefined || column === undefined) continue;
    tables.set(name, (tables.get(name) ?? new Map<string, string>()).set(column, textOf(row.type) ?? ""));
  }
  return tables;
}
