import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createNodeHost, toUri } from "../../server/node/host";
import { readRuns, type RunOptions } from "../../server/sources/read";
import type { RunRow } from "../../server/core/table";

const ROOT = join(__dirname, "../fixtures/runs");
const GOLDEN = join(ROOT, "notes.golden.json");

interface Truth {
  readonly rate?: number;
  readonly loss?: number;
  readonly [field: string]: number | undefined;
}

const truth = JSON.parse(readFileSync(join(ROOT, "truth.json"), "utf8")) as Record<string, Record<string, Truth>>;
const golden = (existsSync(GOLDEN) ? JSON.parse(readFileSync(GOLDEN, "utf8")) : {}) as Record<string, string[]>;
const written: Record<string, string[]> = {};

function rateOf({ outcome }: RunRow): number | undefined {
  return outcome.kind === "rate"
    ? outcome.rate
    : outcome.kind === "counts"
      ? outcome.successes / outcome.trials
      : undefined;
}

async function read(name: string, options: RunOptions = {}) {
  const folder = toUri(join(ROOT, name));
  const { rows, notes } = await readRuns(createNodeHost(), [folder], options);
  const shown = notes.map(({ severity, code, message, file, line, column }) => {
    const place = file
      ? ` ${decodeURIComponent(file.slice(folder.length + 1))}${line ? `:${line}` : ""}${column ? `:${column}` : ""}`
      : "";
    return `${severity} ${code}${place} — ${message}`;
  });
  return { rows, shown };
}

const cases = readdirSync(ROOT, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && entry.name !== "rollouts")
  .map(({ name }) => name)
  .sort();

describe("every format gives the run table that its fixture was made to give", () => {
  it.each(cases)("%s", async (name) => {
    const { rows, shown } = await read(name);
    const expected = truth[name] ?? {};
    expect(rows.map(({ id }) => id).sort()).toEqual(Object.keys(expected).sort());
    for (const row of rows) {
      const { rate, loss, trials, tasks, ...rest } = expected[row.id];
      if (rate !== undefined) expect(rateOf(row)).toBeCloseTo(rate, 9);
      if (loss !== undefined) expect(row.outcome).toEqual({ kind: "loss", loss });
      if (trials !== undefined) expect(row.outcome).toMatchObject({ trials });
      if (tasks !== undefined) expect(row.axes.tasks).toBe(tasks);
      for (const [field, value] of Object.entries(rest)) expect(row[field as keyof RunRow], field).toBe(value);
    }
    written[name] = shown;
    if (process.env.UPDATE_GOLDEN) writeFileSync(GOLDEN, `${JSON.stringify(written, null, 1)}\n`);
    else expect(shown).toEqual(golden[name] ?? []);
  });
});
