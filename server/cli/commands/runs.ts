import { count, percent } from "../../core/numbers";
import type { Outcome, RunRow, RunTable, UnmeasuredRun } from "../../core/table";
import type { Command } from "../command";
import { InputError, type ExitCode } from "../io";
import { json, safe, tableLines } from "../../report/print/terminal";
import { explainedRun } from "../../report/explainedRun";
import { unstated } from "../../report/unstated";
import { runs as operation } from "../../operations/runs";
import { notesOf, RUN_OPTIONS } from "../sources";

export const runs: Command = {
  name: "runs",
  usage: "runs [SOURCE…] [--explain RUN] [--json]",
  summary: "the run table that a fit would read: state, metric and levels of each run, what was skipped and why",
  options: {
    ...RUN_OPTIONS,
    explain: { kind: "text", value: "RUN", help: "one run: where its value and levels come from, and what lost" },
    json: { kind: "flag", help: "print JSON" },
  },
  async run(engine, args): Promise<ExitCode> {
    const found = await operation.run(engine.operating, {
      sources: [...args.positional],
      scaling: args.text("scaling"),
    });
    const asked = args.text("explain");
    const all = [...found.rows, ...(found.unmeasured ?? [])];
    const chosen = asked === undefined ? all : named(all, asked);
    if (args.flag("json")) {
      const ids = new Set(chosen.map(({ id }) => id));
      const shown: RunTable = {
        ...found,
        rows: found.rows.filter(({ id }) => ids.has(id)),
        unmeasured: found.unmeasured?.filter(({ id }) => ids.has(id)),
      };
      engine.io.out(json(operation.json(shown, engine.operating)));
    } else if (asked !== undefined) {
      for (const row of chosen) {
        for (const line of explainedRun(row, found.notes, (file) => engine.shown(file))) engine.io.out(safe(line));
        engine.io.out("");
      }
      return 0;
    } else if (all.length === 0) {
      engine.io.out("no runs");
    } else {
      const axes = [...new Set(all.flatMap((row) => Object.keys(row.axes)))];
      const header = ["run", "state", "setting", "seed", ...axes, "success", "tasks tried", "metric", "value from"];
      const cells = function* () {
        for (const row of all) yield cellsOf(row, axes);
      };
      let block: string[] = [];
      for (const line of tableLines(header, { [Symbol.iterator]: cells })) {
        if (block.push(line) < BLOCK) continue;
        engine.io.out(block.join("\n"));
        block = [];
      }
      if (block.length > 0) engine.io.out(block.join("\n"));
      engine.io.out(summary(found));
      const levels = levelsText(all);
      if (levels !== "") engine.io.out(safe(levels));
      const lacking = unstated(found.rows);
      if (lacking !== "") engine.io.out(lacking);
    }
    notesOf(engine, found, true);
    return found.rows.length === 0 ? 2 : 0;
  },
};

/** Lines that are written at a time. */
const BLOCK = 1_000;

function cellsOf(row: RunRow | UnmeasuredRun, axes: readonly string[]): string[] {
  return [
    safe(row.id),
    safe(row.state === undefined || row.state === "finished" ? (row.state ?? "") : stateText(row)),
    safe(row.setting),
    safe(row.seed ?? ""),
    ...axes.map((axis) => level(row, axis)),
    "outcome" in row ? outcomeText(row.outcome) : "none",
    "outcome" in row && row.outcome.kind !== "loss" && row.outcome.trials !== undefined
      ? count(row.outcome.trials)
      : "",
    safe("metric" in row ? (row.metric?.keys.join(", ") ?? "") : ""),
    `${"outcome" in row ? (row.finalRule ?? "") : ""}${row.simulated ? " (simulated)" : ""}`,
  ];
}

/** The run of this name, or those whose names end with it. An InputError where there is none. */
function named<Row extends Pick<RunRow, "id">>(rows: readonly Row[], asked: string): readonly Row[] {
  const exact = rows.filter(({ id }) => id === asked);
  const found = exact.length > 0 ? exact : rows.filter(({ id }) => id.includes(asked));
  if (found.length > 0) return found;
  const known = rows.slice(0, 8).map(({ id }) => id);
  throw new InputError(`no run is named ${asked}; there are ${known.join(", ")}${rows.length > 8 ? ", …" : ""}`);
}

function stateText({ state, stateReason }: Pick<RunRow, "state" | "stateReason">): string {
  return stateReason === undefined ? (state ?? "") : `${state}: ${stateReason}`;
}

function summary({ rows, unmeasured = [] }: RunTable): string {
  const counts = new Map<string, number>();
  for (const { state = "finished" } of [...rows, ...unmeasured]) counts.set(state, (counts.get(state) ?? 0) + 1);
  const total = rows.length + unmeasured.length;
  const states = [...counts].map(([state, n]) => `${n} ${state}`).join(", ");
  return `${total} run${total === 1 ? "" : "s"} (${states})${unmeasured.length > 0 ? `; ${unmeasured.length} without a value` : ""}`;
}

/** Where levels come from, each source once. */
function levelsText(rows: readonly (RunRow | UnmeasuredRun)[]): string {
  const from = new Map<string, Set<string>>();
  for (const { levels } of rows)
    for (const [axis, source] of Object.entries(levels ?? {})) {
      if (source === undefined) continue;
      from.set(axis, (from.get(axis) ?? new Set()).add(source));
    }
  const parts = [...from].map(([axis, sources]) => {
    const [first, ...more] = sources;
    return `${axis} from ${first}${more.length > 0 ? ` and ${more.length} more` : ""}`;
  });
  return parts.length === 0 ? "" : `${parts.join("; ")}.`;
}

function level(row: Pick<RunRow, "axes">, axis: string): string {
  const value = row.axes[axis];
  return value === undefined ? "unknown" : count(value);
}

function outcomeText(outcome: Outcome): string {
  if (outcome.kind === "loss") return outcome.loss.toPrecision(4);
  return percent(outcome.kind === "counts" ? outcome.successes / outcome.trials : outcome.rate);
}
