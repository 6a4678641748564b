import { setTimeout as delay } from "node:timers/promises";
import { forecast as operation, type Forecasts } from "../../operations/forecast";
import { calibrationText, forecastTable } from "../../report/forecast";
import { plural } from "../../core/numbers";
import { json, safe, table } from "../../report/print/terminal";
import { readExpression } from "../../syntax/quantity/expression";
import type { Arguments } from "../arguments";
import type { Command } from "../command";
import { type Engine, FIT_OPTIONS } from "../engine";
import { InputError, type ExitCode } from "../io";
import { notesOf, RUN_OPTIONS } from "../sources";

/** Milliseconds between two looks at the logs. */
const PAUSE = 2000;

export const forecast: Command = {
  name: "forecast",
  usage: "forecast [PATH…] [--target 60%] [--watch] [--json]",
  summary: "where running trainings will end, and whether going on is worth it; code 1 when the advice is stop or look",
  options: {
    ...RUN_OPTIONS,
    ...FIT_OPTIONS,
    target: { kind: "text", value: "60%", help: "a success rate: how likely each run reaches it" },
    watch: { kind: "flag", help: "look again every 2 s and print what has changed, until no run is on" },
    json: { kind: "flag", help: "print JSON; with --watch one line each time" },
  },
  async run(engine, args): Promise<ExitCode> {
    const ask = () =>
      operation.run(engine.operating, {
        sources: [...args.positional],
        scaling: args.text("scaling"),
        target: rateOf(args.text("target"), "--target"),
        fit: args.text("fit"),
        law: args.text("law"),
        seed: args.number("seed"),
      });
    let found = await ask();
    // A forecast needs no axes.
    notesOf(engine, { notes: found.table.notes.filter(({ code }) => code !== "run.no-axes") });
    let said = text(engine, args, found);
    engine.io.out(said);
    while (args.flag("watch") && isOn(found)) {
      await delay(PAUSE);
      found = await ask();
      const next = text(engine, args, found);
      if (next !== said) engine.io.out((said = next));
    }
    if (found.runs.length === 0) return 2;
    return found.runs.some(({ advice }) => advice.kind === "stop" || advice.kind === "look") ? 1 : 0;
  },
};

/** Whether more may come: a run is on or planned, or nothing is logged yet in a place that is there. */
function isOn({ runs, table: { notes } }: Forecasts): boolean {
  if (runs.length === 0) return !notes.some(({ severity }) => severity === "error");
  return runs.some(({ state }) => state === "running" || state === "planned");
}

function text(engine: Engine, args: Arguments, found: Forecasts): string {
  if (args.flag("json")) {
    const answer = json(operation.json(found, engine.operating));
    return args.flag("watch") ? JSON.stringify(JSON.parse(answer)) : answer;
  }
  const results = found.table.rows.length;
  if (found.runs.length === 0)
    return results > 0
      ? `nothing to forecast: ${plural(results, "result")} without a log over steps; name the folder of a run's own log`
      : args.flag("watch")
        ? "nothing is logged yet"
        : "no runs";
  const { head, rows } = forecastTable(found.runs, rateOf(args.text("target"), "--target"));
  const cells = rows.map((row) => row.map(safe));
  return `${table(head, cells)}\n${calibrationText(found.runs)}`;
}

/** `60%`, `60 %` or `0.6` as a rate. */
export function rateOf(stated: string | undefined, name: string): number | undefined {
  if (stated === undefined) return undefined;
  const percent = /^\s*([\d.]+)\s*%\s*$/.exec(stated);
  const value = percent ? Number(percent[1]) / 100 : numberOf(stated);
  if (!(value > 0 && value < 1))
    throw new InputError(`${name} wants a rate between 0 and 100 %, such as 60% or 0.6, not "${stated}"`);
  return value;
}

function numberOf(stated: string): number {
  const read = readExpression(stated);
  return read.ok ? read.quantity.value : NaN;
}
