import type { ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildDuckdbChild, hasDuckdb } from "../../scripts/native.mjs";
import { createDuckdbAccelerator as create, type DuckdbOptions } from "../../server/node/duckdb";
import { createNodeHost, toUri } from "../../server/node/host";
import { readRuns, type TableAccelerator } from "../../server/sources/read";

const host = createNodeHost();
/** The program of the child, built where the optional package is found above it. */
const folder = join(import.meta.dirname, "../results/duckdb");
if (hasDuckdb) await buildDuckdbChild(join(folder, "duckdb.js"));
const createDuckdbAccelerator = (options: DuckdbOptions = {}) => create({ folder, cores: 8, ...options });
const probe = createDuckdbAccelerator();
const LARGE = 64 * 1024 * 1024;

/** Pads rows with a text so that a file is large (over 64 MB) with few of them. */
const PAD = "x".repeat(20_000);

describe.skipIf(!hasDuckdb)("DuckDB in a child process (skipped where the optional package is not installed)", () => {
  let logs: string;
  let clean: string;
  beforeAll(() => {
    logs = mkdtempSync(join(tmpdir(), "scaling-lens-"));
    clean = join(logs, "long.jsonl");
    write(clean, 3600, () => undefined);
  }, 60_000);
  afterAll(() => rmSync(logs, { recursive: true, force: true }));

  function write(path: string, rows: number, extra: (row: number) => string | undefined): void {
    const lines: string[] = [];
    for (let i = 0; i < rows; i++) {
      const step = Math.floor(i / 4) * 5;
      const rate = i % 8 < 4 ? `,"val/success_rate":${((i * 7919) % 1000) / 1001}` : "";
      lines.push(
        `{"run":"r${i % 4}","tasks":${100 * ((i % 4) + 1)},"seed":${i % 4},"step":${step},"critic/score/mean":${i / rows}${rate},"pad":"${PAD}"}`,
      );
      const more = extra(i);
      if (more !== undefined) lines.push(more);
    }
    writeFileSync(path, `${lines.join("\n")}\n`);
  }

  async function both(path: string, accelerator = createDuckdbAccelerator()): Promise<void> {
    let scans = 0;
    const counted: TableAccelerator | undefined = accelerator && {
      ...accelerator,
      scan: (request) => (scans++, accelerator.scan(request)),
    };
    const plain = await readRuns(host, [toUri(path)]);
    const fast = await readRuns(host, [toUri(path)], { accelerator: counted });
    expect(scans).toBe(1);
    expect(fast.rows).toEqual(plain.rows);
    expect(plain.rows).toHaveLength(4);
    expect(fast.notes.filter(({ code }) => code !== "log.accelerator")).toEqual(plain.notes);
  }

  it("gives the plain reader's table to the last digit", async () => {
    const used: TableAccelerator = { ...(probe as TableAccelerator) };
    let batches = 0;
    await both(clean, {
      ...used,
      async *scan(request) {
        for await (const batch of used.scan(request)) {
          batches++;
          yield batch;
        }
      },
    });
    expect(batches).toBeGreaterThan(0);
  });

  it("gives the same of CSV and Parquet", async () => {
    const { DuckDBInstance } = await import("@duckdb/node-api");
    const connection = await (await DuckDBInstance.create(":memory:")).connect();
    const columns = 'run, tasks, seed, step, "critic/score/mean", "val/success_rate", pad';
    const from = `read_json('${clean}', format = 'newline_delimited', maximum_object_size = 33554432)`;
    for (const [name, options] of [
      ["long.csv", "FORMAT csv, HEADER"],
      ["long.parquet", "FORMAT parquet, COMPRESSION uncompressed, ROW_GROUP_SIZE 2048"],
    ]) {
      const path = join(logs, name);
      // Each pad is its own, or Parquet's dictionary would shrink the file to nothing.
      await connection.run(
        `COPY (SELECT ${columns.replace("pad", "repeat(md5(step || run), 625) AS pad")} FROM ${from}) TO '${path}' (${options})`,
      );
      await both(path);
      rmSync(path);
    }
  });

  it("leaves a file with a malformed line, a bare NaN or a value of another type to the plain reader, which names the line", async () => {
    for (const line of [
      "not json",
      `{"run":"r0","step":7,"val/success_rate":NaN}`,
      `{"run":"r0","step":7,"val/success_rate":"high"}`,
    ]) {
      const path = join(logs, "dirty.jsonl");
      write(path, 3600, (row) => (row === 1555 ? line : undefined));
      await both(path);
      const { notes } = await readRuns(host, [toUri(path)], { accelerator: createDuckdbAccelerator() });
      expect(notes.find((note) => note.line === 1557)).toBeDefined();
    }
  }, 180_000);

  it("survives the death of its child in the middle: a note, and the plain reader's figures", async () => {
    const plain = await readRuns(host, [toUri(clean)]);
    for (const delay of [0, 60]) {
      const accelerator = createDuckdbAccelerator({
        onChild: (child) => void setTimeout(() => child.kill("SIGKILL"), delay),
      });
      const { rows, notes } = await readRuns(host, [toUri(clean)], { accelerator });
      expect(rows).toEqual(plain.rows);
      const died = notes.find(({ code }) => code === "log.accelerator");
      // With the longer delay the child may be done before it is killed.
      if (delay === 0) expect(died?.message).toMatch(/DuckDB could not be started \(SIGKILL\)/);
    }
  });

  it("stops its child when the reading is stopped", async () => {
    const controller = new AbortController();
    let exited: Promise<unknown> = Promise.resolve();
    const used = createDuckdbAccelerator({
      onChild: (child) => {
        exited = new Promise((resolve) => child.once("exit", resolve));
      },
    }) as TableAccelerator;
    const accelerator: TableAccelerator = {
      ...used,
      scan: (request) => {
        setTimeout(() => controller.abort(new Error("enough")), 20);
        return used.scan(request);
      },
    };
    await expect(readRuns(host, [toUri(clean)], { accelerator, signal: controller.signal })).rejects.toThrow("enough");
    await exited;
  });

  it("keeps its child for the next file, and lets it go when none comes", async () => {
    const children: ChildProcess[] = [];
    const accelerator = createDuckdbAccelerator({ onChild: (child) => children.push(child) });
    const first = await readRuns(host, [toUri(clean)], { accelerator });
    const second = await readRuns(host, [toUri(clean)], { accelerator });
    expect(second).toEqual(first);
    expect(children).toHaveLength(1);
    await new Promise((resolve) => children[0].once("exit", resolve));
  }, 30_000);

  it("is not asked for small files, and large ones are read alike without it", async () => {
    const small = join(logs, "small.jsonl");
    writeFileSync(small, `{"step":1,"success_rate":0.5}\n`);
    const never: TableAccelerator = {
      name: "none",
      worthwhile: LARGE,
      scan: () => {
        throw new Error("asked");
      },
    };
    expect((await readRuns(host, [toUri(small)], { accelerator: never })).rows).toHaveLength(1);
    const { rows } = await readRuns(host, [toUri(clean)], { accelerator: never });
    expect(rows).toHaveLength(4);
  });
});
