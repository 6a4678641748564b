import { copyFileSync, mkdtempSync, renameSync, rmSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import Database from "libsql";
import { afterAll, beforeEach, expect, test } from "vitest";
import { createNodeHost } from "../../server/node/host";
import { storeQuery } from "../../server/node/stores";
import { memoryCache } from "../../server/operations/runJob";
import { readRuns } from "../../server/sources/read";
import { metricStatements, sampleRuns } from "./sampleRuns";
import { writeSqlite } from "./sqlite";

const top = mkdtempSync(join(tmpdir(), "scaling-lens-sqlite-"));
afterAll(() => rmSync(top, { recursive: true, force: true }));
const path = join(top, "runs.db");
const spare = join(top, "spare.db");
let cache = memoryCache();
beforeEach(() => {
  rmSync(path, { force: true });
  writeSqlite(path, metricStatements(sampleRuns(), "metrics"));
  copyFileSync(path, spare);
  cache = memoryCache();
});
const read = () =>
  readRuns(createNodeHost(), [`sqlite:${pathToFileURL(path).href}?runs=metrics`], { stores: storeQuery, cache });

/** Somebody who holds the file for writing. */
let writer: Database.Database | undefined;

test.for<[string, () => unknown, () => unknown, string]>([
  ["gone", () => renameSync(path, `${path}.away`), () => renameSync(`${path}.away`, path), "store.failed"],
  ["cut short", () => truncateSync(path, 5000), () => copyFileSync(spare, path), "store.failed"],
  [
    "held by a writer",
    () => void (writer = new Database(path)).exec("BEGIN EXCLUSIVE"),
    () => writer?.close(),
    "store.failed",
  ],
  [
    "without a column",
    () => writeSqlite(path, ["ALTER TABLE metrics RENAME COLUMN step TO at"]),
    () => writeSqlite(path, ["ALTER TABLE metrics RENAME COLUMN at TO step"]),
    "store.no-column",
  ],
  [
    "without its table",
    () => writeSqlite(path, ["DROP TABLE metrics"]),
    () => copyFileSync(spare, path),
    "store.no-table",
  ],
  [
    "with a text among its numbers",
    () => writeSqlite(path, ["UPDATE metrics SET value = 'n/a' WHERE step = 40"]),
    () => copyFileSync(spare, path),
    "store.not-a-number",
  ],
])("a SQLite file %s: the last good table, marked, and it recovers by itself", async ([, fail, mend, code]) => {
  let start = performance.now();
  const good = await read();
  const usual = performance.now() - start;
  expect(good.rows).toHaveLength(9);
  fail();
  start = performance.now();
  const stale = await read();
  const took = performance.now() - start;
  mend();
  expect(stale.notes.map((note) => note.code)).toEqual(expect.arrayContaining([code, "store.stale"]));
  expect(stale.rows).toEqual(good.rows);
  expect(took).toBeLessThan(2000 + 2 * usual);
  const again = await read();
  expect(again.rows).toEqual(good.rows);
  expect(again.notes.map((note) => note.code)).not.toContain("store.stale");
});

test("numbers that have become texts are the same numbers, and that is told", async () => {
  const good = await read();
  writeSqlite(path, [
    "CREATE TABLE texts AS SELECT run, step, metric, CAST(value AS TEXT) AS value FROM metrics",
    "DROP TABLE metrics",
    "ALTER TABLE texts RENAME TO metrics",
  ]);
  const texts = await read();
  expect(texts.rows.map(({ outcome }) => outcome)).toEqual(good.rows.map(({ outcome }) => outcome));
  expect(texts.notes.map((note) => note.code)).toContain("store.text-numbers");
});
