/**
 * `measure` on generated rollouts where they are: `npm run studies -- scale ROWS ENGINES FILE`, by default 1e6,1e7 on
 * clickhouse,current,postgres. Each answer is held against that of a file of the same rollouts up to FILE rows (default 1e7,
 * which takes minutes and 8 GB). Keeps what it measures in measured.json, and writes docs/scale.md and its picture from that.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Measured, measureOne } from "./one";
import { writeLines } from "./lines";
import { writePage } from "./page";
import { keep, measured, type Point } from "./points";
import { clickhouse, type Engine, postgres } from "./servers";

/** Runs of which the quickest counts: what a slower one took more is the machine's other work. Large tables are read once. */
const repeats = (rows: number) => (rows < 1e7 ? 3 : 1);

/** The figures of a measurement in a process of its own. */
function inProcess(uri: string, memory = 4000): Measured {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [`--max-old-space-size=${memory}`, __filename, "--measure", uri],
    {
      encoding: "utf8",
      maxBuffer: 1 << 28,
      env: { ...process.env, PGPASSWORD: "lens-test", CLICKHOUSE_USER: "lens", CLICKHOUSE_PASSWORD: "lens-test" },
    },
  );
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as Measured;
}

type Figures = Omit<Point, "day" | "load" | "processors">;

function kept(figures: Figures): void {
  const [load] = loadavg();
  const day = new Date().toISOString().slice(0, 10);
  keep({ ...figures, day, load: Math.round(load), processors: availableParallelism() });
}

async function study(sizes: readonly number[], names: readonly string[], largestFile: number): Promise<void> {
  const engines: Readonly<Record<string, () => Promise<Engine | null>>> = {
    clickhouse: () => clickhouse("2018"),
    current: () => clickhouse("current"),
    postgres,
  };
  const folder = mkdtempSync(join(tmpdir(), "scaling-lens-scale-"));
  const answers = new Map<number, string>();
  let failed = false;
  try {
    for (const rows of sizes.filter((size) => size <= largestFile)) {
      const file = join(folder, `${rows}.jsonl`);
      writeLines(file, rows);
      const { answer, seconds: ours, processor, resident } = inProcess(pathToFileURL(file).href, 12_000);
      answers.set(rows, answer);
      const bytes = statSync(file).size;
      console.log(`a file of ${rows}: ${ours.toFixed(1)} s, ${resident.toFixed(0)} MB resident, ${bytes} bytes`);
      kept({ engine: "a file (JSONL)", rows, ours, processor, own: null, resident, bytes, same: true });
      rmSync(file);
    }
    for (const name of names) {
      const engine = await engines[name]();
      if (!engine) {
        console.log(`${name}: not here, see npm run services`);
        continue;
      }
      try {
        for (const rows of sizes) {
          await engine.fill(rows);
          let best: Figures | undefined;
          for (let i = 0; i < repeats(rows); i++) {
            const before = await engine.took();
            const { answer, seconds: ours, processor, resident, bytes } = inProcess(engine.uri(rows));
            const own = (await engine.took()) - before;
            const held = answers.get(rows);
            answers.set(rows, held ?? answer);
            const same = rows > largestFile ? null : held === answer;
            if (best && best.same !== same) failed = true;
            if (!best || ours < best.ours)
              best = { engine: engine.name, rows, ours, processor, own, resident, bytes, same };
          }
          const { ours, own, processor, resident, bytes, same } = best!;
          // What does not grow with the rows (starting, comparing texts) is all that there is in a small table.
          const isLarge = rows >= 1e7;
          const holds = same !== false && (!isLarge || ours <= 1.2 * own!) && resident <= 150;
          failed ||= !holds;
          kept(best!);
          console.log(
            `${holds ? "✓" : "✗"} ${engine.name} ${rows}: ${ours.toFixed(2)} s (processor ${processor.toFixed(2)} s), the server's own ${own!.toFixed(2)} s, ${(ours / own!).toFixed(2)}×, ${resident.toFixed(0)} MB resident, ${bytes} bytes, ${same === null ? "no file to compare" : same ? "the file's answer" : "ANOTHER ANSWER"}`,
          );
        }
      } finally {
        await engine.stop();
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  writePage(measured());
  process.exitCode = failed ? 1 : 0;
}

const [first, second = "clickhouse,current,postgres", third = "1e7"] = process.argv.slice(2);
if (first === "--measure") void measureOne(second).then((measured) => process.stdout.write(JSON.stringify(measured)));
else void study((first ?? "1e6,1e7").split(",").map(Number), second.split(","), Number(third));
