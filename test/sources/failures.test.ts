import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { startChdb, startClickhouse, startPostgres, type Clickhouse, type Postgres } from "../../scripts/services.mjs";
import type { RunTable } from "../../server/core/table";
import { createNodeHost } from "../../server/node/host";
import { storeQuery } from "../../server/node/stores";
import { memoryCache } from "../../server/operations/runJob";
import { readRuns } from "../../server/sources/read";
import { Line } from "./line";
import { clickhouseStatements, metricStatements, sampleRuns } from "./sampleRuns";

/** What a server may take to answer the first time, and one that works on a statement to say that it is still there (ms). */
const CONNECT_MS = 5000;
const SILENCE_MS = 5000 + 10_000;

/** What these tests do to a server besides reading it. */
interface Failing {
  readonly start: () => Promise<Clickhouse | Postgres | null>;
  /** The variable that holds the password. */
  readonly password: string;
  readonly scheme: string;
  readonly fill: (table: string) => string[];
  /** A view of `metrics` that takes seconds to read. */
  readonly slow: string;
  /** Whether it works on a statement that reads this view. @param before how many statements it had got before */
  readonly isAsked: (server: never, before: number) => Promise<boolean>;
  readonly toText: readonly string[];
  readonly rename: (from: string, to: string) => string;
}

const CLICKHOUSE = {
  password: "CLICKHOUSE_PASSWORD",
  fill: (table: string) => clickhouseStatements(sampleRuns(), table),
  slow: "CREATE VIEW slow AS SELECT run, step, metric, value FROM metrics WHERE sleepEachRow(0.03) = 0",
  toText: [
    "CREATE TABLE texts (run String, step UInt64, metric String, value String) ENGINE = Memory",
    "INSERT INTO texts SELECT run, step, metric, toString(value) FROM metrics",
  ],
  rename: (from: string, to: string) => `RENAME TABLE ${from} TO ${to}`,
};

const SERVERS: Readonly<Record<string, Failing>> = {
  Postgres: {
    start: startPostgres,
    password: "PGPASSWORD",
    scheme: "postgres://lens@127.0.0.1:PORT/scaling",
    fill: (table) => metricStatements(sampleRuns(), table),
    slow: "CREATE VIEW slow AS SELECT run, step, metric, value FROM metrics WHERE pg_sleep(0.2) IS NOT NULL",
    isAsked: async (server: Postgres) =>
      (
        await server.run(
          "SELECT 1 FROM pg_stat_activity WHERE application_name = 'scaling-lens' AND wait_event = 'PgSleep'",
        )
      ).length > 0,
    toText: ["CREATE TABLE texts AS SELECT run, step, metric, CAST(value AS text) AS value FROM metrics"],
    rename: (from, to) => `ALTER TABLE ${from} RENAME TO ${to}`,
  },
  "ClickHouse of 2018": {
    ...CLICKHOUSE,
    start: startClickhouse,
    scheme: "clickhouse://127.0.0.1:PORT/default",
    isAsked: async (server: Clickhouse) =>
      (await server.run("SELECT 1 FROM system.processes WHERE user = 'lens' AND elapsed > 0.2")) !== "",
  },
  "a current ClickHouse": {
    ...CLICKHOUSE,
    start: startChdb,
    scheme: "clickhouse://127.0.0.1:PORT/lens",
    // It works on one statement at a time; the first is for the columns.
    isAsked: async (server: Clickhouse, before) => (await server.statements("lens")).length > before + 1,
  },
};

