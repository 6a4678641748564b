import { createRequire } from "node:module";

interface Writable {
  exec(sql: string): void;
  close(): void;
}

/** Writes a SQLite file. */
export function writeSqlite(path: string, statements: readonly string[]): void {
  const Database = createRequire(import.meta.url)("libsql") as new (path: string) => Writable;
  const database = new Database(path);
  database.exec(`BEGIN; ${statements.join("; ")}; COMMIT`);
  database.close();
}
