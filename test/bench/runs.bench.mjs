// Run logs: streaming against a bare JSON.parse loop, DuckDB against its own query, near-duplicate task texts.
// RUNS_BENCH_MB sets the size of the generated log (default 256; 1024 for the full figure, at which DuckDB is judged too).
import { spawnSync } from "node:child_process";
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { buildDuckdbChild, hasDuckdb } from "../../scripts/native.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));
const worker = fileURLToPath(new URL("./runs.worker.mjs", import.meta.url));
const REPEATS = 5;

const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];

/** Metrics of 40 runs in one file, a row a step, an evaluation every 20 steps. */
function writeLog(path, bytes) {
  const file = openSync(path, "w");
  let state = 1;
  const random = () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
  let written = 0;
  for (let step = 0; written < bytes; step++) {
    const lines = [];
    for (let run = 0; run < 40; run++) {
      const row = {
        run: `run-${run}`,
        step,
        "actor/lr": 1e-6,
        "actor/pg_loss": random() - 0.5,
        "actor/grad_norm": random(),
        "critic/score/mean": random(),
        "critic/rewards/mean": random(),
        "response_length/mean": random() * 1000,
        "perf/total_num_tokens": Math.floor(random() * 1e6),
        "perf/throughput": random() * 5000,
        "timing_s/step": random() * 90,
      };
      if (step % 20 === 0) row["val/success_rate"] = random();
      lines.push(JSON.stringify(row));
    }
    written += writeSync(file, `${lines.join("\n")}\n`);
  }
  closeSync(file);
}

/** Console text of verl with what models print between its steps, or other lines of the same length. */
function writeConsole(path, bytes, dicts) {
  const file = openSync(path, "w");
  const dict = (i) =>
    `{'step': ${i}, 'thought': 'I look at the page', 'score': 0.5, 'action': {'type': 'click', 'x': ${i}}}\n{\n  "accuracy": "high",\n  'reward': {'mean': ${i}}\n}\n`;
  let written = 0;
  for (let step = 1; written < bytes; step++) {
    const lines = [`step:${step} - critic/score/mean:0.4 - val-core/maze/acc/mean@1:0.33 - timing_s/step:60.1\n`];
    for (let i = 0; i < 150; i++) {
      const printed = dict(i);
      lines.push(dicts ? printed : `${"a line of plain text ".repeat(9).slice(0, printed.length - 1)}\n`);
    }
    written += writeSync(file, lines.join(""));
  }
  closeSync(file);
}

/** A hundred thousand small files: 25,000 runs, each with its run.json, metrics, console text and notes. */
function writeMany(folder) {
  for (let i = 0; i < 25_000; i++) {
    const run = join(folder, `group-${i % 250}`, `run-${i}`);
    mkdirSync(run, { recursive: true });
    writeFileSync(
      join(run, "run.json"),
      JSON.stringify({ tasks: 10 * (1 + (i % 9)), environments: 1 + (i % 4), steps: 30 }),
    );
    const rows = [10, 20, 30].map((step) => JSON.stringify({ step, success_rate: 0.01 * ((i + step) % 97) }));
    writeFileSync(join(run, "metrics.jsonl"), `${rows.join("\n")}\n`);
    writeFileSync(join(run, "train.log"), "INFO starting\n");
    writeFileSync(join(run, "notes.txt"), "notes\n");
  }
}

/** Each measurement in a process of its own: resident memory is the peak since its start. */
function measure(mode, ...args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [worker, mode, ...args], {
    encoding: "utf8",
    maxBuffer: 1 << 26,
  });
  if (status !== 0) throw new Error(`${mode}: ${stderr}`);
  return JSON.parse(stdout);
}

