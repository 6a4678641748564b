import { nest, toNumber, type Json, type JsonObject } from "../../records/json";
import { FACTS } from "../../runs/columns";
import { parametersOf } from "../../runs/facts";
import { RunMetrics } from "../../runs/series";
import { NumberColumn } from "./numbers";
import { batches, markOf, readMark, rowsBySeries, type Wanted } from "./increments";
import { literal, numberOf, textOf } from "./sql";
import { rowsOf, type Store, type StoreContext, type StoredRun, type StorePlace } from "./store";

/**
 * An MLflow store (SQLite, Postgres): tables experiments, runs, metrics, params. Deleted runs and experiments are left out.
 * Only metrics that matter travel: their names are asked for first.
 */
export const mlflowStore: Store = {
  id: "mlflow-store-1",
  title: "an MLflow store",
  recognises: (tables) =>
    (tables.get("runs")?.has("run_uuid") ?? false) &&
    (tables.get("metrics")?.has("run_uuid") ?? false) &&
    tables.has("experiments"),
  async runs(place, context) {
    const { dialect, parameters } = place;
    const experiment = parameters.get("experiment");
    const of = experiment === undefined ? "" : ` AND e.name = ${literal(dialect, experiment)}`;
    const rows = await rowsOf(
      context,
      place,
      `SELECT r.run_uuid AS id, r.name AS name, r.status AS status, r.start_time AS started, r.end_time AS ended, e.name AS experiment FROM runs r JOIN experiments e ON e.experiment_id = r.experiment_id WHERE r.lifecycle_stage = 'active' AND e.lifecycle_stage = 'active'${of} ORDER BY r.start_time, r.run_uuid`,
    );
    const runs = new Map<string, StoredRun>();
    for (const row of rows) {
      const id = textOf(row.id);
      if (id === undefined) continue;
      const metrics = new RunMetrics(context.wants);
      const name = textOf(row.name) || id;
      const [started, ended] = [numberOf(row.started), numberOf(row.ended)];
      metrics.name = name;
      runs.set(id, {
        id: `${textOf(row.experiment) ?? "experiment"}/${name}`,
        name,
        metrics,
        modified: ended || started || 0,
      });
    }
    await readMetrics(runs, place, context);
    await readParams(runs, place, context);
    return [...runs.values()].filter(({ metrics }) => metrics.names.size > 0 || metrics.config !== undefined);
  },
};

