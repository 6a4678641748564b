import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import * as realFiles from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { memoryCache } from "../../server/operations/runJob";
import { type CacheFiles, createFileCache, sessionCache } from "../../server/node/cache";
import { layered, readRuns } from "../../server/sources/read";
import { memoryHost } from "./memoryHost";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "scaling-lens-cache-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const entries = (at = folder) => readdirSync(at).map((name) => join(at, name));

describe("the cache on disk", () => {
  it("keeps texts by key across instances, and nothing half-written", async () => {
    await createFileCache(join(folder, "c")).set("a\nb", "value ✓");
    expect(await createFileCache(join(folder, "c")).get("a\nb")).toBe("value ✓");
    expect(await createFileCache(join(folder, "c")).get("a")).toBeUndefined();
    expect(readdirSync(join(folder, "c"))).toEqual([expect.stringMatching(/^[0-9a-f]{64}\.reading$/)]);
  });

  it("lets go of what was used longest ago", async () => {
    const cache = createFileCache(folder, { mostBytes: 4000 });
    const old = new Date(Date.now() - 60_000);
    for (let i = 0; i < 100; i++) {
      await cache.set(`key ${i}`, "x".repeat(100));
      for (const path of entries()) await realFiles.utimes(path, old, old);
      await cache.get("key 0");
    }
    const size = entries().reduce((sum, path) => sum + readFileSync(path).length, 0);
    expect(size).toBeLessThanOrEqual(4000 + 4000 / 16 + 250);
    expect(await cache.get("key 99")).toBeDefined();
    expect(await cache.get("key 0")).toBeDefined();
    expect(await cache.get("key 1")).toBeUndefined();
  });

  it("clears away what a process that died left half-written, and no file that is not its own", async () => {
    const hoursAgo = new Date(Date.now() - 2 * 60 * 60 * 1000);
    writeFileSync(join(folder, "dead.reading.tmp"), "half");
    writeFileSync(join(folder, "mine.txt"), "x".repeat(9999));
    for (const path of entries()) await realFiles.utimes(path, hoursAgo, hoursAgo);
    writeFileSync(join(folder, "alive.reading.tmp"), "half");
    await createFileCache(folder, { mostBytes: 100 }).set("a", "b");
    expect(
      readdirSync(folder)
        .filter((name) => !/^[0-9a-f]{64}/.test(name))
        .sort(),
    ).toEqual(["alive.reading.tmp", "mine.txt"]);
  });

  it("does not trust another version of the program, nor an entry under another's name", async () => {
    await createFileCache(folder, { version: "1" }).set("a", "of one");
    expect(await createFileCache(folder, { version: "2" }).get("a")).toBeUndefined();
    const [path] = entries();
    await createFileCache(folder, { version: "1" }).set("b", "of another");
    const [other] = entries().filter((each) => each !== path);
    writeFileSync(path, readFileSync(other));
    expect(await createFileCache(folder, { version: "1" }).get("a")).toBeUndefined();
  });

  it("gives a damaged entry never, whatever the damage", async () => {
    const cache = createFileCache(folder);
    const value = JSON.stringify({
      runs: [
        {
          series: {
            success_rate: [
              [1, 2],
              [0.25, 0.5],
              [1, 2],
            ],
          },
        },
      ],
      notes: [],
    });
    await cache.set("key", value);
    const [path] = entries();
    const whole = readFileSync(path);
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom("cut", "flip", "zero", "insert", "swap", "append"),
        fc.nat(whole.length - 1),
        fc.nat(7),
        async (kind, at, bit) => {
          let bytes = Buffer.from(whole);
          if (kind === "cut") bytes = bytes.subarray(0, at);
          else if (kind === "insert")
            bytes = Buffer.concat([bytes.subarray(0, at), Buffer.from([bit]), bytes.subarray(at)]);
          else if (kind === "append") bytes = Buffer.concat([bytes, bytes.subarray(at)]);
          else if (kind === "swap")
            [bytes[at], bytes[(at + 1) % bytes.length]] = [bytes[(at + 1) % bytes.length], bytes[at]];
          else bytes[at] = kind === "flip" ? bytes[at] ^ (1 << bit) : 0;
          writeFileSync(path, bytes);
          expect(await cache.get("key")).toBe(bytes.equals(whole) ? value : undefined);
        },
      ),
      { numRuns: 400 },
    );
  });

  it("is shared by writers at once: a reader sees a whole value or none", async () => {
    const caches = Array.from({ length: 4 }, () => createFileCache(folder, { mostBytes: 200_000 }));
    const value = (key: number, writer: number) => `${key} ${writer} `.repeat(2000 + 500 * writer);
    const wrong: string[] = [];
    await Promise.all(
      caches.map(async (cache, writer) => {
        for (let round = 0; round < 25; round++) {
          const key = (round * 7 + writer) % 5;
          await cache.set(`k${key}`, value(key, writer));
          const seen = await cache.get(`k${(key + 2) % 5}`);
          if (seen !== undefined && ![0, 1, 2, 3].some((each) => seen === value((key + 2) % 5, each)))
            wrong.push(seen.slice(0, 40));
        }
      }),
    );
    expect(wrong).toEqual([]);
    expect(readdirSync(folder).every((name) => name.endsWith(".reading"))).toBe(true);
  });
});

