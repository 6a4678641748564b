import { type SecretOf, secretAddress, withoutSecrets } from "../../sources/secret";
import { isSelect } from "../../sources/stores/sql";
import { clickhouseRows } from "./clickhouse";
import { postgresRows } from "./postgres";
import { sqliteRows } from "./sqlite";

type Row = Readonly<Record<string, unknown>>;

/** What one statement may take: summaries of 10⁹ rows take minutes. */
const LIMIT_MS = 15 * 60_000;

/** The variables that hold a password, by the scheme of an address. */
const VARIABLES: Readonly<Record<string, string>> = {
  postgres: "PGPASSWORD",
  postgresql: "PGPASSWORD",
  clickhouse: "CLICKHOUSE_PASSWORD",
  clickhouses: "CLICKHOUSE_PASSWORD",
};

/**
 * Rows of one SELECT on the store that a URI names. Anything but a SELECT is refused before a connection is made.
 * @param secretOf who keeps passwords, which is asked where the environment has none
 */
export async function* rowsOfStore(
  uri: string,
  sql: string,
  signal?: AbortSignal,
  secretOf?: SecretOf,
): AsyncGenerator<Row> {
  if (!isSelect(sql)) throw new Error("only SELECT is sent to a store");
  const scheme = /^([a-z]+):/i.exec(uri)?.[1].toLowerCase() ?? "this";
  const given = process.env[VARIABLES[scheme] ?? ""];
  const address = secretAddress(uri);
  const password = given || (address === null ? undefined : await secretOf?.(address));
  try {
    yield* rowsBy(scheme, uri, sql, password, signal);
  } catch (error) {
    signal?.throwIfAborted();
    throw new Error(withoutSecrets(error instanceof Error ? error.message : String(error), [password]));
  }
}

function rowsBy(
  scheme: string,
  uri: string,
  sql: string,
  password: string | undefined,
  signal: AbortSignal | undefined,
): AsyncIterable<Row> {
  switch (scheme) {
    case "sqlite":
      return sqliteRows(uri, sql, signal);
    case "postgres":
    case "postgresql":
      return postgresRows(uri, sql, { limitMs: LIMIT_MS, password, signal });
    case "clickhouse":
    case "clickhouses":
      return clickhouseRows(uri, sql, { limitMs: LIMIT_MS, password, signal });
    default:
      throw new Error(`${scheme} is no store that is known`);
  }
}
