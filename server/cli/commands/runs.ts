import { count, percent } from "../../core/numbers";
import type { Outcome, RunRow } from "../../core/table";
import type { Command } from "../command";
import { InputError, type ExitCode } from "../io";
import { json, safe, table } from "../../report/print/terminal";
import { unstated } from "../../report/unstated";
import { runs as operation } from "../../operations/runs";
import { notesOf, RUN_OPTIONS } from "../sources";

export const runs: Command = {
  name: "runs",
  usage: "runs SOURCE… [--json]",
  summary: "the run table that a fit would read: what was found, what was skipped and why",
  options: { ...RUN_OPTIONS, json: { kind: "flag", help: "print JSON" } },
  async run(engine, args): Promise<ExitCode> {
    if (args.positional.length === 0) throw new InputError("name at least one folder of runs or one table");
    const found = await operation.run(engine.operating, {
      sources: [...args.positional],
      scaling: args.text("scaling"),
    });
    if (args.flag("json")) {
      engine.io.out(json(operation.json(found, engine.operating)));
    } else if (found.rows.length === 0) {
      engine.io.out("no runs");
    } else {
      const axes = [...new Set(found.rows.flatMap((row) => Object.keys(row.axes)))];
      engine.io.out(
        table(
          ["run", "setting", "seed", ...axes, "outcome", "evaluations", "value from"],
          found.rows.map((row) => [
            safe(row.id),
            safe(row.setting),
            safe(row.seed ?? ""),
            ...axes.map((axis) => level(row, axis)),
            outcomeText(row.outcome),
            row.outcome.kind === "loss" || row.outcome.trials === undefined ? "" : String(row.outcome.trials),
            `${row.finalRule ?? ""}${row.simulated ? " (simulated)" : ""}`,
          ]),
        ),
      );
      engine.io.out(`${found.rows.length} run${found.rows.length === 1 ? "" : "s"}`);
      const lacking = unstated(found.rows);
      if (lacking !== "") engine.io.out(lacking);
    }
    notesOf(engine, found, true);
    return found.rows.length === 0 ? 2 : 0;
  },
};

function level(row: RunRow, axis: string): string {
  const value = row.axes[axis];
  return value === undefined ? "unknown" : count(value);
}

function outcomeText(outcome: Outcome): string {
  if (outcome.kind === "loss") return outcome.loss.toPrecision(4);
  return percent(outcome.kind === "counts" ? outcome.successes / outcome.trials : outcome.rate);
}
