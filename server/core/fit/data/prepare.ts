import type { Run } from "../../solve/run";
import { KNOWN_AXES, type AxisName } from "../../axes";
import { ok, refused, type Problem, type Result } from "../../result";
import { ownAxes, withTokens } from "./derived";
import { isResult, type RunRow, type RunTable } from "../../table";

export interface Prepared {
  readonly response: "success" | "loss";
  readonly runs: readonly Run[];
  readonly axes: readonly AxisName[];
  readonly warnings: readonly Problem[];
}

/** Says a problem once, with how many rows have it and a few of their names. */
function told(code: string, ids: readonly string[], what: string): Problem {
  const some = ids.slice(0, 3).join(", ") + (ids.length > 3 ? ", …" : "");
  return { code, message: `${ids.length === 1 ? "1 run" : `${ids.length} runs`} ${what} (${some}).` };
}

/**
 * Checks every row and says what was dropped and why.
 * Codes: `table.empty`, `table.no-usable-rows`, `table.mixed-responses`, `table.no-axes`, `outcome.all-successes`, `outcome.all-failures`.
 */
export function prepare(table: RunTable, wanted: readonly AxisName[] | undefined): Result<Prepared> {
  if (table.rows.length === 0) return refused("table.empty", "The table has no runs.");
  const losses = table.rows.filter((row) => row.outcome.kind === "loss").length;
  if (losses > 0 && losses < table.rows.length)
    return refused("table.mixed-responses", "Some runs give a loss and some a success rate: fit them apart.");
  const warnings: Problem[] = [];
  const bad = new Map<string, string[]>();
  const drop = (code: string, row: RunRow): void => void bad.set(code, [...(bad.get(code) ?? []), row.id]);
  let runs: Run[] = [];
  const over = table.rows.filter(isResult);
  const still = table.rows.length - over.length;
  if (still > 0)
    warnings.push(
      told(
        "run.not-over",
        table.rows.filter((row) => !isResult(row)).map(({ id }) => id),
        `${still === 1 ? "has" : "have"} not ended, or ended in a crash: only what ended is fitted`,
      ),
    );
  for (const row of over) {
    const read = outcome(row);
    if (typeof read === "string") drop(read, row);
    else runs.push({ row: withTotals(row), ...read, setting: row.setting });
  }
  const stated = chooseAxes(runs, wanted);
  const implied = withTokens(runs, wanted ? stated : ownAxes(runs, stated, warnings), wanted, warnings);
  const { axes } = implied;
  runs = [...implied.runs];
  const complete = runs.filter((run) => {
    const lacking = axes.find((axis) => !positive(run.row.axes[axis]));
    if (lacking !== undefined)
      drop(run.row.axes[lacking] === undefined ? "row.axis-missing" : "row.axis-not-positive", run.row);
    return lacking === undefined;
  });
  runs = once(complete, axes, warnings);
  for (const [code, ids] of bad) warnings.push(told(code, ids, MESSAGES[code] ?? "cannot be used"));
  if (runs.length === 0) {
    const why = warnings.map((one) => one.message).join(" ");
    return refused("table.no-usable-rows", `No run can be used. ${why}`);
  }
  if (axes.length === 0)
    return refused("table.no-axes", "No axis (tasks, environments, trajectories, …) has a level in most of the runs.");
  const response = losses > 0 ? "loss" : "success";
  if (response === "success" && runs.length > 1) {
    if (runs.every((run) => run.y <= 0))
      return refused(
        "outcome.all-successes",
        "Every run succeeds on every task: the error is 0 throughout, and nothing says how it falls.",
      );
    if (runs.every((run) => run.y >= 1))
      return refused(
        "outcome.all-failures",
        "No run succeeds on any task: the error is 1 throughout, and nothing says how it falls.",
      );
  }
  return ok({ response, runs, axes, warnings });
}

const MESSAGES: Readonly<Record<string, string>> = {
  "row.not-a-number": "have an outcome that is not a number, and are left out",
  "row.rate-out-of-range": "have a success rate outside 0 to 1 (is it in percent?), and are left out",
  "row.counts-invalid": "have more successes than trials, or no trials, and are left out",
  "row.loss-not-positive": "have a loss that is not above 0, and are left out",
  "row.axis-missing": "lack a level that the other runs have, and are left out",
  "row.axis-not-positive": "have a level that is not a positive number, and are left out",
};

/** An axis of which only the real and synthetic parts are stated has their sum. */
function withTotals(row: RunRow): RunRow {
  const missing = Object.entries(row.synthesis ?? {}).filter(([axis, share]) => share && row.axes[axis] === undefined);
  return missing.length === 0
    ? row
    : {
        ...row,
        axes: {
          ...row.axes,
          ...Object.fromEntries(missing.map(([axis, share]) => [axis, share!.real + share!.synthetic])),
        },
      };
}

