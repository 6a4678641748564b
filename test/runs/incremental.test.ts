import { execFile } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Worker } from "node:worker_threads";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createFileCache } from "../../server/node/cache";
import { createNodeHost, toUri } from "../../server/node/host";
import { readRuns } from "../../server/sources/read";
import { cli } from "../cli/harness";
import { countingHost } from "./countingHost";
import type { FromWorker } from "../../server/operations/workerLink";

const ROOT = join(__dirname, "../fixtures/runs");
const PROJECT = join(__dirname, "../..");
let top: string;
beforeAll(() => {
  top = mkdtempSync(join(tmpdir(), "scaling-lens-incremental-"));
});
afterAll(() => rmSync(top, { recursive: true, force: true }));

const LONG_AGO = new Date(Date.now() - 3_600_000);

/** A copy of fixtures that nobody has touched for an hour. */
function copyOf(names: readonly string[], label: string): string {
  const folder = join(top, label);
  for (const name of names) cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  for (const path of filesBelow(folder)) utimesSync(path, LONG_AGO, LONG_AGO);
  return folder;
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());
}

/** Configs are small, may name other files, and are read each time. */
const isConfig = (name: string) => /^(run\.json|config\.(ya?ml|json|toml))$/.test(name);
const logsOf = (bytes: ReadonlyMap<string, number>) =>
  Object.fromEntries([...bytes].filter(([name]) => !isConfig(name)));

describe("a second session", () => {
  const cases = readdirSync(ROOT, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);

  it.each(cases)("reads no byte of unchanged logs: %s", async (name) => {
    const folder = toUri(copyOf([name], `unchanged-${name}`));
    const cache = join(top, `cache-${name}`);
    const plain = await readRuns(createNodeHost(), [folder]);
    expect(await readRuns(createNodeHost(), [folder], { cache: createFileCache(cache) })).toEqual(plain);
    const { host, bytes } = countingHost(createNodeHost());
    const progress: number[] = [];
    expect(
      await readRuns(host, [folder], {
        cache: createFileCache(cache),
        onProgress: ({ done, total }) => progress.push(done / total),
      }),
    ).toEqual(plain);
    expect(logsOf(bytes)).toEqual({});
    if (plain.rows.length > 0) expect(progress.at(-1)).toBe(1);
  });

  it("reads the one file that has changed, and a new one", async () => {
    const folder = copyOf(["plain", "verl-file", "mlflow", "table", "tensorboard"], "changed");
    const cache = join(top, "cache-changed");
    const uri = toUri(folder);
    const before = await readRuns(createNodeHost(), [uri], { cache: createFileCache(cache) });
    const [changed] = filesBelow(join(folder, "plain", "a")).filter((path) => /metrics/.test(path));
    const text = readFileSync(changed, "utf8");
    writeFileSync(
      changed,
      text.replace(/"success_rate": ?0\.(\d)/g, (whole, digit: string) =>
        whole.replace(/\d$/, String((Number(digit) + 1) % 10)),
      ),
    );
    utimesSync(changed, new Date(LONG_AGO.getTime() + 5000), new Date(LONG_AGO.getTime() + 5000));
    cpSync(join(ROOT, "tinker"), join(folder, "tinker"), { recursive: true });
    const first = countingHost(createNodeHost());
    const after = await readRuns(first.host, [uri], { cache: createFileCache(cache) });
    expect(after).toEqual(await readRuns(createNodeHost(), [uri]));
    expect(after.rows.length).toBe(before.rows.length + 1);
    const read = Object.keys(logsOf(first.bytes));
    expect(read.sort()).toEqual(["metrics.jsonl"]);
    // The changed and the new metrics.jsonl: their beginnings for what they are and for their columns, and all that they hold.
    const sizes = [
      changed,
      ...filesBelow(join(folder, "tinker")).filter((path) => path.endsWith("metrics.jsonl")),
    ].reduce((sum, path) => sum + statSync(path).size, 0);
    expect(first.bytes.get("metrics.jsonl")).toBeLessThanOrEqual(3 * sizes);
  });

  it("reads an MLflow run again when one of its metrics has grown", async () => {
    const folder = copyOf(["mlflow"], "grown-mlflow");
    const cache = join(top, "cache-mlflow");
    await readRuns(createNodeHost(), [toUri(folder)], { cache: createFileCache(cache) });
    const metric = filesBelow(folder).find((path) =>
      /success|acc|reward|score/.test(path.replace(folder, "").split("/metrics/")[1] ?? ""),
    );
    expect(metric).toBeDefined();
    appendFileSync(metric ?? "", "1700000000000 0.75 900\n");
    const after = await readRuns(createNodeHost(), [toUri(folder)], { cache: createFileCache(cache) });
    expect(after.rows[0].steps).toBe(900);
    expect(after).toEqual(await readRuns(createNodeHost(), [toUri(folder)]));
  });

  it("reads a file of the last two seconds again: it may change and still look the same", async () => {
    const folder = copyOf(["plain"], "fresh");
    const cache = join(top, "cache-fresh");
    const log = filesBelow(folder).find((path) => /metrics/.test(path)) ?? "";
    const now = new Date();
    utimesSync(log, now, now);
    await readRuns(createNodeHost(), [toUri(folder)], { cache: createFileCache(cache) });
    const changed = readFileSync(log, "utf8").replaceAll(/0\.\d/g, "0.0");
    writeFileSync(log, changed);
    utimesSync(log, now, now);
    expect(await readRuns(createNodeHost(), [toUri(folder)], { cache: createFileCache(cache) })).toEqual(
      await readRuns(createNodeHost(), [toUri(folder)]),
    );
  });
});

