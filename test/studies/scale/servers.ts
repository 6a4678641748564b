/** The servers of the study, filled with the same rollouts by their own rule, so that nothing travels. */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import pg from "pg";
import type * as Services from "../../../scripts/services.mjs";

/** Tasks and environments of the generated rollouts. */
export const TASKS = 5000;
export const ENVIRONMENTS = 200;

export interface Engine {
  readonly name: string;
  /** Rollouts of a table, in a store that holds them. */
  fill(rows: number): Promise<void>;
  /** The address of that table. */
  uri(rows: number): string;
  /** Our statements, once more by the server's own client: seconds, and bytes that it answered. */
  own(): Promise<{ readonly seconds: number; readonly bytes: number }>;
  stop(): Promise<void>;
}

const services = () =>
  import(pathToFileURL(join(process.cwd(), "scripts", "services.mjs")).href) as Promise<typeof Services>;

const table = (rows: number) => `rollouts_${rows}`;

export async function clickhouse(kind: "2018" | "current"): Promise<Engine | null> {
  const { startClickhouse, startChdb } = await services();
  const server = kind === "2018" ? await startClickhouse() : await startChdb();
  if (!server) return null;
  const task = `(number * 7919) % ${TASKS}`;
  const text = `concat(lower(hex(MD5(toString(${task})))), ' ', lower(hex(MD5(toString(${task} + 100000)))))`;
  const url = `http://127.0.0.1:${server.port}/?${kind === "2018" ? "user=lens&password=lens-test&" : ""}output_format_json_quote_64bit_integers=1&database=${kind === "2018" ? "default" : "lens"}`;
  let before = 0;
  return {
    name: kind === "2018" ? "ClickHouse 18.16" : "ClickHouse 26.7 (chdb)",
    async fill(rows) {
      await server.run(
        `CREATE TABLE ${table(rows)} (prompt String, environment String, score Float64, step UInt32, num_turns UInt8) ENGINE = MergeTree() ORDER BY step`,
      );
      await server.run(
        `INSERT INTO ${table(rows)} SELECT ${text}, concat('env', toString(${task} % ${ENVIRONMENTS})), if((number * number * 31 + number) % 7 < ${task} % 8, 1, 0.25), intDiv(number, 100000), 1 + number % 9 FROM system.numbers LIMIT ${rows}`,
      );
      before = (await server.statements("lens")).length;
    },
    uri: (rows) => `${server.uri}?rollouts=${table(rows)}`,
    async own() {
      const sent = (await server.statements("lens")).slice(before);
      before += sent.length;
      let bytes = 0;
      const start = performance.now();
      for (const sql of sent) {
        bytes += (await (await fetch(url, { method: "POST", body: sql })).arrayBuffer()).byteLength;
      }
      const seconds = (performance.now() - start) / 1000;
      before = (await server.statements("lens")).length;
      return { seconds, bytes };
    },
    stop: () => server.stop(),
  };
}

export async function postgres(): Promise<Engine | null> {
  const { startPostgres } = await services();
  const server = await startPostgres();
  if (!server) return null;
  let before = 0;
  const sent = () => server.statements("scaling-lens");
  const task = `((n * 7919) % ${TASKS})`;
  return {
    name: "Postgres 15",
    async fill(rows) {
      await server.run(
        `CREATE TABLE ${table(rows)} AS SELECT md5(${task}::text) || ' ' || md5((${task} + 100000)::text) AS prompt, 'env' || (${task} % ${ENVIRONMENTS}) AS environment, CASE WHEN (n * n * 31 + n) % 7 < ${task} % 8 THEN 1.0::double precision ELSE 0.25 END AS score, (n / 100000)::integer AS step, (1 + n % 9)::smallint AS num_turns FROM generate_series(0::bigint, ${rows - 1}) n; ANALYZE ${table(rows)}`,
      );
      before = sent().length;
    },
    uri: (rows) => `${server.uri}?rollouts=${table(rows)}`,
    async own() {
      const statements = sent().slice(before);
      const client = new pg.Client({ connectionString: server.uri, password: server.password });
      await client.connect();
      let bytes = 0;
      const start = performance.now();
      for (const sql of statements) bytes += JSON.stringify((await client.query(sql)).rows).length;
      const seconds = (performance.now() - start) / 1000;
      await client.end();
      before = sent().length;
      return { seconds, bytes };
    },
    stop: () => server.stop(),
  };
}