async function readMetrics(
  runs: ReadonlyMap<string, StoredRun>,
  place: StorePlace,
  context: StoreContext,
): Promise<void> {
  const { dialect } = place;
  const id = (name: string) => dialect.id(name);
  // Every name, so that a run without a known metric can be told what it has.
  const names = await rowsOf(context, place, `SELECT run_uuid AS run, ${id("key")} AS name FROM latest_metrics`);
  const wanted = new Set<string>();
  for (const row of names) {
    const [run, name] = [runs.get(textOf(row.run) ?? ""), textOf(row.name)];
    if (!run || name === undefined) continue;
    // MLflow allows no @ in names; loggers write _at_ for it.
    run.metrics.meet([named(name)]);
    if (context.wants(named(name))) wanted.add(name);
  }
  const literals = [...wanted].map((name) => literal(dialect, name));
  const types = context.tables.get("metrics");
  const [steps, values] = ["step", "value"].map((column) => new NumberColumn(`metrics.${column}`, types?.get(column)));
  const marks = new Map<string, Wanted>();
  const [run, key, step, value] = ["run_uuid", "key", "step", "value"].map(id);
  for (const batch of batches(literals)) {
    const sql = `SELECT ${run} AS run, ${key} AS name, ${markOf(place, "step", ["value"], types)} FROM metrics WHERE ${key} IN (${batch}) GROUP BY ${run}, ${key} ORDER BY ${run}, ${key}`;
    for (const row of await rowsOf(context, place, sql)) {
      const [own, name] = [textOf(row.run) ?? "", textOf(row.name) ?? ""];
      if (!runs.has(own)) continue;
      const where = [[run, literal(dialect, own)] as const, [key, literal(dialect, name)] as const];
      marks.set(JSON.stringify([own, name]), { where, mark: readMark(row) });
    }
  }
  const rows = await rowsBySeries(marks, {
    kind: "mlflow",
    place,
    context,
    step,
    summed: 1,
    async *ask(condition) {
      const conditions = condition === null ? batches(literals).map((batch) => `${key} IN (${batch})`) : [condition];
      for (const each of conditions) {
        const sql = `SELECT ${run} AS run, ${key} AS name, ${step} AS step, ${value} AS value, is_nan AS nan, ${id("timestamp")} AS time FROM metrics WHERE ${each} ORDER BY ${run}, ${key}, ${step}, ${id("timestamp")}`;
        for await (const row of context.query(place.uri, sql, context.signal)) {
          const nan = row.nan === true || row.nan === "t" || numberOf(row.nan) === 1;
          const [at, number] = [steps.of(row.step), nan ? NaN : values.of(row.value)];
          if (at !== undefined && number !== undefined)
            yield [JSON.stringify([textOf(row.run), textOf(row.name)]), [at, number, numberOf(row.time) ?? null]];
        }
      }
    },
  });
  for (const [series, points] of rows) {
    const [own, name] = JSON.parse(series) as [string, string];
    const { metrics } = runs.get(own)!;
    for (const [at, number, time] of points) {
      if (time !== null && time > (metrics.lastTime ?? 0)) metrics.lastTime = time;
      metrics.add(named(name), at!, number ?? NaN, 0);
    }
  }
  for (const column of [steps, values]) column.tell(context.notes, place.uri);
}

async function readParams(
  runs: ReadonlyMap<string, StoredRun>,
  place: StorePlace,
  context: StoreContext,
): Promise<void> {
  const { dialect } = place;
  const flat = new Map<string, JsonObject>();
  const sql = `SELECT run_uuid AS run, ${dialect.id("key")} AS name, ${dialect.id("value")} AS value FROM params ORDER BY run_uuid, ${dialect.id("key")}`;
  for await (const row of context.query(place.uri, sql, context.signal)) {
    const [run, name, value] = [textOf(row.run) ?? "", textOf(row.name), textOf(row.value)];
    if (!runs.has(run) || name === undefined || value === undefined) continue;
    const own = flat.get(run) ?? {};
    own[name] = typed(value);
    flat.set(run, own);
  }
  for (const [run, params] of flat) takeConfig(runs.get(run)!.metrics, params);
}

/** Parameters as the run's config, and those that are axes or the seed as its facts. */
export function takeConfig(metrics: RunMetrics, flat: JsonObject): void {
  const slashed = Object.keys(flat).some((key) => key.includes("/"));
  metrics.config = nest(flat, slashed ? "/" : ".");
  for (const [key, value] of Object.entries(flat))
    if (FACTS.some((fact) => fact === key) && (typeof value === "number" || typeof value === "string"))
      metrics.facts[key] = value;
  sizeFromName(metrics);
}

/** A model's name states its size, as in run.json. */
export function sizeFromName({ facts }: RunMetrics): void {
  if (typeof facts.model !== "string" || facts.parameters !== undefined) return;
  const size = parametersOf(facts.model);
  if (size !== undefined) facts.parameters = size;
}

const named = (key: string) => key.replaceAll("_at_", "@");

/** Parameters are texts; numbers and booleans are told from them as YAML would. */
function typed(text: string): Json {
  if (text === "True" || text === "true") return true;
  if (text === "False" || text === "false") return false;
  if (text === "None" || text === "null") return null;
  const number = toNumber(text);
  return number !== undefined && Number.isFinite(number) ? number : text;
}
