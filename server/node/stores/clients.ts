import { isSelect } from "../../sources/stores/sql";
import { clickhouseRows } from "./clickhouse";
import { postgresRows } from "./postgres";
import { sqliteRows } from "./sqlite";

type Row = Readonly<Record<string, unknown>>;

/** What one statement may take: summaries of 10⁹ rows take minutes. */
const LIMIT_MS = 15 * 60_000;

/** Rows of one SELECT on the store that a URI names. Anything but a SELECT is refused before a connection is made. */
export function rowsOfStore(uri: string, sql: string, signal?: AbortSignal): AsyncIterable<Row> {
  if (!isSelect(sql)) throw new Error("only SELECT is sent to a store");
  const scheme = /^([a-z]+):/i.exec(uri)?.[1].toLowerCase();
  switch (scheme) {
    case "sqlite":
      return sqliteRows(uri, sql, signal);
    case "postgres":
    case "postgresql":
      return postgresRows(uri, sql, LIMIT_MS, signal);
    case "clickhouse":
    case "clickhouses":
      return clickhouseRows(uri, sql, LIMIT_MS, signal);
    default:
      throw new Error(`${scheme ?? "this"} is no store that is known`);
  }
}
