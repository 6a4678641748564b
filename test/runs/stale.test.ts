import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { memoryCache } from "../../server/operations/runJob";
import type { Host } from "../../server/host";
import { readRuns, type RunOptions, type TableAccelerator } from "../../server/sources/read";
import { AcceleratorFailure } from "../../server/runs/options";
import { lyingHost } from "./lyingHost";
import { memoryHost } from "./memoryHost";

const ROOT = join(__dirname, "../fixtures/runs");
const FIXTURES = [
  "plain",
  "table",
  "table-jsonl",
  "mlflow",
  "tensorboard",
  "trl",
  "verl-console",
  "verl-file",
  "wandb-folder",
  "wandb-wide",
  "wandb-long",
  "dirty-restart",
  "tinker",
];
const contents = Object.fromEntries(
  FIXTURES.flatMap((fixture) =>
    readdirSync(join(ROOT, fixture), { recursive: true, encoding: "utf8" })
      .filter((name) => statSync(join(ROOT, fixture, name)).isFile())
      .map((name) => [`top/${fixture}/${name}`, new Uint8Array(readFileSync(join(ROOT, fixture, name)))]),
  ),
);

/** A host of files that have each a time of their own, which moves as they are touched. */
function timedHost() {
  const host = memoryHost(contents);
  const times = new Map<string, number>();
  let now = 1;
  const timed: Host = {
    ...host,
    stat: async (uri) => {
      const about = await host.stat(uri);
      return about && { ...about, modified: times.get(uri) ?? 1 };
    },
  };
  const put = (uri: string, bytes: Uint8Array) => {
    host.files.set(uri, bytes);
    times.set(uri, ++now);
  };
  return { host, timed, put, times };
}

const pick = fc.double({ min: 0, max: 0.9999, noNaN: true });
const step = fc.record({
  act: fc.constantFrom("touch", "append", "cut", "flip", "remove", "copy", "move", "swap", "same"),
  file: pick,
  other: pick,
  at: pick,
  source: fc.constantFrom("top", "top", "deep", "file", "both"),
  options: fc.constantFrom<RunOptions>(
    {},
    {},
    { metric: "critic/score/mean" },
    { metric: "val*" },
    { columns: { tasks: "seed" } },
    { columns: { success_rate: "val/success_rate" } },
    { columns: { run: "tasks", step: "seed" } },
    { final: "last" },
    { final: "best" },
    { facts: () => ({ axes: { tasks: 7, worlds: 3 }, setting: "s" }) },
    { facts: () => ({ rewardDensity: 0.5, model: "m" }) },
    { config: async () => undefined },
  ),
});

