import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createNodeHost, toUri } from "../../server/node/host";
import { runJob } from "../../server/operations/runJob";
import { fittable } from "../../server/runs/results";
import type { RunRow, RunTable, UnmeasuredRun } from "../../server/core/table";
import type { Host } from "../../server/host";

/**
 * Small logs of every kind and state, a folder each, with the values that they must give in its `want.json`. A new case is new
 * files only.
 */
const ROOT = join(__dirname, "../fixtures/logs");

interface Want {
  /** Minutes since the files were written; a day where it is not said. */
  readonly minutes?: number;
  readonly rows: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly unmeasured?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Codes of notes that must be there; no warning or error besides these may be. */
  readonly notes?: readonly string[];
  /** Runs by setting, as a fit takes them. */
  readonly settings?: Readonly<Record<string, number>>;
  readonly fitNotes?: readonly string[];
  /** Notes as they are said. */
  readonly said?: readonly string[];
}

/** Files of the fixtures, written some time ago. */
function hostOf(minutes: number): Host {
  const host = createNodeHost();
  const modified = Date.now() - minutes * 60_000;
  return {
    ...host,
    stat: async (uri) => {
      const about = await host.stat(uri);
      return about && { ...about, modified };
    },
    list: async (uri) => (await host.list(uri)).filter(({ name }) => name !== "want.json"),
  };
}

async function read(name: string, minutes: number): Promise<RunTable> {
  const folder = join(ROOT, name);
  const scaling = readdirSync(folder).includes("scaling.yaml")
    ? readFileSync(join(folder, "scaling.yaml"), "utf8")
    : undefined;
  const { table } = (await runJob(
    { kind: "read-runs", folderUri: toUri(folder), sources: [toUri(folder)], scalingText: scaling },
    hostOf(minutes),
    () => undefined,
  )) as { table: RunTable };
  return table;
}

function fieldsOf(row: RunRow | UnmeasuredRun): Record<string, unknown> {
  const measured = "outcome" in row ? row : undefined;
  const outcome = measured?.outcome;
  const rate =
    outcome?.kind === "rate"
      ? outcome.rate
      : outcome?.kind === "counts"
        ? outcome.successes / outcome.trials
        : undefined;
  const percent = (share: number | undefined) => (share === undefined ? undefined : Math.round(1e5 * share) / 1e3);
  return {
    ...row,
    percent: percent(rate),
    base: percent(row.base),
    trials: outcome && outcome.kind !== "loss" ? outcome.trials : undefined,
    metric: measured?.metric?.keys.join(", "),
    on: measured?.metric?.on,
    scale: measured?.metric?.scale,
    values: measured?.metric?.window.values,
    rollouts: measured?.metric?.window.rollouts,
    points: row.curve?.length,
  };
}

function wantedOf(rows: readonly (RunRow | UnmeasuredRun)[], wants: Want["rows"]) {
  return Object.fromEntries(
    rows.map((row) => {
      const fields = fieldsOf(row);
      return [row.id, Object.fromEntries(Object.keys(wants[row.id] ?? {}).map((key) => [key, fields[key]]))];
    }),
  );
}

const cases = readdirSync(ROOT).sort();

describe("small logs of every kind and state", () => {
  it("are at least forty", () => expect(cases.length).toBeGreaterThanOrEqual(40));

  it.each(cases)("%s", async (name) => {
    const want = JSON.parse(readFileSync(join(ROOT, name, "want.json"), "utf8")) as Want;
    const table = await read(name, want.minutes ?? 24 * 60);
    expect(wantedOf(table.rows, want.rows)).toEqual(want.rows);
    expect(wantedOf(table.unmeasured ?? [], want.unmeasured ?? {})).toEqual(want.unmeasured ?? {});
    const codes = new Set(table.notes.map(({ code }) => code));
    for (const code of want.notes ?? []) expect([...codes]).toContain(code);
    for (const said of want.said ?? []) expect(table.notes.map(({ message }) => message)).toContain(said);
    const loud = table.notes.filter(({ severity, code }) => severity !== "information" && code !== "run.no-axes");
    expect(loud.filter(({ code }) => !want.notes?.includes(code))).toEqual([]);
    for (const row of table.rows) {
      const { percent } = fieldsOf(row) as { percent: number };
      expect(percent).toBeGreaterThanOrEqual(0);
      expect(percent).toBeLessThanOrEqual(100);
    }
    if (!want.settings && !want.fitNotes) return;
    const fitted = fittable(table);
    for (const code of want.fitNotes ?? []) expect(fitted.notes.map((note) => note.code)).toContain(code);
    if (!want.settings) return;
    const settings: Record<string, number> = {};
    for (const { setting } of fitted.rows) settings[setting] = (settings[setting] ?? 0) + 1;
    expect(settings).toEqual(want.settings);
  });
});
