import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

type Row = Readonly<Record<string, unknown>>;

/** Rows between which others get their turn, and a cancellation is looked for. */
const TURN = 2000;

interface Database {
  rows(sql: string): Iterable<Row>;
  close(): void;
}

/** Where `sqlite:…` points: a file URI, `~/…` or a path. */
function sqlitePath(uri: string): string {
  const place = uri.replace(/^sqlite:/i, "").split("?")[0];
  if (place.startsWith("file:")) return fileURLToPath(place);
  const path = decodeURIComponent(place);
  return path.startsWith("~/") ? join(homedir(), path.slice(2)) : path.replace(/^\/\/\/?(?=\/)/, "");
}

/**
 * Rows of a SQLite file, read-only, a live write-ahead log included. Node's own module is used where the host has it (22.13 and
 * later), libsql elsewhere.
 */
export async function* sqliteRows(uri: string, sql: string, signal?: AbortSignal): AsyncGenerator<Row> {
  const path = sqlitePath(uri);
  if (!existsSync(path)) throw new Error(`there is no file ${path}`);
  const database = open(path);
  try {
    let count = 0;
    for (const row of database.rows(sql)) {
      signal?.throwIfAborted();
      yield row;
      if (++count % TURN === 0) await new Promise((done) => setImmediate(done));
    }
  } finally {
    database.close();
  }
}

function open(path: string): Database {
  const { DatabaseSync } = (process.getBuiltinModule?.("node:sqlite" as never) ?? {}) as {
    DatabaseSync?: new (path: string, options: { readOnly: boolean }) => NodeDatabase;
  };
  if (DatabaseSync) {
    const database = new DatabaseSync(path, { readOnly: true });
    return {
      *rows(sql) {
        const statement = database.prepare(sql);
        statement.setReadBigInts(true);
        yield* statement.iterate();
      },
      close: () => database.close(),
    };
  }
  const Libsql = libsql();
  const database = new Libsql(path);
  return {
    *rows(sql) {
      const statement = database.prepare(sql);
      statement.safeIntegers(true);
      yield* statement.iterate();
    },
    close: () => database.close(),
  };
}

interface NodeDatabase {
  prepare(sql: string): { setReadBigInts(on: boolean): void; iterate(): Iterable<Row> };
  close(): void;
}

interface LibsqlDatabase {
  prepare(sql: string): { safeIntegers(on: boolean): void; iterate(): Iterable<Row> };
  close(): void;
}

function libsql(): new (path: string) => LibsqlDatabase {
  try {
    return createRequire(__filename)("libsql") as new (path: string) => LibsqlDatabase;
  } catch {
    throw new Error("SQLite is read with Node 22.13 or later, or with the optional package libsql; neither is here");
  }
}