describe("a cache", () => {
  it("never answers for files, options or places other than it was filled by", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 8 }), async (steps) => {
        const { host, timed, put, times } = timedHost();
        const cache = memoryCache();
        await readRuns(timed, [host.uri("top")], { cache });
        for (const { act, file, other, at, source, options } of steps) {
          const uris = [...host.files.keys()].sort();
          const uri = uris[Math.floor(file * uris.length)];
          const second = uris[Math.floor(other * uris.length)];
          const bytes = host.files.get(uri) ?? new Uint8Array();
          const place = Math.floor(at * bytes.length);
          if (act === "touch") put(uri, bytes);
          else if (act === "append") put(uri, Uint8Array.from([...bytes, ...bytes.slice(place)]));
          else if (act === "cut") put(uri, bytes.slice(0, place));
          else if (act === "flip")
            put(
              uri,
              bytes.map((byte, i) => (i === place ? byte ^ 3 : byte)),
            );
          else if (act === "remove") host.files.delete(uri);
          else if (act === "copy")
            put(
              `${uri.slice(0, uri.lastIndexOf("/"))}/more-${second.slice(second.lastIndexOf("/") + 1)}`,
              host.files.get(second) ?? bytes,
            );
          else if (act === "move" || act === "swap") {
            const [a, b] = [host.files.get(uri), host.files.get(second)];
            const [timeA, timeB] = [times.get(uri) ?? 1, times.get(second) ?? 1];
            if (!a || !b || a.length === b.length) continue;
            // A file that is moved keeps its time.
            host.files.set(second, a);
            times.set(second, timeA);
            if (act === "swap") {
              host.files.set(uri, b);
              times.set(uri, timeB);
            } else if (uri !== second) host.files.delete(uri);
          }
          const left = [...host.files.keys()].sort();
          const chosen = left[Math.floor(other * left.length)];
          const deep = chosen.slice(0, chosen.lastIndexOf("/"));
          const sources =
            source === "top"
              ? [host.uri("top")]
              : source === "deep"
                ? [deep]
                : source === "file"
                  ? [chosen]
                  : [deep, host.uri("top")];
          expect(await readRuns(timed, sources, { ...options, cache })).toEqual(
            await readRuns(timed, sources, options),
          );
        }
      }),
      { numRuns: Number(process.env.STALE_RUNS ?? 40), interruptAfterTimeLimit: 30_000 },
    );
  }, 200_000);

  it("names the rows of a table by the source they are found in", async () => {
    const host = memoryHost({ "a/b/table.csv": "tasks,success_rate\n10,0.2\n" });
    const cache = memoryCache();
    const idFrom = async (source: string) => (await readRuns(host, [host.uri(source)], { cache })).rows[0].id;
    expect([await idFrom("a"), await idFrom("a/b"), await idFrom("a/b/table.csv"), await idFrom("a")]).toEqual([
      "b/table.csv:2",
      "table.csv:2",
      "table.csv:2",
      "b/table.csv:2",
    ]);
  });

  it("follows the metric that a run names itself, whatever it is called", async () => {
    const { host, timed, put } = timedHost();
    const cache = memoryCache();
    put(
      host.uri("own/metrics.jsonl"),
      new TextEncoder().encode(`{"step":1,"my/acc":0.5,"other":0.25,"success_rate":0.75}\n`),
    );
    for (const [stated, rate] of [
      [`{"metric":"my/acc"}`, 0.5],
      [`{"metric":"oth*"}`, 0.25],
      ["{}", 0.75],
      [`{"metric":"my/acc"}`, 0.5],
    ] as const) {
      put(host.uri("own/run.json"), new TextEncoder().encode(stated));
      expect((await readRuns(timed, [host.uri("own")], { cache })).rows.map(({ outcome }) => outcome)).toEqual([
        { kind: "rate", rate },
      ]);
    }
    expect((await readRuns(timed, [host.uri("own")], { cache, metric: "other" })).rows[0].outcome).toEqual({
      kind: "rate",
      rate: 0.25,
    });
  });

  it.each(FIXTURES)("does not keep that files could not be read: %s", async (fixture) => {
    const { host, timed } = timedHost();
    const source = host.uri(`top/${fixture}`);
    const plain = await readRuns(timed, [source]);
    for (const broken of [
      { ...timed, readFile: async () => undefined },
      {
        ...timed,
        async *readChunks() {
          yield* [];
          throw new Error("EIO");
        },
      },
      {
        ...timed,
        async *readChunks(uri: string) {
          yield (host.files.get(uri) ?? new Uint8Array()).slice(0, 60);
          throw new Error("EIO");
        },
      },
    ] as Host[]) {
      const cache = memoryCache();
      await readRuns(broken, [source], { cache });
      expect(await readRuns(timed, [source], { cache })).toEqual(plain);
    }
  });

  it("does not keep that DuckDB failed once", async () => {
    const memory = memoryHost({ "a/metrics.jsonl": `{"step":1,"success_rate":0.5}\n` });
    const host = lyingHost(memory);
    const cache = memoryCache();
    const failing: TableAccelerator = {
      name: "DuckDB",
      worthwhile: 1,
      scan: () => {
        throw new AcceleratorFailure("DuckDB stopped before it was done (SIGKILL).");
      },
    };
    const { notes } = await readRuns(host, [memory.uri("a")], { cache, accelerator: failing });
    expect(notes.map(({ code }) => code)).toContain("log.accelerator");
    expect((await readRuns(host, [memory.uri("a")], { cache })).notes.map(({ code }) => code)).not.toContain(
      "log.accelerator",
    );
  });
});
