import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A run as every store of these tests holds it. Simulated: success falls short of 1 by 0.9 · tasks^−0.2 · environments^−0.3. */
export interface SampleRun {
  readonly name: string;
  readonly facts: Readonly<Record<string, number | string>>;
  readonly points: readonly { readonly step: number; readonly metrics: Readonly<Record<string, number>> }[];
}

/** Nine runs of a 3 × 3 grid with evaluations at five steps, and a training metric beside them. */
export function sampleRuns(): SampleRun[] {
  const runs: SampleRun[] = [];
  for (const tasks of [100, 400, 1600])
    for (const environments of [2, 8, 32]) {
      const reach = 1 - 0.9 * tasks ** -0.2 * environments ** -0.3;
      runs.push({
        name: `t${tasks}-e${environments}`,
        facts: { tasks, environments, trajectories: 8, seed: 1, model: "Qwen/Qwen3-8B" },
        points: [20, 40, 60, 80, 100].map((step) => ({
          step,
          metrics: {
            "eval/success_rate": Math.round(1e6 * reach * (1 - Math.exp(-step / 25))) / 1e6,
            "train/loss": 1 / step,
          },
        })),
      });
    }
  return runs;
}

/** The plain layout: a folder per run with run.json and metrics.jsonl. */
export function writePlain(folder: string, runs: readonly SampleRun[]): void {
  for (const { name, facts, points } of runs) {
    const at = join(folder, name);
    mkdirSync(at, { recursive: true });
    const { seed, model, ...axes } = facts;
    writeFileSync(join(at, "run.json"), JSON.stringify({ axes, seed, model }));
    writeFileSync(
      join(at, "metrics.jsonl"),
      points.map(({ step, metrics }) => `${JSON.stringify({ step, ...metrics })}\n`).join(""),
    );
  }
}

/** Statements that make an MLflow store by its published schema (the columns that matter), for SQLite and Postgres. */
export function mlflowStatements(runs: readonly SampleRun[], dialect: "sqlite" | "postgres"): string[] {
  const text = (value: unknown) => `'${String(value).replaceAll("'", "''")}'`;
  const double = dialect === "sqlite" ? "FLOAT" : "DOUBLE PRECISION";
  const flag = (value: boolean) => (dialect === "sqlite" ? String(Number(value)) : String(value));
  const made = [
    `CREATE TABLE experiments (experiment_id INTEGER PRIMARY KEY, name VARCHAR(256) UNIQUE NOT NULL, artifact_location VARCHAR(256), lifecycle_stage VARCHAR(32), creation_time BIGINT, last_update_time BIGINT)`,
    `CREATE TABLE runs (run_uuid VARCHAR(32) PRIMARY KEY, name VARCHAR(250), source_type VARCHAR(20), status VARCHAR(9), start_time BIGINT, end_time BIGINT, lifecycle_stage VARCHAR(20), artifact_uri VARCHAR(200), experiment_id INTEGER, deleted_time BIGINT)`,
    `CREATE TABLE metrics ("key" VARCHAR(250) NOT NULL, "value" ${double} NOT NULL, "timestamp" BIGINT NOT NULL, run_uuid VARCHAR(32) NOT NULL, step BIGINT NOT NULL, is_nan BOOLEAN NOT NULL)`,
    `CREATE TABLE latest_metrics ("key" VARCHAR(250) NOT NULL, "value" ${double} NOT NULL, "timestamp" BIGINT, step BIGINT NOT NULL, is_nan BOOLEAN NOT NULL, run_uuid VARCHAR(32) NOT NULL)`,
    `CREATE TABLE params ("key" VARCHAR(250) NOT NULL, "value" VARCHAR(8000) NOT NULL, run_uuid VARCHAR(32) NOT NULL)`,
    `CREATE TABLE tags ("key" VARCHAR(250) NOT NULL, "value" VARCHAR(8000), run_uuid VARCHAR(32) NOT NULL)`,
    `INSERT INTO experiments VALUES (1, 'appworld', 'x', 'active', 0, 0)`,
  ];
  const start = 1_790_000_000_000;
  runs.forEach(({ name, facts, points }, i) => {
    const id = i.toString(16).padStart(32, "0");
    made.push(
      `INSERT INTO runs VALUES (${text(id)}, ${text(name)}, 'LOCAL', 'FINISHED', ${start + i}, ${start + 3_600_000 + i}, 'active', 'x', 1, NULL)`,
    );
    for (const [key, value] of Object.entries(facts))
      made.push(`INSERT INTO params VALUES (${text(key)}, ${text(value)}, ${text(id)})`);
    for (const { step, metrics } of points)
      for (const [key, value] of Object.entries(metrics))
        made.push(
          `INSERT INTO metrics VALUES (${text(key)}, ${value}, ${start + step}, ${text(id)}, ${step}, ${flag(false)})`,
        );
    const last = points[points.length - 1];
    for (const [key, value] of Object.entries(last.metrics))
      made.push(
        `INSERT INTO latest_metrics VALUES (${text(key)}, ${value}, ${start + last.step}, ${last.step}, ${flag(false)}, ${text(id)})`,
      );
  });
  return made;
}

const longRows = (runs: readonly SampleRun[]) =>
  runs
    .flatMap(({ name, facts, points }) =>
      points.flatMap(({ step, metrics }) =>
        Object.entries(metrics).map(
          ([metric, value]) =>
            `('${name}', ${step}, '${metric}', ${value}, ${facts.tasks}, ${facts.environments}, ${facts.trajectories}, '${facts.seed}', '${facts.model}')`,
        ),
      ),
    )
    .join(", ");

/** A long table of metrics in Postgres, facts beside them. */
export function metricStatements(runs: readonly SampleRun[], table = "metrics"): string[] {
  return [
    `CREATE TABLE ${table} (run text, step bigint, metric text, value double precision, tasks bigint, environments integer, trajectories integer, seed text, model text)`,
    `INSERT INTO ${table} VALUES ${longRows(runs)}`,
  ];
}

/** A long table of metrics in ClickHouse, facts beside them. */
export function clickhouseStatements(runs: readonly SampleRun[], table = "metrics"): string[] {
  return [
    `CREATE TABLE ${table} (run String, step UInt64, metric String, value Float64, tasks UInt64, environments UInt32, trajectories UInt32, seed String, model String) ENGINE = MergeTree() ORDER BY (run, metric, step)`,
    `INSERT INTO ${table} VALUES ${longRows(runs)}`,
  ];
}
