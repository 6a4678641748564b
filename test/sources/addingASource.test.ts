import { afterAll, beforeAll, expect, test } from "vitest";
import type * as Globs from "../../server/operations/globs";
import type * as Sources from "../../server/sources/read";
import { memoryHost } from "../runs/memoryHost";
import { ScratchCopy } from "../scratch";

/** Runs that a made-up tracker keeps in one text: `name tasks step:rate,step:rate`. */
const SOURCE = `import { RunMetrics } from "../runs/series";
import type { Source } from "./source";

export const ledger: Source = {
  id: "ledger-1",
  matches: (uri) => uri.startsWith("ledger:"),
  async find(uri, { host, wants, notes }) {
    const bytes = await host.readFile(uri.slice("ledger:".length));
    if (!bytes) notes.error("ledger.none", "There is no such ledger.", { file: uri });
    const lines = new TextDecoder().decode(bytes ?? new Uint8Array()).split("\\n").filter((line) => line !== "");
    const runs = lines.map((line) => {
      const [name, tasks, points] = line.split(" ");
      const metrics = new RunMetrics(wants);
      metrics.facts.tasks = Number(tasks);
      for (const point of points.split(",")) {
        const [step, rate] = point.split(":").map(Number);
        metrics.add("eval/success_rate", step, rate, 0);
      }
      const file = { uri: uri + "#" + name, name, path: name, size: 0, modified: 0 };
      const log = { kind: "ledger", title: "a ledger", files: [file], read: async () => [metrics] };
      return { id: name, name, root: file.uri, configs: [], logs: [log] };
    });
    return { prefix: "", tables: [], runs };
  },
};
`;

/** A log format nobody has: \`@step=10 solved=0.5\` a line, in files that end with .tally. */
const FORMAT = `import { openBytes } from "../../../records/bytes";
import { readLines } from "../../../records/lines";
import { RunMetrics } from "../../../runs/series";
import type { LogReader } from "./reader";

export const tally: LogReader = {
  id: "tally-1",
  title: "a tally",
  endings: [".tally"],
  parts: false,
  recognises: (probe) => probe.name.endsWith(".tally") && probe.text().startsWith("@step="),
  async read(files, context) {
    const metrics = new RunMetrics(context.wants);
    for (const file of files)
      await readLines(openBytes(context.host, file.uri, context.signal, context.onBytes), {
        line: (line, number) => {
          const match = /^@step=(\\d+) solved=([\\d.]+)/.exec(line);
          if (match) metrics.add("eval/success_rate", Number(match[1]), Number(match[2]), number);
        },
      });
    return [metrics];
  },
};
`;

const copy = new ScratchCopy(["server", "tsconfig.base.json", "package.json"]);
let engine: typeof Sources & typeof Globs;

beforeAll(async () => {
  copy.add("server/sources/ledger.ts", SOURCE);
  copy.enter("server/sources/index.ts", "ledger", "./ledger", "const SOURCES: readonly Source[] = [");
  copy.add("server/sources/files/readers/tally.ts", FORMAT);
  copy.enter(
    "server/sources/files/readers/index.ts",
    "tally",
    "./tally",
    "export const READERS: readonly LogReader[] = [",
  );
  engine = await copy.load('export * from "./server/sources/read";', 'export * from "./server/operations/globs";');
}, 60_000);
afterAll(() => copy.remove());

test("a source is one file and one line: what `logs:` names of it is in the run table", async () => {
  const host = memoryHost({ "runs.txt": "a 100 10:0.25,20:0.25,30:0.25\nb 200 10:0.5,20:0.5,30:0.5\n" });
  const address = `ledger:${host.uri("runs.txt")}`;
  const sources = await engine.resolveSources(host, host.uri(""), [address]);
  expect(sources).toEqual([address]);
  const { rows } = await engine.readRuns(host, sources);
  expect(rows.map(({ id, axes, outcome }) => [id, axes.tasks, outcome])).toMatchObject([
    ["a", 100, { kind: "rate", rate: 0.25 }],
    ["b", 200, { kind: "rate", rate: 0.5 }],
  ]);
});

test("a log format is one file and one line", async () => {
  const lines = [10, 20, 30].map((step) => `@step=${step} solved=0.75\n`).join("");
  const host = memoryHost({ "runs/a/out.tally": lines, "runs/a/run.json": JSON.stringify({ axes: { tasks: 50 } }) });
  const { rows } = await engine.readRuns(host, [host.uri("runs")]);
  expect(rows).toMatchObject([{ axes: { tasks: 50 }, outcome: { kind: "rate", rate: 0.75 } }]);
});
