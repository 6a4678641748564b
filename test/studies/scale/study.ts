/**
 * `measure` on generated rollouts where they are: `npm run studies -- scale ROWS ENGINES`, by default 1e6,1e7 (Postgres: the first)
 * on clickhouse,current,postgres. Each answer is held against that of a file of the same rollouts up to FILE rows (default 1e7,
 * which takes minutes and 8 GB). Writes docs/scale.md's table and picture.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Measured, measureOne } from "./one";
import { writeLines } from "./lines";
import { plot, type Point } from "./plot";
import { clickhouse, type Engine, postgres } from "./servers";

const REPEATS = 2;

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

async function study(sizes: readonly number[], names: readonly string[], largestFile: number): Promise<void> {
  const engines: Readonly<Record<string, () => Promise<Engine | null>>> = {
    clickhouse: () => clickhouse("2018"),
    current: () => clickhouse("current"),
    postgres,
  };
  const folder = mkdtempSync(join(tmpdir(), "scaling-lens-scale-"));
  const answers = new Map<number, string>();
  const points: Point[] = [];
  let failed = false;
  try {
    for (const name of names) {
      const engine = await engines[name]();
      if (!engine) {
        console.log(`${name}: not here, see npm run services`);
        continue;
      }
      try {
        for (const rows of name === "postgres" ? sizes.slice(0, 1) : sizes) {
          await engine.fill(rows);
          if (rows <= largestFile && !answers.has(rows)) {
            const file = join(folder, `${rows}.jsonl`);
            writeLines(file, rows);
            const { answer, seconds, resident } = inProcess(pathToFileURL(file).href, 12_000);
            answers.set(rows, answer);
            const bytes = statSync(file).size;
            points.push({ engine: "a file (JSONL)", rows, ours: seconds, own: null, resident, bytes, same: true });
            rmSync(file);
          }
          let best: Point | undefined;
          for (let i = 0; i < REPEATS; i++) {
            const { answer, seconds, resident } = inProcess(engine.uri(rows));
            const { seconds: own, bytes } = await engine.own();
            const held = answers.get(rows);
            const point = {
              engine: engine.name,
              rows,
              ours: seconds,
              own,
              resident,
              bytes,
              same: held === undefined ? null : held === answer,
            };
            // The least of each: what is more is the machine's other work.
            best = best
              ? {
                  ...point,
                  ours: Math.min(best.ours, seconds),
                  own: Math.min(best.own!, own),
                  resident: Math.max(best.resident, resident),
                }
              : point;
            if (held === undefined) answers.set(rows, answer);
          }
          points.push(best!);
          const { ours, own, resident, bytes, same } = best!;
          // What does not grow with the rows (starting, comparing texts) is all that there is in a small table.
          const isLarge = rows === Math.max(...sizes);
          const holds = same !== false && (!isLarge || ours <= 1.2 * own!) && resident <= 150;
          failed ||= !holds;
          console.log(
            `${holds ? "✓" : "✗"} ${engine.name} ${rows}: ${ours.toFixed(1)} s, the server's own ${own!.toFixed(1)} s, ${resident.toFixed(0)} MB resident, ${bytes} bytes, ${same === null ? "no other answer" : same ? "the same answer" : "ANOTHER ANSWER"}`,
          );
        }
      } finally {
        await engine.stop();
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  write(points);
  process.exitCode = failed ? 1 : 0;
}

/** The table and the picture of docs/scale.md. */
function write(points: readonly Point[]): void {
  const page = join("docs", "scale.md");
  const number = (value: number | null, digits = 1) => (value === null ? "" : value.toFixed(digits));
  const rows = points.map(
    ({ engine, rows, ours, own, resident, bytes }) =>
      `| ${engine} | 10${"⁰¹²³⁴⁵⁶⁷⁸⁹"[Math.round(Math.log10(rows))]} | ${number(ours)} | ${number(own)} | ${number(resident, 0)} | ${bytes < 1e6 ? `${number(bytes / 1e3, 0)} kB` : `${number(bytes / 1e6, 0)} MB`} |`,
  );
  const table = [
    "| where | rollouts | `measure` (s) | the server's own time (s) | resident (MB) | travels |",
    "|---|---|---|---|---|---|",
    ...rows,
  ].join("\n");
  const text = readFileSync(page, "utf8");
  writeFileSync(page, text.replace(/<!-- table -->[^]*<!-- end -->/, `<!-- table -->\n\n${table}\n\n<!-- end -->`));
  writeFileSync(join("docs", "images", "scale.svg"), plot(points));
}

const [first, second = "clickhouse,current,postgres", third = "1e7"] = process.argv.slice(2);
if (first === "--measure") void measureOne(second).then((measured) => process.stdout.write(JSON.stringify(measured)));
else void study((first ?? "1e6,1e7").split(",").map(Number), second.split(","), Number(third));
