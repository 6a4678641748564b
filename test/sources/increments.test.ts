import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { createNodeHost } from "../../server/node/host";
import { storeQuery } from "../../server/node/stores";
import { memoryCache } from "../../server/operations/runJob";
import { readRuns } from "../../server/sources/read";
import type { StoreQuery } from "../../server/sources/read";
import { mlflowStatements, sampleRuns } from "./sampleRuns";
import { writeSqlite } from "./sqlite";

const top = mkdtempSync(join(tmpdir(), "scaling-lens-increments-"));
afterAll(() => rmSync(top, { recursive: true, force: true }));
const runs = sampleRuns();

const long = (run: string, step: number, value: number | string, metric = "eval/success_rate") =>
  `('${run}', ${step}, '${metric}', ${value})`;
const LONG = (table: string) => [
  `CREATE TABLE ${table} (run TEXT, step INTEGER, metric TEXT, value REAL)`,
  `INSERT INTO ${table} VALUES ${runs.flatMap(({ name, points }) => points.map(({ step, metrics }) => long(name, step, metrics["eval/success_rate"]))).join(", ")}`,
];
const WIDE = [
  'CREATE TABLE metrics (run TEXT, step INTEGER, tasks INTEGER, "eval/success_rate" REAL)',
  `INSERT INTO metrics VALUES ${runs.flatMap(({ name, facts, points }) => points.map(({ step, metrics }) => `('${name}', ${step}, ${facts.tasks}, ${metrics["eval/success_rate"]})`)).join(", ")}`,
];

const trackio = (run: string, step: number, value: number) =>
  `INSERT INTO metrics (timestamp, run_name, step, metrics) VALUES ('2026-09-01T00:00:${String(step % 60).padStart(2, "0")}', '${run}', ${step}, '{"eval":{"success_rate":${value}},"note":"x"}')`;

/** A kind of table, and how a row is added to it, changed in it and taken from it. */
const KINDS = {
  long: {
    make: LONG("metrics"),
    query: "?runs=metrics",
    add: "INSERT INTO metrics VALUES ('t100-e2', 120, 'eval/success_rate', 0.875)",
    late: "INSERT INTO metrics VALUES ('t100-e2', 50, 'eval/success_rate', 0.25)",
    change: "UPDATE metrics SET value = 0.125 WHERE run = 't100-e2' AND step = 100",
    remove: "DELETE FROM metrics WHERE run = 't100-e2' AND step = 100",
  },
  wide: {
    make: WIDE,
    query: "?runs=metrics",
    add: "INSERT INTO metrics VALUES ('t100-e2', 120, 100, 0.875)",
    late: "INSERT INTO metrics VALUES ('t100-e2', 50, 100, 0.25)",
    change: "UPDATE metrics SET \"eval/success_rate\" = 0.125 WHERE run = 't100-e2' AND step = 100",
    remove: "DELETE FROM metrics WHERE run = 't100-e2' AND step = 100",
  },
  Trackio: {
    make: [
      "CREATE TABLE metrics (id INTEGER PRIMARY KEY AUTOINCREMENT, timestamp TEXT NOT NULL, run_name TEXT NOT NULL, step INTEGER NOT NULL, metrics TEXT NOT NULL)",
      "CREATE TABLE configs (id INTEGER PRIMARY KEY, run_name TEXT, config TEXT)",
      ...runs.flatMap(({ name, points, facts }) => [
        ...points.map(({ step, metrics }) => trackio(name, step, metrics["eval/success_rate"])),
        `INSERT INTO configs (run_name, config) VALUES ('${name}', '${JSON.stringify(facts)}')`,
      ]),
    ],
    query: "",
    add: trackio("t100-e2", 120, 0.875),
    // Of a run that has another row taken away: as many rows as before.
    late: `DELETE FROM metrics WHERE run_name = 't100-e2' AND step = 20; ${trackio("t100-e2", 50, 0.25)}`,
    change: `UPDATE metrics SET metrics = json_set(metrics, '$.eval.success_rate', 0.125) WHERE run_name = 't100-e2' AND step = 100`,
    remove: "DELETE FROM metrics WHERE run_name = 't100-e2' AND step = 100",
  },
  MLflow: {
    make: mlflowStatements(runs, "sqlite"),
    query: "",
    add: `INSERT INTO metrics VALUES ('eval/success_rate', 0.875, 1790000000999, '${"0".repeat(32)}', 120, 0)`,
    late: `INSERT INTO metrics VALUES ('eval/success_rate', 0.25, 1790000000999, '${"0".repeat(32)}', 50, 0)`,
    change: `UPDATE metrics SET value = 0.125 WHERE run_uuid = '${"0".repeat(32)}' AND key = 'eval/success_rate' AND step = 100`,
    remove: `DELETE FROM metrics WHERE run_uuid = '${"0".repeat(32)}' AND key = 'eval/success_rate' AND step = 100`,
  },
};

describe.each(Object.entries(KINDS))("a table of %s", (name, kind) => {
  const path = join(top, `${name}.db`);
  const uri = `sqlite:${pathToFileURL(path).href}${kind.query}`;
  /** Rows with a step: those of series, of which the first reading needs all. */
  let rows = 0;
  const counted: StoreQuery = async function* (at, sql, signal) {
    for await (const row of storeQuery(at, sql, signal)) {
      if ("step" in row || "c1" in row) rows++;
      yield row;
    }
  };
  let cache = memoryCache();
  const read = async () => {
    rows = 0;
    const table = await readRuns(createNodeHost(), [uri], { stores: counted, cache });
    expect(table.notes.filter(({ severity }) => severity === "error")).toEqual([]);
    return { table, rows };
  };
  /** What is read without anything kept. */
  const anew = () => readRuns(createNodeHost(), [uri], { stores: storeQuery });

  beforeEach(() => {
    rmSync(path, { force: true });
    writeSqlite(path, kind.make);
    cache = memoryCache();
  });

  test("is asked again only for what is new", async () => {
    const first = await read();
    expect(first.rows).toBeGreaterThanOrEqual(45);
    const again = await read();
    expect(again.rows).toBe(0);
    expect(again.table).toEqual(first.table);
    writeSqlite(path, [kind.add]);
    const grown = await read();
    expect(grown.rows).toBe(1);
    expect(grown.table).toEqual(await anew());
    expect(grown.table.rows).not.toEqual(first.table.rows);
    const unchanged = await read();
    expect(unchanged.rows).toBe(0);
    expect(unchanged.table).toEqual(grown.table);
  });

  test.each(["late", "change", "remove"] as const)(
    "whose older rows are others is read whole for that run: %s",
    async (how) => {
      await read();
      writeSqlite(path, [kind[how]]);
      const { table, rows } = await read();
      expect(rows).toBeGreaterThan(1);
      expect(rows).toBeLessThan(8);
      expect(table).toEqual(await anew());
      // Together with a row that is new.
      writeSqlite(path, [kind.add, kind.change]);
      expect((await read()).table).toEqual(await anew());
    },
  );

  test("values that are not finite are kept as such", async () => {
    writeSqlite(path, [kind.add.replace("0.875", "9e999")]);
    const first = await read();
    expect((await read()).table).toEqual(first.table);
    expect(first.table).toEqual(await anew());
  });
});