describe.each(Object.entries(SERVERS))("%s", (name, about) => {
  let server: Clickhouse | Postgres | null = null;
  let line: Line;
  let port = 0;
  beforeAll(async () => {
    server = await about.start();
    if (!server) return;
    process.env[about.password] = server.password;
    if ("user" in server) process.env.CLICKHOUSE_USER = server.user;
    for (const statement of [...about.fill("metrics"), about.slow]) await server.run(statement);
    line = new Line(server.port);
    port = await line.open();
  }, 120_000);
  afterEach(() => {
    if (!server) return;
    line.cutAfter = Infinity;
    line.isSilent = false;
    process.env[about.password] = server.password;
  });
  afterAll(async () => {
    line?.close();
    await server?.stop();
  }, 60_000);

  const cache = memoryCache();
  const read = (table = "metrics") =>
    readRuns(createNodeHost(), [`${about.scheme.replace("PORT", String(port))}?runs=${table}`], {
      stores: storeQuery,
      cache,
    });
  const codes = ({ notes }: RunTable) => notes.map(({ code }) => code);
  const needs = (skip: (why: string) => void) => {
    if (!server) skip(`There is no ${name} on this machine: npm run services says why.`);
    return server!;
  };
  /** The table is the last good one, says so, and has told no secret. */
  const isStale = (stale: RunTable, good: RunTable, code: string) => {
    expect(codes(stale)).toEqual(expect.arrayContaining([code, "store.stale"]));
    expect(stale.rows).toEqual(good.rows);
    expect(stale.notes.find(({ code: each }) => each === "store.stale")?.message).toMatch(
      / those of \d{4}-\d\d-\d\d \d\d:\d\d UTC/,
    );
    expect(JSON.stringify(stale.notes)).not.toContain("geheim");
    for (const { file } of stale.notes) expect(file).toContain(about.scheme.slice(0, 8));
  };
  const timed = async <Value>(work: () => Promise<Value>) => {
    const start = performance.now();
    return [await work(), performance.now() - start] as const;
  };

  test.for<[string, () => unknown, number?]>([
    ["gone", () => (line.cutAfter = 0)],
    ["cut in the middle of a result", () => (line.cutAfter = 1500)],
    ["refusing the password", () => (process.env[about.password] = "geheim-falsch")],
    ["taking connections and saying nothing", () => (line.isSilent = true), CONNECT_MS],
  ])(
    "%s: the last good table within two seconds, marked; it recovers by itself",
    async ([, fail, seen = 0], { skip }) => {
      needs(skip);
      const [good, usual] = await timed(read);
      expect(good.rows).toHaveLength(9);
      fail();
      const [stale, took] = await timed(read);
      line.cutAfter = Infinity;
      line.isSilent = false;
      process.env[about.password] = server!.password;
      isStale(stale, good, "store.failed");
      // A machine under load takes its time for anything.
      expect(took).toBeLessThan(seen + 2000 + (seen > 0 ? 4 : 2) * usual);
      const again = await read();
      expect(again.rows).toEqual(good.rows);
      expect(codes(again)).not.toContain("store.stale");
    },
  );

  test.for([
    ["killed in the middle of a query, and started again", 0],
    ["stopped in the middle of a query without a word, and going on", SILENCE_MS],
    ["behind a line whose packets vanish in the middle of a query", SILENCE_MS],
  ] as const)("%s", async ([how, seen], { skip }) => {
    const server = needs(skip);
    const fail = seen === 0 ? () => server.kill() : () => server.pause();
    const mend = seen === 0 ? () => server.start() : () => server.resume();
    const isLine = how.startsWith("behind");
    if (isLine && name !== "Postgres") return skip("One is enough: it takes its time, and the code is the same.");
    // The table is read once while it is quick.
    await server.run(about.rename("slow", "slow_view"));
    for (const statement of about.fill("slow")) await server.run(statement);
    const [good, usual] = await timed(() => read("slow"));
    expect(good.rows).toHaveLength(9);
    await server.run(about.rename("slow", "quick"));
    await server.run(about.rename("slow_view", "slow"));
    const before = (await server.statements("lens")).length;
    const reading = read("slow");
    while (!(await about.isAsked(server as never, before))) await new Promise((done) => setTimeout(done, 20));
    if (isLine) line.isSilent = true;
    else await fail();
    const [stale, took] = await timed(() => reading);
    isStale(stale, good, "store.failed");
    expect(took).toBeLessThan(seen + 2000 + (seen > 0 ? 4 : 2) * usual);
    if (isLine) line.isSilent = false;
    else await mend();
    await server.run(about.rename("slow", "slow_view"));
    await server.run(about.rename("quick", "slow"));
    const again = await read("slow");
    expect(again.rows).toEqual(good.rows);
    expect(codes(again)).not.toContain("store.stale");
    await server.run("DROP TABLE slow");
    await server.run(about.rename("slow_view", "slow"));
  });

  test("a column that is not there any more is named, and the last table stays", async ({ skip }) => {
    const server = needs(skip);
    const good = await read();
    await server.run(about.rename("metrics", "metrics_old"));
    await server.run(
      `CREATE TABLE metrics (name ${name !== "Postgres" ? "String" : "text"}, at ${name !== "Postgres" ? "UInt32" : "integer"})${name !== "Postgres" ? " ENGINE = Memory" : ""}`,
    );
    const stale = await read();
    await server.run("DROP TABLE metrics");
    await server.run(about.rename("metrics_old", "metrics"));
    isStale(stale, good, "store.no-column");
  });

  test("numbers that have become texts are the same numbers, and that is told; other texts change none", async ({
    skip,
  }) => {
    const server = needs(skip);
    for (const statement of about.fill("texts")) await server.run(statement);
    const good = await read("texts");
    expect(codes(good)).not.toContain("store.text-numbers");
    await server.run("DROP TABLE texts");
    for (const statement of about.toText) await server.run(statement);
    const texts = await read("texts");
    const told = texts.notes.filter(({ code }) => code.startsWith("store."));
    expect(told.map(({ code, severity }) => [code, severity])).toEqual([["store.text-numbers", "warning"]]);
    expect(told[0].message).toContain("texts.value");
    expect(texts.rows.map(({ outcome }) => outcome)).toEqual(good.rows.map(({ outcome }) => outcome));
    await server.run("INSERT INTO texts VALUES ('t100-e2', 120, 'eval/success_rate', 'n/a')");
    const stale = await read("texts");
    isStale(stale, texts, "store.not-a-number");
    expect(JSON.stringify(stale.notes)).toContain("n/a");
  });
});