function positive(level: number | undefined): level is number {
  return level !== undefined && Number.isFinite(level) && level > 0;
}

function outcome(row: RunRow): { y: number; n: number } | string {
  const o = row.outcome;
  if (o.kind === "loss")
    return !Number.isFinite(o.loss) ? "row.not-a-number" : o.loss > 0 ? { y: o.loss, n: 1 } : "row.loss-not-positive";
  if (o.kind === "counts") {
    if (!Number.isFinite(o.successes) || !Number.isFinite(o.trials)) return "row.not-a-number";
    return o.trials > 0 && o.successes >= 0 && o.successes <= o.trials
      ? { y: 1 - o.successes / o.trials, n: o.trials }
      : "row.counts-invalid";
  }
  if (!Number.isFinite(o.rate)) return "row.not-a-number";
  if (o.rate < 0 || o.rate > 1) return "row.rate-out-of-range";
  return { y: 1 - o.rate, n: o.trials !== undefined && Number.isFinite(o.trials) && o.trials > 0 ? o.trials : 0 };
}

/**
 * The axes that most runs state. Worlds and structures are another count of environments, so never all three:
 * environments are kept where they are stated.
 */
function chooseAxes(runs: readonly Run[], wanted: readonly AxisName[] | undefined): AxisName[] {
  if (wanted) return [...new Set(wanted)];
  const names = new Set<AxisName>(KNOWN_AXES);
  for (const run of runs) for (const axis of Object.keys(run.row.axes)) names.add(axis);
  const present = [...names].filter((axis) => {
    const stated = runs.filter((run) => positive(run.row.axes[axis])).length;
    return stated > 0 && stated >= runs.length / 2;
  });
  return present.includes("environments")
    ? present.filter((axis) => axis !== "worlds" && axis !== "structures")
    : present;
}

/**
 * Counts a run that appears twice once. Runs with one name, or one seed in one configuration, are the same run; runs without
 * seeds that agree in every number are taken for one where so many agreements are not chance, and else only pointed out.
 */
function once(runs: readonly Run[], axes: readonly AxisName[], warnings: Problem[]): Run[] {
  const seen = new Set<string>(),
    ids = new Set<string>();
  const perConfiguration = new Map<string, number>();
  const twice = new Set<Run>(),
    doubtful = new Set<Run>();
  let expected = 0;
  const step = rounding(runs);
  for (const run of runs) {
    const { row, y, n } = run;
    const configuration = JSON.stringify([run.setting, axes.map((axis) => row.axes[axis]), row.synthesis ?? null]);
    const key = JSON.stringify([configuration, row.seed ?? null, y, n]);
    // Replicates agree by chance with probability about step/(2√π·sd): sd with 2 points of run noise, and the step in which rates are
    // written (one success, or the last decimal of the table), which may be far wider.
    const earlier = perConfiguration.get(configuration) ?? 0;
    const sd = Math.sqrt((n > 0 ? Math.max(y * (1 - y), 0.01) / n : 0) + 0.02 ** 2);
    expected += earlier * Math.min(1, (0.28 * Math.max(n > 0 ? 1 / n : 0, step)) / sd);
    perConfiguration.set(configuration, earlier + 1);
    if (seen.has(key)) (row.seed !== undefined || ids.has(row.id) ? twice : doubtful).add(run);
    seen.add(key);
    ids.add(row.id);
  }
  // Poisson: would chance give this many agreements in more than one table of twenty?
  let below = 0,
    term = Math.exp(-expected);
  for (let i = 0; i < doubtful.size; i++) {
    below += term;
    term *= expected / (i + 1);
  }
  const chance = 1 - below > 0.05;
  if (!chance) for (const run of doubtful) twice.add(run);
  const names = (some: ReadonlySet<Run>): string[] => [...some].map((run) => run.row.id);
  if (twice.size > 0)
    warnings.push(
      told(
        "row.duplicate",
        names(twice),
        "repeat another run in every number, and are counted once (give replicates a seed of their own)",
      ),
    );
  if (chance && doubtful.size > 0)
    warnings.push(
      told(
        "row.duplicate-doubtful",
        names(doubtful),
        "repeat another run in every number; between replicates that may be chance, so they are kept",
      ),
    );
  return runs.filter((run) => !twice.has(run));
}

/** The step in which a table writes its rates: the least power of ten that all of them are multiples of; at most a millionth. */
function rounding(runs: readonly Run[]): number {
  for (const step of [0.1, 0.01, 0.001, 1e-4, 1e-5])
    if (runs.every(({ y }) => Math.abs(y / step - Math.round(y / step)) < 1e-6)) return step;
  return 1e-6;
}
