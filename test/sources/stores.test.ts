import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  freePort,
  startChdb,
  startClickhouse,
  startPostgres,
  type Clickhouse,
  type Postgres,
} from "../../scripts/services.mjs";
import { createNodeHost, toUri } from "../../server/node/host";
import { storeQuery } from "../../server/node/stores";
import { measureRollouts, readRuns } from "../../server/sources/read";
import { isSelect } from "../../server/sources/stores/sql";
import { writeSqlite } from "./sqlite";
import { clickhouseStatements, metricStatements, mlflowStatements, sampleRuns, writePlain } from "./sampleRuns";

const top = mkdtempSync(join(tmpdir(), "scaling-lens-stores-"));
const runs = sampleRuns();
const host = createNodeHost();
let postgres: Postgres | null = null;
let clickhouse: Clickhouse | null = null;
/** A current ClickHouse; the other is Debian's, of 2018. */
let current: Clickhouse | null = null;

/** What a run table says of its runs, whatever it was read from. */
async function said(source: string) {
  const table = await readRuns(host, [source], { stores: storeQuery });
  const rows = table.rows.map(({ axes, outcome, seed, model }) => ({ axes, outcome, seed, model }));
  const key = (row: (typeof rows)[number]) => `${row.axes.tasks} ${row.axes.environments}`;
  return { rows: rows.sort((a, b) => (key(a) < key(b) ? -1 : 1)), notes: table.notes };
}

beforeAll(async () => {
  writePlain(join(top, "plain"), runs);
  writeSqlite(join(top, "mlflow.db"), mlflowStatements(runs, "sqlite"));
  [postgres, clickhouse, current] = await Promise.all([startPostgres(), startClickhouse(), startChdb()]);
  if (postgres) {
    process.env.PGPASSWORD = postgres.password;
    await postgres.run([...mlflowStatements(runs, "postgres"), ...metricStatements(runs, "run_metrics")].join("; "));
  }
  for (const server of [clickhouse, current]) {
    if (!server) continue;
    process.env.CLICKHOUSE_USER = server.user;
    process.env.CLICKHOUSE_PASSWORD = server.password;
    for (const statement of clickhouseStatements(runs)) await server.run(statement);
  }
}, 120_000);

afterAll(async () => {
  await Promise.all([postgres?.stop(), clickhouse?.stop(), current?.stop()]);
  rmSync(top, { recursive: true, force: true });
}, 60_000);

describe("the same runs from every store", () => {
  test("an MLflow store in SQLite gives the table of the files", async () => {
    const files = await said(toUri(join(top, "plain")));
    expect(files.rows).toHaveLength(9);
    const stored = await said(`sqlite:${pathToFileURL(join(top, "mlflow.db")).href}`);
    expect(stored.notes.filter(({ severity }) => severity === "error")).toEqual([]);
    expect(stored.rows).toEqual(files.rows);
  });

  test("so does one in Postgres", async ({ skip }) => {
    if (!postgres) return skip("no Postgres on this machine");
    const stored = await said(postgres.uri);
    expect(stored.notes.filter(({ severity }) => severity === "error")).toEqual([]);
    expect(stored.rows).toEqual((await said(toUri(join(top, "plain")))).rows);
  });

  test("so does a table of metrics in Postgres", async ({ skip }) => {
    if (!postgres) return skip("no Postgres on this machine");
    const stored = await said(`${postgres.uri}?runs=run_metrics`);
    expect(stored.notes.filter(({ severity }) => severity === "error")).toEqual([]);
    expect(stored.rows).toEqual((await said(toUri(join(top, "plain")))).rows);
  });

  test.for([
    ["ClickHouse of 2018", () => clickhouse],
    ["a current ClickHouse", () => current],
  ] as const)("so does a table of metrics in %s", async ([name, started], { skip }) => {
    const server = started();
    if (!server) return skip(`There is no ${name} here: npm run services says why.`);
    const stored = await said(`${server.uri}?runs=metrics`);
    expect(stored.notes.filter(({ severity }) => severity === "error")).toEqual([]);
    expect(stored.rows).toEqual((await said(toUri(join(top, "plain")))).rows);
  });

  test("a Trackio project in SQLite is read, whichever columns its version has", async () => {
    const file = join(top, "trackio.db");
    const rows = runs.flatMap(({ name, points }) =>
      points.map(
        ({ step, metrics }) =>
          `INSERT INTO metrics (timestamp, run_name, step, metrics, log_id) VALUES ('2026-09-01T00:00:${String(step % 60).padStart(2, "0")}', '${name}', ${step}, '${JSON.stringify(metrics)}', 'x')`,
      ),
    );
    const configs = runs.map(
      ({ name, facts }) =>
        `INSERT INTO configs (run_name, config, created_at) VALUES ('${name}', '${JSON.stringify({ ...facts, _Username: "x" })}', '2026-09-01')`,
    );
    writeSqlite(file, [
      "CREATE TABLE metrics (id INTEGER PRIMARY KEY AUTOINCREMENT, timestamp TEXT NOT NULL, run_name TEXT NOT NULL, step INTEGER NOT NULL, metrics TEXT NOT NULL, log_id TEXT, space_id TEXT)",
      "CREATE TABLE configs (id INTEGER PRIMARY KEY AUTOINCREMENT, run_name TEXT NOT NULL, config TEXT NOT NULL, created_at TEXT NOT NULL)",
      ...rows,
      ...configs,
    ]);
    const stored = await said(`sqlite:${pathToFileURL(file).href}`);
    expect(stored.rows).toEqual((await said(toUri(join(top, "plain")))).rows);
  });
});