const failing = (code: string, ...names: (keyof CacheFiles)[]): CacheFiles => ({
  ...realFiles,
  ...Object.fromEntries(
    names.map((name) => [
      name,
      () => Promise.reject(Object.assign(new Error(`${code}: it failed, ${name}`), { code })),
    ]),
  ),
});

describe("readings through a cache", () => {
  const host = memoryHost({
    "a/metrics.jsonl": `{"step":1,"success_rate":0.5}\n`,
    "b/metrics.jsonl": `{"step":1,"success_rate":0.6}\nno json\n`,
    "c/table.csv": "tasks,success_rate\n10,0.2\n20,x\n",
    "d/other.csv": "a,b\n1,2\n",
  });
  const sources = ["a", "b", "c", "d"].map((name) => host.uri(name));
  const unread = {
    ...host,
    readChunks: () => {
      throw new Error("read again");
    },
    readFile: () => {
      throw new Error("read again");
    },
  };

  it("spare a second reading, with all rows and notes the same", async () => {
    const plain = await readRuns(host, sources);
    expect(plain.rows).toHaveLength(3);
    expect(plain.notes.map(({ code }) => code).sort()).toEqual(
      expect.arrayContaining(["log.bad-line", "log.not-ours", "table.bad-cell"]),
    );
    expect(await readRuns(host, sources, { cache: createFileCache(folder) })).toEqual(plain);
    expect(await readRuns(unread, sources, { cache: createFileCache(folder) })).toEqual(plain);
    // Another metric, mapping or fact is another reading.
    expect(
      (await readRuns(host, sources, { cache: createFileCache(folder), columns: { success_rate: "tasks" } })).rows
        .length,
    ).not.toBe(3);
    expect(
      (await readRuns(host, sources, { cache: createFileCache(folder), facts: () => ({ model: "m" }) })).rows.every(
        ({ model }) => model === "m",
      ),
    ).toBe(true);
  });

  it.each([
    ["a full disk", () => createFileCache(folder, { files: failing("ENOSPC", "writeFile") }), /no space left .*ENOSPC/],
    [
      "a disk that fills as the entry is put in its place",
      () => createFileCache(folder, { files: failing("ENOSPC", "rename") }),
      /no space left .*ENOSPC/,
    ],
    ["a quota", () => createFileCache(folder, { files: failing("EDQUOT", "writeFile") }), /no space left .*EDQUOT/],
    [
      "a read-only folder",
      () => createFileCache(folder, { files: failing("EROFS", "writeFile", "utimes") }),
      /cannot be written .*EROFS/,
    ],
    [
      "a folder that others own",
      () => createFileCache(folder, { files: failing("EACCES", "mkdir", "writeFile", "readFile", "readdir", "stat") }),
      /cannot be written .*EACCES/,
    ],
    [
      "a file in the folder's place",
      () => {
        writeFileSync(join(folder, "file"), "");
        return createFileCache(join(folder, "file"));
      },
      /a file is in its place/,
    ],
    [
      "a file above the folder",
      () => {
        writeFileSync(join(folder, "file"), "");
        return createFileCache(join(folder, "file", "below"));
      },
      /a file is in its place/,
    ],
    [
      "a store that fails otherwise",
      () => ({ get: () => Promise.reject(new Error("broken")), set: () => Promise.reject(new Error("broken")) }),
      /broken/,
    ],
  ])("%s: the same figures, one clear note, nothing half-written", async (_, make, says) => {
    const plain = await readRuns(host, sources);
    const { rows, notes } = await readRuns(host, sources, { cache: make() });
    expect(rows).toEqual(plain.rows);
    const own = notes.filter(({ code }) => code === "run.cache");
    expect(own).toEqual([{ severity: "warning", code: "run.cache", message: expect.stringMatching(says) as string }]);
    expect(notes.filter(({ code }) => code !== "run.cache")).toEqual(plain.notes);
    expect(readdirSync(folder).filter((name) => name !== "file")).toEqual([]);
  });

  it("a folder that can only be read still spares the reading", async () => {
    const plain = await readRuns(host, sources, { cache: createFileCache(folder) });
    const locked = createFileCache(folder, {
      files: failing("EROFS", "mkdir", "writeFile", "utimes", "rename", "unlink"),
    });
    expect(await readRuns(unread, sources, { cache: locked })).toEqual(plain);
  });

  it.skipIf(process.platform !== "linux")("a place where no folder can be: it is said at once", async () => {
    const { rows, notes } = await readRuns(host, sources, { cache: createFileCache("/proc/scaling-lens/cache") });
    expect(rows).toHaveLength(3);
    expect(notes.filter(({ code }) => code === "run.cache")).toHaveLength(1);
  });

  it("a folder that is not there is made, also when it goes in the middle", async () => {
    const at = join(folder, "deep", "er");
    const cache = createFileCache(at);
    await readRuns(host, sources, { cache });
    rmSync(at, { recursive: true });
    expect((await readRuns(host, sources, { cache })).notes.filter(({ code }) => code === "run.cache")).toEqual([]);
    expect(await readRuns(unread, sources, { cache: createFileCache(at) })).toEqual(await readRuns(host, sources));
  });

  it("what a full disk cannot keep is still kept until the session ends", async () => {
    const plain = await readRuns(host, sources);
    const cache = layered(memoryCache(), createFileCache(folder, { files: failing("ENOSPC", "writeFile") }));
    await readRuns(host, sources, { cache });
    expect(await readRuns(unread, sources, { cache })).toEqual(plain);
  });

  it("entries damaged at random never change a figure", async () => {
    const plain = await readRuns(host, sources, { cache: createFileCache(folder) });
    const whole = new Map(entries().map((path) => [path, readFileSync(path)]));
    const paths = [...whole.keys()];
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            file: fc.nat(paths.length - 1),
            at: fc.double({ min: 0, max: 0.999, noNaN: true }),
            kind: fc.constantFrom("cut", "flip", "swap with another", "gone", "foreign"),
            bit: fc.nat(7),
          }),
          { minLength: 1, maxLength: 4 },
        ),
        async (damages) => {
          for (const [path, bytes] of whole) writeFileSync(path, bytes);
          for (const { file, at, kind, bit } of damages) {
            const path = paths[file];
            const bytes = Buffer.from(whole.get(path) ?? []);
            const place = Math.floor(at * bytes.length);
            if (kind === "cut") writeFileSync(path, bytes.subarray(0, place));
            else if (kind === "gone") rmSync(path, { force: true });
            else if (kind === "swap with another")
              writeFileSync(path, whole.get(paths[(file + 1) % paths.length]) ?? "");
            else if (kind === "foreign")
              writeFileSync(
                path,
                JSON.stringify({
                  rows: [{ id: "x", axes: { tasks: 1e9 }, outcome: { kind: "rate", rate: 1 } }],
                  notes: [],
                }),
              );
            else {
              bytes[place] ^= 1 << bit;
              writeFileSync(path, bytes);
            }
          }
          expect(await readRuns(host, sources, { cache: createFileCache(folder) })).toEqual(plain);
        },
      ),
      { numRuns: 60 },
    );
  });

  it("a store that gives anything at all changes no figure and stops nothing", async () => {
    const plain = await readRuns(host, sources);
    const anything = fc.oneof(
      fc.json(),
      fc.string(),
      fc.constant("[]"),
      fc.constant(`{"runs":[],"notes":[{}]}`),
      fc.constant(
        `{"runs":[{"series":{"success_rate":[[1],[null],[1]]},"names":[],"facts":{},"config":null,"name":null,"nonFinite":0,"firstNonFinite":null}],"notes":[]}`,
      ),
      fc.constant(`[["a/metrics.jsonl",30,1,"reader none-1",[]]]`),
      fc.constant(`{"rows":[{"id":1}],"notes":[]}`),
    );
    await fc.assert(
      fc.asyncProperty(anything, async (value) => {
        expect(
          await readRuns(host, sources, { cache: { get: () => Promise.resolve(value), set: () => Promise.resolve() } }),
        ).toEqual(plain);
      }),
      { numRuns: 150 },
    );
  });
});

