import { flatten, isObject, parseJson } from "../../records/json";
import { RunMetrics } from "../../runs/series";
import { takeConfig } from "./mlflow";
import { numberOf, textOf } from "./sql";
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
    const runs = new Map<string, StoredRun & { modified: number }>();
    const sql =
      "SELECT run_name AS run, step AS step, metrics AS metrics, timestamp AS time FROM metrics ORDER BY run_name, id";
    for await (const row of context.query(place.uri, sql, context.signal)) {
      const [name, step, text] = [textOf(row.run), numberOf(row.step), textOf(row.metrics)];
      const record = text === undefined ? undefined : parseJson(text);
      if (name === undefined || step === undefined || !isObject(record)) continue;
      let run = runs.get(name);
      if (!run) runs.set(name, (run = { id: name, name, metrics: new RunMetrics(context.wants), modified: 0 }));
      const flat = flatten(record);
      run.metrics.name = name;
      run.metrics.meet(Object.keys(flat));
      run.metrics.reach(step);
      run.metrics.addRow(flat, step, 0);
      const time = Date.parse(`${textOf(row.time) ?? ""}`);
      if (Number.isFinite(time)) {
        run.modified = Math.max(run.modified, time);
        run.metrics.lastTime = run.modified;
      }
    }
    await readConfigs(runs, place, context);
    return [...runs.values()];
  },
};

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
