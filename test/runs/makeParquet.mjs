// Writes test/fixtures/runs/table-parquet and …/parquet-metrics with DuckDB, so that Parquet comes from a program of its own.
// Run from the repository root after makeFixtures.py: node test/runs/makeParquet.mjs
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { DuckDBInstance } from "@duckdb/node-api";

const root = "test/fixtures/runs";
const connection = await (await DuckDBInstance.create(":memory:")).connect();
mkdirSync(`${root}/table-parquet`, { recursive: true });
mkdirSync(`${root}/parquet-metrics/run`, { recursive: true });
await connection.run(`COPY (SELECT * FROM read_json('${root}/table-jsonl/runs.jsonl')) TO '${root}/table-parquet/runs.parquet' (FORMAT parquet, COMPRESSION zstd)`);
await connection.run(`COPY (SELECT i * 10 AS step, CASE WHEN i % 2 = 0 THEN 0.05 * i END AS success_rate, 'x' || i AS note FROM range(1, 13) t(i)) TO '${root}/parquet-metrics/run/metrics.parquet' (FORMAT parquet, ROW_GROUP_SIZE 2048)`);

const truth = JSON.parse(readFileSync(`${root}/truth.json`, "utf8"));
truth["table-parquet"] = Object.fromEntries(Object.entries(truth["table-jsonl"]).map(([id, row]) => [id.replace("jsonl", "parquet"), row]));
truth["parquet-metrics"] = { run: { rate: 0.5, steps: 120 } };
writeFileSync(`${root}/truth.json`, `${JSON.stringify(truth, null, 1)}\n`);
