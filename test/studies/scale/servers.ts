/** The servers of the study, filled with the same rollouts by their own rule, so that nothing travels. */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
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
  /** Seconds that it took for our statements, by its own account. */
  took(): Promise<number>;
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
  return {
    name: kind === "2018" ? "ClickHouse 18.16" : "ClickHouse 26.7 (chdb)",
    async fill(rows) {
      await server.run(
        `CREATE TABLE ${table(rows)} (prompt String, environment String, score Float64, step UInt32, num_turns UInt8) ENGINE = MergeTree() ORDER BY step`,
      );
      await server.run(
        `INSERT INTO ${table(rows)} SELECT ${text}, concat('env', toString(${task} % ${ENVIRONMENTS})), if((number * number * 31 + number) % 7 < ${task} % 8, 1, 0.25), intDiv(number, 100000), 1 + number % 9 FROM system.numbers LIMIT ${rows}`,
      );
    },
    uri: (rows) => `${server.uri}?rollouts=${table(rows)}`,
    took: async () => (await server.took("lens")) / 1000,
    stop: () => server.stop(),
  };
}

export async function postgres(): Promise<Engine | null> {
  const { startPostgres } = await services();
  const server = await startPostgres();
  if (!server) return null;
  const task = `((n * 7919) % ${TASKS})`;
  return {
    name: "Postgres 15",
    async fill(rows) {
      await server.run(
        `CREATE TABLE ${table(rows)} AS SELECT md5(${task}::text) || ' ' || md5((${task} + 100000)::text) AS prompt, 'env' || (${task} % ${ENVIRONMENTS}) AS environment, CASE WHEN (n * n * 31 + n) % 7 < ${task} % 8 THEN 1.0::double precision ELSE 0.25 END AS score, (n / 100000)::integer AS step, (1 + n % 9)::smallint AS num_turns FROM generate_series(0::bigint, ${rows - 1}) n; ANALYZE ${table(rows)}`,
      );
    },
    uri: (rows) => `${server.uri}?rollouts=${table(rows)}`,
    took: async () => (await server.took("scaling-lens")) / 1000,
    stop: () => server.stop(),
  };
}
