// Writes test/fixtures/runs/table-parquet and …/parquet-metrics with DuckDB, so that Parquet comes from a program of its own.
// Run from the repository root after makeFixtures.py: node test/runs/makeParquet.mjs
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { DuckDBInstance } from "@duckdb/node-api";

const root = "test/fixtures/runs";
const connection = await (await DuckDBInstance.create(":memory:")).connect();
mkdirSync(`${root}/table-parquet`, { recursive: true });
mkdirSync(`${root}/parquet-metrics/run`, { recursive: true });
await connection.run(
  `COPY (SELECT * FROM read_json('${root}/table-jsonl/runs.jsonl')) TO '${root}/table-parquet/runs.parquet' (FORMAT parquet, COMPRESSION zstd)`,
);
await connection.run(
  `COPY (SELECT i * 10 AS step, CASE WHEN i % 2 = 0 THEN 0.05 * i END AS success_rate, 'x' || i AS note FROM range(1, 13) t(i)) TO '${root}/parquet-metrics/run/metrics.parquet' (FORMAT parquet, ROW_GROUP_SIZE 2048)`,
);

// ART's Parquet: a row per trajectory, metadata and tools as JSON texts, messages flattened.
mkdirSync(`${root}/art-dumps/parquet/trajectories/train`, { recursive: true });
for (const step of ["0000", "0010"]) {
  const source = `${root}/art-dumps/jsonl/trajectories/train/${step}.jsonl`;
  await connection.run(`COPY (
    SELECT group_index, to_json(metadata) AS group_metadata, NULL::VARCHAR AS group_metrics, NULL::VARCHAR[] AS group_logs, t.reward AS reward, to_json(t.metrics) AS metrics, to_json(t.metadata) AS metadata, to_json(t.tools) AS tools, NULL::VARCHAR[] AS logs,
      [CASE WHEN m->>'finish_reason' IS NULL THEN {role: m->>'role', content: m->>'content', tool_calls: NULL::VARCHAR, tool_call_id: m->>'tool_call_id', trainable: false} ELSE {role: m->'message'->>'role', content: m->'message'->>'content', tool_calls: NULL::VARCHAR, tool_call_id: NULL::VARCHAR, trainable: true} END FOR m IN t.messages_and_choices] AS messages
    FROM (SELECT row_number() OVER () - 1 AS group_index, metadata, unnest(trajectories) AS t FROM read_json('${source}', format = 'newline_delimited', columns = {metadata: 'JSON', trajectories: 'STRUCT(reward DOUBLE, metrics JSON, metadata JSON, tools JSON, messages_and_choices JSON[])[]'}))
    UNION ALL SELECT 9, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
  ) TO '${root}/art-dumps/parquet/trajectories/train/${step}.parquet' (FORMAT parquet, COMPRESSION zstd)`);
}

const truth = JSON.parse(readFileSync(`${root}/truth.json`, "utf8"));
truth["table-parquet"] = Object.fromEntries(
  Object.entries(truth["table-jsonl"]).map(([id, row]) => [id.replace("jsonl", "parquet"), row]),
);
truth["parquet-metrics"] = { run: { rate: 0.5, steps: 120 } };
writeFileSync(`${root}/truth.json`, `${JSON.stringify(truth, null, 1)}\n`);
