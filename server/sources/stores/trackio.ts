import { flatten, isObject, parseJson } from "../../records/json";
import { RunMetrics } from "../../runs/series";
import { keptAt } from "../kept/lasting";
import { restoredRun, storedRun } from "../kept/packedRun";
import { takeConfig } from "./mlflow";
import { literal, numberOf, textOf } from "./sql";
import { rowsOf, type Store, type StoreContext, type StoredRun, type StorePlace } from "./store";

/**
 * A project of Trackio: table `metrics` (a JSON object a step) and, in most versions, `configs`. Which other columns there
 * are varies by version (`project_name` once, `log_id` and `space_id` later), so only the lasting ones are asked for.
 */
export const trackioStore: Store = {
  id: "trackio-1",
  title: "a Trackio project",
  recognises: (tables) => {
    const metrics = tables.get("metrics");
    return metrics !== undefined && ["run_name", "step", "metrics"].every((column) => metrics.has(column));
  },
  async runs(place, context) {
    const runs = await runsByName(place, context);
    await readConfigs(runs, place, context);
    return [...runs.values()];
  },
};

/** What the store says of the rows of one run: how many, the highest id, and what their check adds up to. */
interface Mark {
  readonly n: number;
  readonly last: number;
  readonly sum: number;
}

/** Numbers of a row and its length: other ones for a row that was changed. */
const CHECK =
  "LENGTH(metrics) + COALESCE((SELECT SUM(q.atom * (1 + LENGTH(q.fullkey))) FROM json_tree(CASE WHEN json_valid(CAST(metrics AS TEXT)) THEN CAST(metrics AS TEXT) ELSE '{}' END) q WHERE q.type IN ('integer', 'real')), 0)";

/** Runs that one statement asks for. */
const BATCH = 200;

/** Runs with what was read of them before, and the rows that are new since; a run whose older rows are others is read whole. */
async function runsByName(place: StorePlace, context: StoreContext): Promise<Map<string, StoredRun>> {
  const { cache, notes, wants } = context;
  const at = keptAt(place.uri);
  const kept = keptRuns(await cache?.getAt("trackio", at));
  const marks = new Map<string, Mark>();
  const sql = `SELECT run_name AS run, COUNT(*) AS n, MAX(id) AS last, SUM(${CHECK}) AS total FROM metrics GROUP BY run_name ORDER BY run_name`;
  for (const row of await rowsOf(context, place, sql))
    marks.set(textOf(row.run) ?? "", {
      n: numberOf(row.n) ?? 0,
      last: numberOf(row.last) ?? NaN,
      sum: numberOf(row.total) ?? NaN,
    });
  const found = new Map<string, RunMetrics>();
  /** Of each run the rows that were added to it now. */
  const added = new Map<string, { n: number; sum: number }>();
  const newer: string[] = [];
  for (const [name, mark] of marks) {
    const held = kept.get(name);
    const metrics = held && restoredRun(held.metrics, wants);
    if (!held || !metrics || mark.n < held.n || mark.last < held.last) continue;
    found.set(name, metrics);
    added.set(name, { n: held.n, sum: held.sum });
    if (mark.n > held.n) newer.push(name);
  }
  const read = async (names: readonly string[], after: (name: string) => string) => {
    for (let i = 0; i < names.length; i += BATCH) {
      const conditions = names
        .slice(i, i + BATCH)
        .map((name) => `(run_name = ${literal(place.dialect, name)}${after(name)})`);
      const sql = `SELECT run_name AS run, step AS step, metrics AS metrics, timestamp AS time, ${CHECK} AS total FROM metrics WHERE ${conditions.join(" OR ")} ORDER BY run_name, id`;
      for await (const row of context.query(place.uri, sql, context.signal)) {
        const name = textOf(row.run) ?? "";
        const count = added.get(name);
        if (count) added.set(name, { n: count.n + 1, sum: count.sum + (numberOf(row.total) ?? NaN) });
        const metrics = found.get(name);
        if (metrics) addRow(metrics, row);
      }
    }
  };
  await read(newer, (name) => ` AND id > ${kept.get(name)!.last}`);
  const whole = [...marks.keys()].filter((name) => !adds(added.get(name), marks.get(name)!));
  for (const name of whole) {
    found.set(name, Object.assign(new RunMetrics(wants), { name }));
    added.set(name, { n: 0, sum: 0 });
  }
  await read(whole, () => "");
  if (cache && newer.length + whole.length > 0) {
    // Rows that came between two statements: that run is read whole the next time.
    const entries = [...found].flatMap(([name, metrics]) => {
      const mark = marks.get(name)!;
      return adds(added.get(name), mark) ? [[name, mark, storedRun(metrics)]] : [];
    });
    await cache.setAt("trackio", at, JSON.stringify(entries), notes);
  }
  // A run of which no row could be read is none.
  const there = [...marks.keys()].filter((name) => name !== "" && found.get(name)?.lastStep !== undefined);
  return new Map(
    there.map((name) => {
      const metrics = found.get(name)!;
      return [name, { id: name, name, metrics, modified: metrics.lastTime ?? 0 }];
    }),
  );
}

function addRow(metrics: RunMetrics, row: Readonly<Record<string, unknown>>): void {
  const [step, text] = [numberOf(row.step), textOf(row.metrics)];
  const record = text === undefined ? undefined : parseJson(text);
  if (step === undefined || !isObject(record)) return;
  const flat = flatten(record);
  metrics.meet(Object.keys(flat));
  metrics.reach(step);
  metrics.addRow(flat, step, 0);
  const time = Date.parse(textOf(row.time) ?? "");
  if (Number.isFinite(time)) metrics.lastTime = Math.max(metrics.lastTime ?? 0, time);
}

/** Whether rows are those that the store sums up so. Sums of other orders differ in their last digits. */
function adds(rows: { readonly n: number; readonly sum: number } | undefined, { n, sum }: Mark): boolean {
  return rows !== undefined && rows.n === n && Math.abs(rows.sum - sum) <= 1e-9 * Math.max(1, Math.abs(sum));
}

function keptRuns(text: string | undefined): Map<string, Mark & { readonly metrics: unknown }> {
  const entries = text === undefined ? undefined : parseJson(text);
  const kept = new Map<string, Mark & { readonly metrics: unknown }>();
  for (const entry of Array.isArray(entries) ? entries : []) {
    if (!Array.isArray(entry) || !isObject(entry[1])) continue;
    const [name, { n, last, sum }, metrics] = entry;
    if (typeof name === "string" && typeof n === "number" && typeof last === "number" && typeof sum === "number")
      kept.set(name, { n, last, sum, metrics });
  }
  return kept;
}

async function readConfigs(
  runs: ReadonlyMap<string, StoredRun>,
  place: StorePlace,
  context: StoreContext,
): Promise<void> {
  const { dialect } = place;
  const there = await rowsOf(
    context,
    place,
    "SELECT name AS name FROM sqlite_master WHERE type = 'table' AND name = 'configs'",
  );
  if (there.length === 0) return;
  for (const row of await rowsOf(
    context,
    place,
    `SELECT run_name AS run, ${dialect.id("config")} AS config FROM configs`,
  )) {
    const run = runs.get(textOf(row.run) ?? "");
    const text = textOf(row.config);
    const config = text === undefined ? undefined : parseJson(text);
    if (run && isObject(config))
      takeConfig(
        run.metrics,
        Object.fromEntries(Object.entries(flatten(config)).filter(([key]) => !key.startsWith("_"))),
      );
  }
}