describe("sessions in processes of their own", () => {
  const bundled = async (outfile: string, contents: string) => {
    await build({
      stdin: { contents, resolveDir: PROJECT, sourcefile: "test.ts", loader: "ts" },
      outfile,
      bundle: true,
      platform: "node",
      format: "cjs",
      mainFields: ["module", "main"],
      external: ["@duckdb/node-api", "web-tree-sitter"],
      logLevel: "silent",
    });
    return outfile;
  };

  it("a second one reads nothing; four at once agree, and the next reads nothing either", async () => {
    const script = await bundled(join(top, "session.cjs"), 'import "./test/runs/sessionProcess";');
    const folder = toUri(copyOf(["plain", "verl-console", "wandb", "table-parquet", "trl"], "processes"));
    const session = async (cache: string) =>
      JSON.parse(
        (await promisify(execFile)(process.execPath, [script, join(top, cache), folder], { maxBuffer: 1e8 })).stdout,
      ) as { table: unknown; bytes: Record<string, number> };
    const plain = JSON.parse(JSON.stringify(await readRuns(createNodeHost(), [folder]))) as unknown;
    const first = await session("cache-two");
    expect(first.table).toEqual(plain);
    expect(Object.keys(first.bytes).length).toBeGreaterThan(5);
    const second = await session("cache-two");
    expect(second.table).toEqual(plain);
    expect(logsOf(new Map(Object.entries(second.bytes)))).toEqual({});
    const together = await Promise.all([1, 2, 3, 4].map(() => session("cache-four")));
    for (const { table } of together) expect(table).toEqual(plain);
    expect(logsOf(new Map(Object.entries((await session("cache-four")).bytes)))).toEqual({});
    expect(readdirSync(join(top, "cache-four")).every((name) => name.endsWith(".reading"))).toBe(true);
  }, 60_000);

  it("a worker keeps its readings in the folder that it is given", async () => {
    const script = await bundled(
      join(top, "worker.cjs"),
      'import { start } from "./server/entries/worker.node"; start();',
    );
    const folder = copyOf(["plain"], "worker");
    const cacheUri = toUri(join(top, "cache-worker"));
    const rows = async () => {
      const worker = new Worker(script, { workerData: { cacheUri } });
      try {
        worker.postMessage({
          type: "job",
          job: { kind: "read-runs", folderUri: toUri(folder), sources: [toUri(folder)] },
        });
        return await new Promise<unknown>((resolve, reject) => {
          worker.on("message", (message: FromWorker) => {
            if (message.type === "done") resolve((message.result as { table: { rows: unknown } }).table.rows);
          });
          worker.on("error", reject);
        });
      } finally {
        await worker.terminate();
      }
    };
    const before = await rows();
    expect(before).toHaveLength(2);
    // What only a reading could tell: other figures in a file that looks the same.
    for (const log of filesBelow(folder).filter((path) => /metrics/.test(path))) {
      writeFileSync(log, readFileSync(log, "utf8").replaceAll(/0\.\d/g, "0.0"));
      utimesSync(log, LONG_AGO, LONG_AGO);
    }
    expect(await rows()).toEqual(before);
    expect((await readRuns(createNodeHost(), [toUri(folder)])).rows).not.toEqual(before);
  }, 60_000);

  it("the command line keeps them where --cache says, and nowhere without it", async () => {
    const folder = copyOf(["plain"], "cli");
    const before = filesBelow(top).length;
    const plain = await cli(folder, "runs", ".", "--json");
    expect(filesBelow(top).length).toBe(before);
    const first = await cli(folder, "runs", ".", "--json", "--cache", "../cache-cli");
    expect(first).toEqual(plain);
    expect(readdirSync(join(top, "cache-cli")).length).toBeGreaterThan(2);
    expect(await cli(folder, "runs", ".", "--json", "--cache", "../cache-cli")).toEqual(plain);
    writeFileSync(join(top, "no-folder"), "");
    const blocked = await cli(folder, "runs", ".", "--cache", "../no-folder");
    expect(blocked.code).toBe(0);
    expect(blocked.err.match(/run\.cache/g)).toHaveLength(1);
    expect(blocked.err).toMatch(
      /warning run\.cache: What was read cannot be kept for the next time: the cache's folder .* cannot be made, since a file is in its place/,
    );
  });
});
