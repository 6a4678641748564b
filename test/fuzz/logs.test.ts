import { mkdtempSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync, cpSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { fitTable } from "../../server/core/fit";
import { createNodeHost } from "../../server/node/host";
import type { RunTable } from "../../server/core/table";
import { readRuns } from "../../server/sources/read";
import { cpuTime } from "../cpu";
import { Growth, HANG, MOST_GROWTH, SEED } from "./limits";
import { generator, mutateBytes } from "./mutate";

/** `npm run fuzz` tries 5,000; the suite a part of them. */
const LOGS = Number(process.env.SCALING_LENS_FUZZ_LOGS ?? 100);

/** Numbers of those that are looked at again; their folders are kept. */
const ONLY = (process.env.SCALING_LENS_FUZZ_ONLY ?? "").split(",").filter(Boolean).map(Number);

test(
  `${LOGS} mutated logs: each gives a table or notes, and never an exception`,
  async () => {
    const folders = ["test/fixtures/runs", "test/fixtures/logs"].flatMap((root) =>
      readdirSync(root)
        .map((name) => join(root, name))
        .filter((name) => statSync(name).isDirectory())
        .sort(),
    );
    expect(folders.length).toBeGreaterThan(10);
    const random = generator(SEED + 2);
    const host = createNodeHost();
    const scratch = mkdtempSync(join(tmpdir(), "scaling-lens-fuzz-"));
    const slow: string[] = [];
    const growth = new Growth("logs");
    const silent: string[] = [];
    /** The same folder before anything in it was changed: its runs, and what is said of it. */
    const whole = new Map<
      string,
      { readonly runs: number; readonly all: number; readonly said: ReadonlySet<string> }
    >();
    try {
      for (let i = 0; i < LOGS; i++) {
        const folder = folders[Math.floor(random() * folders.length)];
        const copy = join(scratch, String(i));
        mkdirSync(copy);
        cpSync(folder, copy, { recursive: true });
        const files = readdirSync(copy, { recursive: true, encoding: "utf8" }).filter((name) =>
          statSync(join(copy, name)).isFile(),
        );
        const victim = join(copy, files[Math.floor(random() * files.length)]);
        writeFileSync(victim, mutateBytes(readFileSync(victim), random));
        if (ONLY.length > 0 && !ONLY.includes(i)) {
          rmSync(copy, { recursive: true });
          continue;
        }
        const started = cpuTime();
        const table = await readRuns(host, [pathToFileURL(copy).href]);
        expect(Array.isArray(table.rows) && Array.isArray(table.notes)).toBe(true);
        for (const { outcome, curve = [], base } of table.rows) {
          const rates = [
            outcome.kind === "rate" ? outcome.rate : outcome.kind === "counts" ? outcome.successes / outcome.trials : 0,
            base ?? 0,
            ...curve.map(({ rate }) => rate),
          ];
          expect(rates.filter((rate) => !(rate >= 0 && rate <= 1))).toEqual([]);
        }
        // A run that is not in the table has a note, or stands among those without a value.
        const before = whole.get(folder) ?? wholeOf(await readRuns(host, [pathToFileURL(folder).href]));
        whole.set(folder, before);
        const now = wholeOf(table);
        if (now.runs < before.runs && now.all < before.all && [...now.said].every((each) => before.said.has(each)))
          silent.push(`${folder} #${i} (${victim.slice(copy.length)}): ${now.runs} of ${before.runs} runs`);
        const fit = fitTable(table, { bootstrap: 20 });
        expect(typeof fit.ok).toBe("boolean");
        const took = cpuTime() - started;
        growth.after(i, took);
        if (took > HANG) slow.push(`${folder} #${i} (${victim.slice(copy.length)}): ${took.toFixed(0)} ms`);
        if (ONLY.length === 0) rmSync(copy, { recursive: true });
      }
    } finally {
      if (ONLY.length === 0) rmSync(scratch, { recursive: true, force: true });
    }
    expect(slow).toEqual([]);
    expect(growth.bytes).toBeLessThan(MOST_GROWTH);
    expect(silent).toEqual([]);
  },
  LOGS * 2000 + 60_000,
);

function wholeOf({ rows, unmeasured = [], notes }: RunTable) {
  // A run that is a row of a table, or one of several in a file, is gone with its lines: nothing is left that could be told of.
  const own = [...rows, ...unmeasured].filter(({ id }) => !/:\d+$|#| \(\d+\)$/.test(id));
  // Names of the scratch folder are no news.
  const said = notes.map(
    ({ code, file = "", line, message }) => `${code} ${file.replace(/^.*\//, "")} ${line} ${message}`,
  );
  return { runs: own.length, all: rows.length + unmeasured.length, said: new Set(said) };
}