describe("failure is visible", () => {
  test("a password in an address is an error that does not repeat it", async () => {
    const { rows, notes } = await said("postgres://lens:geheim@127.0.0.1:1/scaling");
    expect(rows).toEqual([]);
    expect(notes).toMatchObject([{ severity: "error", code: "store.password" }]);
    expect(JSON.stringify(notes)).not.toContain("geheim");
  });

  test.each([
    ["a server that is gone", () => "postgres://lens@127.0.0.1:1/scaling", /ECONNREFUSED/],
    ["a file that is not there", () => `sqlite:${pathToFileURL(join(top, "none.db")).href}`, /no file/],
    ["a ClickHouse that is gone", () => "clickhouse://127.0.0.1:1/default?runs=metrics", /ECONNREFUSED/],
  ])("%s is a note within two seconds", async (_, uri, message) => {
    const start = Date.now();
    const { rows, notes } = await said(uri());
    expect(rows).toEqual([]);
    expect(notes).toMatchObject([{ severity: "error", code: "store.failed" }]);
    expect(notes[0].message).toMatch(message);
    expect(Date.now() - start).toBeLessThan(5_000);
  });

  test("a wrong password and a missing table are told", async ({ skip }) => {
    if (!postgres || !clickhouse) return skip("no servers on this machine");
    process.env.PGPASSWORD = "wrong";
    const refused = await said(postgres.uri);
    process.env.PGPASSWORD = postgres.password;
    expect(refused.notes).toMatchObject([{ severity: "error", code: "store.failed" }]);
    expect(refused.notes[0].message).toMatch(/password authentication failed/);
    const missing = await said(`${clickhouse.uri}?runs=nowhere`);
    expect(missing.notes).toMatchObject([{ severity: "error", code: "store.no-table" }]);
  });
});

const rollout = (i: number) => ({
  task: (i * 7) % 500,
  environment: ((i * 7) % 500) % 20,
  score: (i * i * 31 + i) % 7 < (i * 7) % 8 ? 1 : 0,
  step: Math.floor(i / 2000),
});

test("by the servers' own logs, nothing but SELECT was sent to them", async ({ skip }) => {
  if (!postgres || !clickhouse) return skip("no servers on this machine");
  const ofCurrent = current ? [await current.statements(current.user)] : [];
  for (const sent of [
    postgres.statements("scaling-lens"),
    await clickhouse.statements(clickhouse.user),
    ...ofCurrent,
  ]) {
    expect(sent.length).toBeGreaterThan(2);
    expect(sent.filter((sql) => !sql.startsWith("SELECT "))).toEqual([]);
  }
});

test("an address cannot make a session that may write", async ({ skip }) => {
  if (!postgres) return skip("no Postgres on this machine");
  for (const options of [
    "",
    "?options=-c%20default_transaction_read_only%3Doff",
    "?a=b&options=-c%20search_path%3Dpublic",
  ]) {
    const rows = storeQuery(
      `${postgres.uri}${options}`,
      "SELECT current_setting('transaction_read_only') AS only, current_setting('statement_timeout') AS most",
    );
    for await (const row of rows) expect(row).toEqual({ only: "on", most: "15min" });
  }
});

test("two ClickHouse servers as shards of a Distributed table give the answer of one", async ({ skip }) => {
  const ports = [await freePort(), await freePort()];
  const shards = [await startClickhouse({ tcp: ports[0], shards: ports }), await startClickhouse({ tcp: ports[1] })];
  const [first, second] = shards;
  if (!first || !second) return skip("no ClickHouse on this machine");
  try {
    const rows = Array.from({ length: 6000 }, (_, i) => rollout(i));
    const insert = (table: string, of: (i: number) => boolean) =>
      `INSERT INTO ${table} VALUES ${rows.flatMap((row, i) => (of(i) ? [`(${i}, 'Task ${row.task}', 'env${row.environment}', ${row.score}, ${row.step})`] : [])).join(", ")}`;
    const columns = "(id UInt64, prompt String, environment String, score Float64, step UInt32)";
    const create = (table: string) => `CREATE TABLE ${table} ${columns} ENGINE = MergeTree() ORDER BY id`;
    for (const server of [first, second]) await server.run(create("part"));
    await first.run(create("one"));
    await first.run(insert("one", () => true));
    await first.run(insert("part", (i) => i % 2 === 0));
    await second.run(insert("part", (i) => i % 2 === 1));
    await first.run(`CREATE TABLE spread ${columns} ENGINE = Distributed(both, default, part)`);
    const measured = async (table: string) => {
      const { files, notes, reasons, ...rest } = await measureRollouts(host, [`${first.uri}?rollouts=${table}`], {
        stores: storeQuery,
      });
      expect(files).toHaveLength(1);
      expect(notes).toEqual([]);
      expect(Object.keys(reasons).sort()).toEqual(["rewardDensity", "structures", "worlds"]);
      return rest;
    };
    const whole = await measured("one");
    expect(whole.rollouts).toBe(6000);
    expect(await measured("spread")).toEqual(whole);
  } finally {
    await Promise.all([first.stop(), second.stop()]);
  }
}, 60_000);

test("what is sent to a store is one SELECT", () => {
  for (const sql of ["SELECT 1", "SELECT 'drop table; --' AS x FROM \"t\"", "WITH a AS (SELECT 1) SELECT * FROM a"])
    expect(isSelect(sql), sql).toBe(true);
  for (const sql of [
    "DROP TABLE x",
    "SELECT 1; DROP TABLE x",
    "SELECT 1 -- x",
    "SELECT * INTO y FROM x",
    "WITH a AS (DELETE FROM x RETURNING 1) SELECT * FROM a",
    "INSERT INTO x SELECT 1",
    "SELECT 1 /* x */",
  ])
    expect(isSelect(sql), sql).toBe(false);
});