describe("the cache of an editor's session", () => {
  it("is in memory without a folder, or with one that is no file's", async () => {
    for (const uri of [undefined, "vscode-userdata:/x"]) {
      const cache = sessionCache(uri);
      await cache.set("a", "b");
      expect(await cache.get("a")).toBe("b");
      expect(await sessionCache(uri).get("a")).toBeUndefined();
    }
  });

  it("outlasts the session with a folder", async () => {
    const uri = pathToFileURL(join(folder, "größe %20")).href;
    await sessionCache(uri).set("a", "b");
    expect(await sessionCache(uri).get("a")).toBe("b");
    expect(readdirSync(folder)).toEqual(["größe %20"]);
  });

  it("outlasts it for files on disks only: the times of virtual ones may be anything", async () => {
    const uri = pathToFileURL(join(folder, "c")).href;
    const virtual = memoryHost({ "a/metrics.jsonl": `{"step":1,"success_rate":0.5}\n` });
    const session = sessionCache(uri);
    await readRuns(virtual, [virtual.uri("a")], { cache: session });
    virtual.files.set(virtual.uri("a/metrics.jsonl"), new TextEncoder().encode(`{"step":1,"success_rate":0.7}\n`));
    // Within the session the same state is the same file.
    expect((await readRuns(virtual, [virtual.uri("a")], { cache: session })).rows[0].outcome).toEqual({
      kind: "rate",
      rate: 0.5,
    });
    expect((await readRuns(virtual, [virtual.uri("a")], { cache: sessionCache(uri) })).rows[0].outcome).toEqual({
      kind: "rate",
      rate: 0.7,
    });
    const timeless = {
      ...virtual,
      stat: async (at: string) => {
        const about = await virtual.stat(at);
        return about && { ...about, modified: 0 };
      },
    };
    const cache = memoryCache();
    await readRuns(timeless, [virtual.uri("a")], { cache });
    virtual.files.set(virtual.uri("a/metrics.jsonl"), new TextEncoder().encode(`{"step":1,"success_rate":0.9}\n`));
    expect((await readRuns(timeless, [virtual.uri("a")], { cache })).rows[0].outcome).toEqual({
      kind: "rate",
      rate: 0.9,
    });
  });
});
