// One measurement of runs.bench.mjs: node runs.worker.mjs MODE ENGINE ARGUMENT…; prints JSON.
import { createHash } from "node:crypto";
import { closeSync, openSync, readSync } from "node:fs";
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const [mode, enginePath, ...args] = process.argv.slice(2);

function bareLoop(path) {
  const file = openSync(path, "r");
  const buffer = Buffer.allocUnsafeSlow(4 * 1024 * 1024);
  let carry = Buffer.alloc(0);
  let rows = 0;
  const sums = new Map();
  for (;;) {
    const read = readSync(file, buffer, 0, buffer.length, null);
    if (read === 0) break;
    const bytes = Buffer.concat([carry, buffer.subarray(0, read)]);
    let start = 0;
    for (;;) {
      const end = bytes.indexOf(10, start);
      if (end < 0) break;
      const row = JSON.parse(bytes.utf8Slice(start, end));
      rows++;
      const rate = row["val/success_rate"];
      if (rate !== undefined) sums.set(row.run, (sums.get(row.run) ?? 0) + rate);
      start = end + 1;
    }
    carry = bytes.subarray(start);
  }
  closeSync(file);
  return { rows, runs: sums.size };
}

const SYLLABLES = [
  "ka",
  "lo",
  "mi",
  "ter",
  "son",
  "ber",
  "ing",
  "qua",
  "zen",
  "pho",
  "lat",
  "rin",
  "dex",
  "vor",
  "mun",
  "ship",
  "tal",
  "ost",
  "gre",
  "ny",
];

/** Texts of few made-up words — the hard case — a fifth of them an earlier one with up to three words replaced. */
function corpus(count, kind) {
  let state = 12345;
  const random = () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
  const words = Array.from({ length: 4000 }, () =>
    Array.from({ length: 1 + Math.floor(random() * 3) }, () => SYLLABLES[Math.floor(random() * 20)]).join(""),
  );
  const word = () => words[Math.floor(4000 * random() ** 2.2)];
  const texts = [];
  while (texts.length < count) {
    if (texts.length > 10 && random() < 0.2) {
      const copy = texts[Math.floor(random() * texts.length)].split(" ");
      for (let edits = Math.floor(random() * 4); edits > 0; edits--) copy[Math.floor(random() * copy.length)] = word();
      texts.push(copy.join(" "));
    } else if (kind === "template")
      texts.push(
        `Book a ${word()} from ${word()} to ${word()} on the ${1 + Math.floor(random() * 28)}th for ${word()} and pay with ${word()}`,
      );
    else texts.push(Array.from({ length: 12 + Math.floor(random() * 14) }, word).join(" "));
  }
  return texts;
}

let connection;

const modes = {
  bare: async () => bareLoop(args[0]),
  plain: async () => read(undefined),
  many: async () => {
    const { readRuns, createWorkerHost, spareMemory, toUri } = engine();
    const { rows } = await readRuns(createWorkerHost(spareMemory), [toUri(args[0])]);
    return { runs: rows.length };
  },
  duckdb: async () => read((accelerator ??= engine().createDuckdbAccelerator({ folder: args[1], cores: 8 }))),
  query: async () => {
    const { DuckDBInstance } = require("@duckdb/node-api");
    connection ??= await (await DuckDBInstance.create(":memory:")).connect();
    const types = `{'run': 'VARCHAR', 'step': 'DOUBLE', 'val/success_rate': 'DOUBLE'}`;
    const result = await connection.runAndReadAll(
      `SELECT run, count(*), avg("val/success_rate"), max(step) FROM read_json('${args[0]}', format = 'newline_delimited', columns = ${types}) WHERE "val/success_rate" IS NOT NULL GROUP BY run`,
    );
    return { runs: result.getRows().length };
  },
  duplicates: async () => {
    const { textDuplicates, makePause } = engine();
    const texts = corpus(Number(args[1]), args[0]);
    const start = performance.now();
    const { pairs, exact } = await textDuplicates(
      texts,
      0.15,
      makePause(() => undefined),
    );
    return { pairs, exact, seconds: (performance.now() - start) / 1000 };
  },
  recall: async () => {
    const { textDuplicates, makePause } = engine();
    const texts = corpus(Number(args[1]), args[0]);
    const exact = await textDuplicates(
      texts,
      0.15,
      makePause(() => undefined),
      Infinity,
    );
    const sampled = await textDuplicates(
      texts,
      0.15,
      makePause(() => undefined),
      0,
    );
    return { exact: exact.pairs, recall: sampled.pairs / exact.pairs };
  },
};

function engine() {
  return require(enginePath);
}

async function read(accelerator) {
  const { readRuns, createNodeHost, toUri } = engine();
  const { rows } = await readRuns(createNodeHost(), [toUri(args[0])], { accelerator });
  return { runs: rows.length, table: createHash("sha256").update(JSON.stringify(rows)).digest("hex") };
}

/** The accelerator of all readings of this process: a session's. */
let accelerator;
const REPEATS = 5;
const seconds = async () => {
  const start = performance.now();
  const result = await modes[mode]();
  return { result, seconds: (performance.now() - start) / 1000 };
};

// The engine's loading is not measured: in the editor it is there. The start of DuckDB's process is, where one is started:
// by the reader for its first large file, by hand for a query in a process of its own.
if (mode === "plain" || mode === "duckdb") engine();
const { result, seconds: first } = await seconds();
const report = {
  seconds: mode === "query" ? performance.now() / 1000 : first,
  resident: process.resourceUsage().maxRSS / 1024,
  ...result,
};
if (mode === "query" || mode === "duckdb") {
  const next = [];
  for (let i = 0; i < REPEATS; i++) next.push((await seconds()).seconds);
  report.next = next.sort((a, b) => a - b)[REPEATS >> 1];
}
console.log(JSON.stringify(report));
process.exit(0);