/** @returns {Promise<import("./run.mjs").Row[]>} */
export default async function () {
  const folder = mkdtempSync(join(tmpdir(), "runs-bench-"));
  const megabytes = Number(process.env.RUNS_BENCH_MB ?? 256);
  try {
    const engine = join(folder, "engine.cjs");
    await build({
      stdin: {
        contents: `export { readRuns } from "./server/sources/read"; export { createNodeHost, createWorkerHost, toUri } from "./server/node/host"; export { spareMemory } from "./server/cli/memory"; export { createDuckdbAccelerator } from "./server/node/duckdb";
          export { textDuplicates } from "./server/rollouts/duplicates"; export { makePause } from "./server/rollouts/pause";`,
        resolveDir: root,
        loader: "ts",
      },
      bundle: true,
      platform: "node",
      format: "cjs",
      target: "node20",
      outfile: engine,
      mainFields: ["module", "main"],
      minify: true,
      logLevel: "error",
    });
    // Beside the project's packages, where the child finds the native part.
    const native = join(root, "test/results/duckdb-bench");
    if (hasDuckdb) await buildDuckdbChild(join(native, "duckdb.js"));
    const log = join(folder, "log.jsonl");
    writeLog(log, megabytes * 1024 * 1024);
    const size = `${(statSync(log).size / 1e6).toFixed(0)} MB`;
    const all = { bare: [], plain: [], query: [], duckdb: [] };
    // Interleaved, so that what else the machine does meets all alike.
    for (let i = 0; i < REPEATS; i++) {
      for (const mode of Object.keys(all))
        if (hasDuckdb || (mode !== "query" && mode !== "duckdb")) all[mode].push(measure(mode, engine, log, native));
    }
    const seconds = (mode) => median(all[mode].map((each) => each.seconds));
    const next = (mode) => median(all[mode].map((each) => each.next));
    const rows = [
      {
        name: `run log of ${size}, plain reader`,
        value: seconds("plain"),
        unit: "s",
        peer: `bare JSON.parse loop ${seconds("bare").toFixed(2)} s`,
        ratio: seconds("plain") / seconds("bare"),
        limit: { max: 1.3 },
      },
      {
        name: `run log of ${size}, plain reader, resident`,
        value: Math.max(...all.plain.map(({ resident }) => resident)),
        unit: "MB",
        limit: { max: 150 },
      },
    ];
    if (hasDuckdb) {
      // Its start is some 0.1 s: only a large file says what the reading costs.
      const limit = megabytes >= 1000 ? { limit: { max: 1.25 } } : {};
      rows.push({
        name: `run log of ${size}, DuckDB in a child, its start included`,
        value: seconds("duckdb"),
        unit: "s",
        peer: `DuckDB's own query, its process's start included ${seconds("query").toFixed(2)} s`,
        ratio: seconds("duckdb") / seconds("query"),
        ...limit,
      });
      rows.push({
        name: `run log of ${size}, DuckDB in a child, already started`,
        value: next("duckdb"),
        unit: "s",
        peer: `DuckDB's own query, already started ${next("query").toFixed(2)} s`,
        ratio: next("duckdb") / next("query"),
        ...limit,
      });
      rows.push({
        name: "rows that differ between DuckDB and the plain reader",
        value: all.plain[0].table === all.duckdb[0].table ? 0 : 1,
        unit: "tables",
        limit: { max: 0 },
      });
    } else
      rows.push({
        name: "run log, DuckDB in a child",
        value: NaN,
        unit: "s",
        skipped: "@duckdb/node-api is not installed",
        limit: { max: 1.25 },
      });
    const consoles = { plain: join(folder, "plain.log"), dicts: join(folder, "dicts.log") };
    for (const [kind, path] of Object.entries(consoles)) writeConsole(path, 200e6, kind === "dicts");
    const read = Object.fromEntries(
      Object.entries(consoles).map(([kind, path]) => [
        kind,
        median(Array.from({ length: 3 }, () => measure("plain", engine, path).seconds)),
      ]),
    );
    rows.push({
      name: "console text of 200 MB with what models print as dicts",
      value: read.dicts,
      unit: "s",
      peer: `the same of plain lines ${read.plain.toFixed(2)} s`,
      ratio: read.dicts / read.plain,
      limit: { max: 2 },
    });
    const many = join(folder, "many");
    writeMany(many);
    const files = measure("many", engine, many);
    rows.push({ name: "runs in 100,000 small files", value: files.seconds, unit: "s", limit: { max: 60 } });
    rows.push({
      name: "runs in 100,000 small files, resident",
      value: files.resident,
      unit: "MB",
      limit: { max: 200 },
    });
    for (const kind of ["free", "template"]) {
      const large = measure("duplicates", engine, kind, "200000");
      rows.push({
        name: `duplicates of 200,000 task texts (${kind})`,
        value: large.seconds,
        unit: "s",
        limit: { max: 60 },
      });
      rows.push({
        name: `duplicates of 200,000 task texts (${kind}), resident`,
        value: large.resident,
        unit: "MB",
        limit: { max: 1000 },
      });
      const sample = measure("recall", engine, kind, "5000");
      rows.push({
        name: `duplicates, recall on 5,000 texts (${kind})`,
        value: sample.recall,
        unit: "",
        peer: `${sample.exact} pairs by every comparison`,
        limit: { min: 0.99 },
      });
    }
    return rows;
  } finally {
    if (existsSync(folder)) rmSync(folder, { recursive: true, force: true });
  }
}
