import { describe, expect, it } from "vitest";
import type { Host } from "../../server/host";
import { readRuns } from "../../server/sources/read";
import type { ClassifiedFiles } from "../../server/sources/files/classified";
import { discover } from "../../server/sources/files/discover";
import { baseName, type FoundFile, parent } from "../../server/records/files";
import { parseJson } from "../../server/records/json";
import { consoleRow } from "../../server/sources/files/readers/parts/consoleText";
import { metricsFile } from "../../server/sources/files/readers/metricsFile";
import { RowShapes } from "../../server/sources/files/readers/parts/rowShapes";
import { Columns } from "../../server/runs/columns";
import { interest } from "../../server/runs/successMetric";
import { memoryHost } from "./memoryHost";
import { cpuTime } from "../cpu";

/** Far above what any of these takes where time grows with length, far below where it grows with its square. */
const SOON = 3000;

function soon<T>(what: () => T): T {
  const start = process.cpuUsage();
  const result = what();
  const { user, system } = process.cpuUsage(start);
  // Processor time: a machine under load is no fault of the reader.
  expect((user + system) / 1000).toBeLessThan(SOON);
  return result;
}

describe("long lines take time by their length", () => {
  it("a text in JSON that is cut off, full of quotes, with NaN", () => {
    expect(soon(() => parseJson(`{"a":"${'\\"'.repeat(300_000)} NaN`))).toBeUndefined();
  });

  it("a logged step with a long text, or a long gap, for a value", () => {
    expect(soon(() => consoleRow(`step:1 - a:1${" y".repeat(150_000)}) - b:2`, true))?.values.b).toBe(2);
    expect(soon(() => consoleRow(`step:1 - a:1${" ".repeat(300_000)}y - b:2`, true))?.values).toEqual({ a: 1, b: 2 });
  });

  it("rows whose keys come and go", () => {
    const keys = Array.from({ length: 60 }, (_, i) => `val/metric_${i}/mean`);
    const shapes = new RowShapes({ wants: interest(undefined), columns: new Columns() });
    soon(() => {
      for (let i = 0; i < 20_000; i++)
        shapes.of(
          Object.fromEntries(keys.filter((_, at) => (i * 2654435761) & (1 << (at % 30))).map((key) => [key, 1])),
        );
    });
  });
});

describe("a folder of very many logs", () => {
  it.each([
    ["files", (i: number) => `r${i}.jsonl`],
    ["folders", (i: number) => `r${i}/metrics.jsonl`],
  ])("is sorted into runs in time by their number: %s", async (_, name) => {
    const paths = Array.from({ length: 8000 }, (_, i) => name(i));
    const file = (path: string): FoundFile => ({
      uri: `x:/top/${path}`,
      name: baseName(path),
      path,
      size: 1,
      modified: 1,
    });
    const directories = paths
      .filter((path) => path.includes("/"))
      .map((path) => ({
        uri: parent(`x:/top/${path}`),
        name: parent(path),
        path: parent(path),
        files: [file(path)],
        directories: [],
      }));
    const top = {
      uri: "x:/top",
      name: "top",
      path: "",
      directories,
      files: [file("config.yaml"), ...paths.filter((path) => !path.includes("/")).map(file)],
    };
    const classified = {
      kindOf: ({ name: each }: FoundFile) =>
        Promise.resolve(each.endsWith(".jsonl") ? { reader: metricsFile } : undefined),
    };
    const start = cpuTime();
    const { runs } = await discover(top, classified as unknown as ClassifiedFiles);
    expect(cpuTime() - start).toBeLessThan(SOON);
    expect(runs).toHaveLength(8000);
    expect(new Set(runs.map(({ configs }) => configs[0].name))).toEqual(new Set(["config.yaml"]));
  });
});

describe("what cannot be read is named", () => {
  it("folders, files, and names that are no text", async () => {
    const memory = memoryHost({
      "top/a/metrics.jsonl": `{"step":1,"success_rate":0.5}\n`,
      "top/b/metrics.jsonl": `{"step":1,"success_rate":0.5}\n`,
      "top/lost.jsonl": "x",
    });
    const host: Host = {
      ...memory,
      list: async (uri) =>
        uri === memory.uri("top/locked")
          ? []
          : [
              ...(await memory.list(uri)),
              ...(uri === memory.uri("top")
                ? [{ name: "locked", kind: "directory" } as const, { name: "b\ufffd", kind: "directory" } as const]
                : []),
            ],
      stat: async (uri) =>
        uri === memory.uri("top/locked")
          ? { kind: "directory", size: 0, modified: 1 }
          : uri === memory.uri("top/lost.jsonl")
            ? undefined
            : memory.stat(uri),
      readFile: async (uri, range) =>
        uri === memory.uri("top/b/metrics.jsonl") ? undefined : memory.readFile(uri, range),
      whyNotListed: async (uri) => (uri === memory.uri("top/locked") ? "EACCES" : undefined),
    };
    const { rows, notes } = await readRuns(host, [memory.uri("top")]);
    expect(rows).toHaveLength(1);
    expect(
      notes
        .filter(({ severity }) => severity === "error")
        .map(({ code, file, message }) => [code, file?.slice(file.lastIndexOf("top/")), message])
        .sort(),
    ).toEqual([
      ["log.unreadable", "top/b/metrics.jsonl", "The file cannot be read; it was left out."],
      ["log.unreadable", "top/lost.jsonl", "This file cannot be reached; it was left out."],
      [
        "run.unreadable",
        "top/b%EF%BF%BD",
        "This folder cannot be read (it cannot be reached); what it holds was left out.",
      ],
      ["run.unreadable", "top/locked", "This folder cannot be read (EACCES); what it holds was left out."],
    ]);
  });
});

describe("JSON as others write it", () => {
  it("has numbers that are none, and a comma too many", () => {
    expect(parseJson('{"a":nan,"b":[1,-inf,],"c":"nan,}",}')).toEqual({ a: NaN, b: [1, -Infinity], c: "nan,}" });
    expect(parseJson('{"a":Infinity,"b":-Infinity,"c":NaN}')).toEqual({ a: Infinity, b: -Infinity, c: NaN });
    for (const text of ['{"a":1,,}', '{"a":infx}', '{"a":NaN', "{nan:1}", '{"a":1}}'])
      expect(parseJson(text)).toBeUndefined();
  });
});
