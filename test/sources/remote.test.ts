import { cpSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { RunTable } from "../../server/core/table";
import { createNodeHost, toUri } from "../../server/node/host";
import { createRemoteHost } from "../../server/node/remote/host";
import { memoryCache, runJob, type JobTools } from "../../server/operations/runJob";
import { Bucket } from "./bucket";
import { sampleRuns, writePlain } from "./sampleRuns";

const top = mkdtempSync(join(tmpdir(), "scaling-lens-remote-"));
const bucket = new Bucket(top, "the-secret");
let url = "";
beforeAll(async () => {
  writePlain(join(top, "runs of may"), sampleRuns());
  cpSync(join(__dirname, "../fixtures/runs/table-parquet/runs.parquet"), join(top, "runs.parquet"));
  cpSync(join(top, "runs.parquet"), join(top, "whole.parquet"));
  cpSync(join(__dirname, "../fixtures/runs/rollouts/1.jsonl"), join(top, "rollouts/1.jsonl"));
  // What was written a moment ago may change within the tick of a clock, and is not kept.
  for (const { name } of sampleRuns())
    for (const file of ["run.json", "metrics.jsonl"]) utimesSync(join(top, "runs of may", name, file), 1e9, 1e9);
  url = await bucket.open();
  process.env.AWS_ENDPOINT_URL_S3 = url;
  process.env.AWS_ACCESS_KEY_ID = "lens";
  process.env.AWS_SECRET_ACCESS_KEY = bucket.secret;
});
afterEach(() => {
  bucket.how = "well";
  process.env.AWS_SECRET_ACCESS_KEY = bucket.secret;
});
afterAll(() => {
  bucket.close();
  rmSync(top, { recursive: true, force: true });
});

let time = 1e9;
const memory = new Map<string, unknown>();
const tools: JobTools = {
  remote: (allows) => createRemoteHost(memory, allows),
  onlyNamedStores: true,
  cache: memoryCache(),
};
const read = async (source: string, scalingText = `logs: ["${source}"]\n`, within?: string[]): Promise<RunTable> => {
  const job = {
    kind: "read-runs",
    folderUri: "file:///w",
    sources: [source],
    scalingText,
    ...(within && { within }),
  } as const;
  return ((await runJob(job, createNodeHost(), () => undefined, undefined, tools)) as { table: RunTable }).table;
};
const local = async (path: string) => read(toUri(join(top, path)), "");
/** A table without the places of its files. */
const said = ({ rows }: RunTable) =>
  rows.map(({ axes, outcome, seed, model, curve }) => ({ axes, outcome, seed, model, curve }));
const errors = ({ notes }: RunTable) => notes.filter(({ severity }) => severity === "error");
const RUNS = "s3://bucket/runs%20of%20may";

test("a folder of runs in a bucket gives the table of the files", async () => {
  const table = await read(RUNS);
  expect(errors(table)).toEqual([]);
  expect(table.rows).toHaveLength(9);
  expect(said(table)).toEqual(said(await local("runs of may")));
});

test("of a Parquet table on a server only parts are asked for", async () => {
  bucket.wholes = 0;
  const table = await read(`${url}/files/runs.parquet`);
  expect(errors(table)).toEqual([]);
  expect(said(table)).toEqual(said(await local("runs.parquet")));
  expect(bucket.wholes).toBe(0);
});

test("a server that gives no parts is read whole, where the file is small", async () => {
  bucket.how = "without parts";
  const table = await read(`${url}/files/whole.parquet`);
  expect(said(table)).toEqual(said(await local("runs.parquet")));
});

test("rollouts are measured on a server", async () => {
  const source = `${url}/files/rollouts/1.jsonl`;
  const job = {
    kind: "measure",
    uris: [source],
    folderUri: "file:///w",
    scalingText: `logs: ["${source}"]\n`,
  } as const;
  const { measure } = (await runJob(job, createNodeHost(), () => undefined, undefined, tools)) as {
    measure: { rollouts: number; notes: unknown[] };
  };
  expect(measure).toMatchObject({ rollouts: 16, notes: [] });
});

/** What a server may take to answer, or for the next piece of an answer (ms). */
const SILENCE_MS = 10_000;

test.for<[string, () => unknown, RegExp, number?]>([
  ["gone", () => (bucket.how = "gone"), /could not be read/],
  [
    "refusing the secret",
    () => (process.env.AWS_SECRET_ACCESS_KEY = "geheim-falsch"),
    /refuses the reader \(403\).*AWS_SECRET/,
  ],
  ["sending elsewhere", () => (bucket.how = "elsewhere"), /another address/],
  ["silent", () => (bucket.how = "silent"), /does not answer/, SILENCE_MS],
  ["silent midway", () => (bucket.how = "silent midway"), /answer was cut.*does not answer any more/, SILENCE_MS],
  ["cut midway", () => (bucket.how = "cut midway"), /answer was cut/],
])(
  "a bucket that is %s: the last good table, marked, and it recovers by itself",
  async ([how, fail, message, seen = 0]) => {
    let start = performance.now();
    const good = await read(RUNS);
    const usual = performance.now() - start;
    // What is unchanged is not read again, and so not missed.
    if (how.endsWith("midway")) {
      const path = join(top, "runs of may", sampleRuns()[0].name, "metrics.jsonl");
      utimesSync(path, 1e9, ++time);
    }
    fail();
    start = performance.now();
    const stale = await read(RUNS);
    // One that is gone is waited for once, whatever its number of files.
    expect(performance.now() - start).toBeLessThan(seen + 2000 + 4 * usual);
    bucket.how = "well";
    process.env.AWS_SECRET_ACCESS_KEY = bucket.secret;
    expect(said(stale)).toEqual(said(good));
    expect(stale.notes.find(({ code }) => code === "store.failed")?.message).toMatch(message);
    expect(stale.notes.find(({ code }) => code === "store.stale")?.message).toMatch(/\d{4}-\d\d-\d\d \d\d:\d\d UTC/);
    expect(JSON.stringify(stale.notes)).not.toContain("geheim");
    const again = await read(RUNS);
    expect(said(again)).toEqual(said(good));
    expect(again.notes.map(({ code }) => code)).not.toContain("store.stale");
  },
);

test("a table on a server that loses a column, or writes numbers as text, says so or stays the same", async () => {
  const path = join(top, "table.jsonl");
  const write = (row: (i: number) => object) => {
    writeFileSync(
      path,
      [1, 2, 3].map((i) => `${JSON.stringify({ tasks: 100 * i, trials: 500, ...row(i) })}\n`).join(""),
    );
    utimesSync(path, 1e9, ++time);
  };
  const source = `${url}/files/table.jsonl`;
  write((i) => ({ success_rate: i / 10 }));
  const good = await read(source);
  expect(good.rows).toHaveLength(3);
  write((i) => ({ success_rate: String(i / 10) }));
  expect(said(await read(source))).toEqual(said(good));
  write((i) => ({ success_rate: `${i} of ten` }));
  const words = await read(source);
  expect(words.rows).toEqual([]);
  expect(words.notes.map(({ message }) => message).join()).toMatch(/success_rate/);
  write((i) => ({ accuracy_of_something: i / 10 }));
  const less = await read(source);
  expect(less.rows).toEqual([]);
  expect(
    less.notes
      .filter(({ severity }) => severity !== "information")
      .map(({ message }) => message)
      .join(),
  ).toMatch(/success/);
  write((i) => ({ success_rate: i / 10 }));
  expect(said(await read(source))).toEqual(said(good));
});

test("nothing is asked that scaling.yaml does not name, nor in a workspace that is not trusted", async () => {
  bucket.asked.length = 0;
  const source = `${url}/files/runs.parquet`;
  const unnamed = await read(source, "logs: [runs]\n");
  expect(errors(unnamed)).toMatchObject([
    { code: "store.failed", message: expect.stringContaining("does not name it") as string },
  ]);
  const untrusted = await read(source, `logs: ["${source}"]\n`, ["file:///w"]);
  expect(errors(untrusted)).toMatchObject([{ code: "store.not-here" }]);
  expect(bucket.asked).toEqual([]);
});

test("only GET is sent; a secret in an address is an error that does not repeat it", async () => {
  await read(RUNS);
  expect(bucket.asked.filter((asked) => !asked.startsWith("GET "))).toEqual([]);
  for (const address of [
    "https://lens:geheim@127.0.0.1:1/x.jsonl",
    "https://127.0.0.1:1/x.jsonl?X-Amz-Signature=geheim",
  ]) {
    const { notes } = await read(address);
    expect(notes).toMatchObject([{ severity: "error", code: "store.password" }]);
    expect(JSON.stringify(notes)).not.toContain("geheim");
  }
});
