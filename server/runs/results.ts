import { withForecasts } from "../core/forecast/included";
import { isResult, isTrainingReward, type RunMetric, type RunRow, type RunTable } from "../core/table";
import { Notes } from "../records/notes";

/** The rows that a fit may use: results, and of one metric in one setting. What was left out or told apart is in the notes. */
export function fittable(read: RunTable, include: "finished" | "running" = "finished"): RunTable {
  const notes = new Notes();
  const { table, included } = include === "running" ? withForecasts(read) : { table: read, included: [] };
  if (included.length > 0)
    notes.inform(
      "run.by-forecast",
      `${included.length} run${included.length > 1 ? "s are" : " is"} still on and count${included.length > 1 ? "" : "s"} by forecast, as an evaluation on as many tasks as give the forecast's spread: ${included.slice(0, 6).map(byForecast).join(", ")}${included.length > 6 ? ", …" : ""}.`,
    );
  const results = table.rows.filter(isResult);
  const open = table.rows.filter((row) => !isResult(row));
  if (open.length > 0) {
    const named = open.slice(0, 6).map(({ id, state }) => `${id} (${state})`);
    notes.warn(
      "run.not-a-result",
      `${open.length} run${open.length > 1 ? "s are" : " is"} no result yet and not fitted: ${named.join(", ")}${open.length > 6 ? ", …" : ""}.`,
    );
  }
  const stopped = results.filter(({ state }) => state === "stopped");
  if (stopped.length > 0)
    notes.inform(
      "run.stopped",
      `${stopped.length} run${stopped.length > 1 ? "s" : ""} stopped before the planned end and count${stopped.length > 1 ? "" : "s"} by what ${stopped.length > 1 ? "they" : "it"} reached, with the steps taken as trajectories.`,
    );
  const rewarded = results.filter(({ metric }) => isTrainingReward(metric));
  const rewardNames = [...new Set(rewarded.flatMap(({ metric }) => metric?.keys.join(", ") ?? []))].slice(0, 3);
  if (rewarded.length > 0)
    notes.warn(
      "run.reward-not-success",
      `${rewarded.length} run${rewarded.length > 1 ? "s log" : " logs"} no success rate, but the training's ${rewardNames.join(" or ")} only, and ${rewarded.length > 1 ? "are" : "is"} not fitted: ${rewarded
        .slice(0, 6)
        .map(({ id }) => id)
        .join(
          ", ",
        )}${rewarded.length > 6 ? ", …" : ""}. Where that is 1 for a success and 0 otherwise, \`metric: ${rewarded[0].metric?.keys[0]}\` in scaling.yaml says so.`,
    );
  const assumed = results.filter(({ metric }) => metric !== undefined && isAssumedSuccess(metric));
  if (assumed.length > 0)
    notes.warn(
      "run.evaluation-reward",
      `${assumed.length} run${assumed.length > 1 ? "s are" : " is"} fitted by ${assumed[0].metric?.keys.join(", ")}, a reward of evaluations: it is assumed to be 1 for a success and 0 otherwise. \`metric: ${assumed[0].metric?.keys[0]}\` in scaling.yaml says so, or names another.`,
    );
  const rows = byMetric(
    evenly(
      results.filter(({ metric }) => !isTrainingReward(metric)),
      notes,
    ),
    notes,
  );
  return { ...table, rows, notes: [...table.notes, ...notes.list()] };
}

/** A fit takes seconds for so many runs; of more it takes an even share, and says so. */
const MOST_FITTED = 2_000;
/** Runs of the same levels of which none is left out. */
const FEW_ALIKE = 8;

/** Of very many runs an even share at each of their levels: a table of fifty thousand would be fitted for a minute. */
function evenly(rows: readonly RunRow[], notes: Notes): readonly RunRow[] {
  if (rows.length <= MOST_FITTED) return rows;
  const alike = new Map<string, RunRow[]>();
  for (const row of rows) {
    const key = JSON.stringify([row.setting, row.axes]);
    const held = alike.get(key);
    if (held) held.push(row);
    else alike.set(key, [row]);
  }
  const share = MOST_FITTED / rows.length;
  const kept = [...alike.values()].flatMap((group) =>
    group.slice(0, Math.max(FEW_ALIKE, Math.round(share * group.length))),
  );
  // A step that no period of the table meets: where all levels differ, no column of them is lost.
  const chosen =
    kept.length <= 2 * MOST_FITTED ? kept : kept.filter((_row, i) => (i * GOLDEN) % 1 < MOST_FITTED / kept.length);
  notes.warn(
    "run.many",
    `There are ${rows.length} runs; ${chosen.length} of them, an even share of each level, are fitted, so that the fit ends. Intervals are wider than all of them would give.`,
  );
  return chosen;
}

const GOLDEN = (Math.sqrt(5) - 1) / 2;

/** A reward of evaluations that nobody has called the success; verl's `val-core/<source>/reward/mean@N` is its usual success. */
export function isAssumedSuccess({
  on,
  tells,
  scale,
  keys,
}: Pick<RunMetric, "on" | "tells" | "scale" | "keys">): boolean {
  const isUsual = keys.every((key) => /^val-core\/.*\/reward\/mean(@|_at_)\d+$/.test(key));
  return on === "evaluation" && tells === "reward" && scale === undefined && !isUsual;
}

function byForecast({ id, outcome, forecastSd }: RunRow): string {
  const rate = outcome.kind === "rate" ? `${(100 * outcome.rate).toFixed(0)} %` : "—";
  return `${id} (${rate} ± ${(100 * (forecastSd ?? 0)).toFixed(0)} points)`;
}

/** What is measured, by name: `mean@1` and `mean@8` of one dataset are one success rate. */
function measured({ metric }: RunRow): string | undefined {
  return metric?.keys.map((key) => key.replace(/(mean|avg)(?:@|_at_)\d+$/, "$1")).join(", ");
}

/** Runs of one setting whose values are of several metrics become settings of their own, named by the metric. */
function byMetric(rows: readonly RunRow[], notes: Notes): RunRow[] {
  const bySetting = new Map<string, Map<string, number>>();
  for (const row of rows) {
    const name = measured(row);
    if (name === undefined) continue;
    const counts = bySetting.get(row.setting) ?? new Map<string, number>();
    bySetting.set(row.setting, counts.set(name, (counts.get(name) ?? 0) + 1));
  }
  const mixed = new Map([...bySetting].filter(([, counts]) => counts.size > 1));
  if (mixed.size === 0) return [...rows];
  for (const [setting, counts] of mixed)
    notes.warn(
      "run.mixed-metrics",
      `The runs${setting === "" ? "" : ` of ${setting}`} are measured by ${counts.size} metrics (${[...counts].map(([name, n]) => `${name}: ${n}`).join("; ")}), which are not one success rate; each is fitted as a setting of its own. \`metric\` in scaling.yaml names one for all.`,
    );
  return rows.map((row) => {
    const name = mixed.has(row.setting) ? measured(row) : undefined;
    return name === undefined
      ? row
      : { ...row, setting: [row.setting, name].filter((part) => part !== "").join(" · ") };
  });
}
