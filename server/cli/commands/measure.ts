import { writeFile } from "node:fs/promises";
import { count, decimal, percent, plural } from "../../core/numbers";
import { DUPLICATE_RULES, measure as operation } from "../../operations/measure";
import type { RolloutMeasure } from "../../rollouts/types";
import type { Command } from "../command";
import { InputError, type ExitCode } from "../io";
import { json, safe, table } from "../../report/print/terminal";
import { notesOf } from "../sources";

export const measure: Command = {
  name: "measure",
  usage: "measure ROLLOUTS… [--json]",
  summary: "counts tasks, environments, coverage and reward density in dumps of rollouts",
  options: {
    duplicates: {
      kind: "text",
      value: "RULE",
      help: `how repeated tasks are told: ${DUPLICATE_RULES.join(", ")} (default char-tfidf: no embedding is needed)`,
    },
    threshold: {
      kind: "number",
      value: "X",
      help: "cosine distance up to which two tasks are the same (default 0.15)",
    },
    column: {
      kind: "text",
      value: "OURS=THEIRS",
      many: true,
      help: "a column under another name: task=question_text; may be given again",
    },
    "solved-at": {
      kind: "number",
      value: "X",
      help: "reward from which a rollout counts as solved, where rows state no success (default 1)",
    },
    "filtered-out": {
      kind: "text",
      value: "FILE",
      help: "write the tasks that are never or always solved, one a line",
    },
    json: { kind: "flag", help: "print JSON" },
  },
  async run(engine, args): Promise<ExitCode> {
    if (args.positional.length === 0) throw new InputError("name at least one dump of rollouts, or a folder of them");
    const threshold = args.number("threshold");
    if (threshold !== undefined && !(threshold >= 0 && threshold <= 1))
      throw new InputError("--threshold wants a distance between 0 and 1");
    const columns = Object.fromEntries(
      args.texts("column").map((text) => {
        const at = text.indexOf("=");
        if (at < 1) throw new InputError(`--column wants OURS=THEIRS, not "${text}"`);
        return [text.slice(0, at), text.slice(at + 1)];
      }),
    );
    const measured = await operation.run(engine.operating, {
      sources: [...args.positional],
      duplicates: args.choice("duplicates", DUPLICATE_RULES),
      threshold,
      columns,
      solvedAt: args.number("solved-at"),
    });
    const list = args.text("filtered-out");
    if (list !== undefined)
      await writeFile(
        engine.path(list),
        [...measured.neverSolved.tasks, ...measured.alwaysSolved.tasks]
          .map((task) => `${JSON.stringify(task)}\n`)
          .join(""),
      );
    if (args.flag("json")) engine.io.out(json(operation.json(measured, engine.operating)));
    else engine.io.out(measured.rollouts === 0 ? "no rollouts" : printed(measured));
    notesOf(engine, measured);
    return measured.rollouts === 0 ? 2 : 0;
  },
};

/** The tasks; instances of fewer templates are named as such. */
function tasksRow({ tasks, templates, reasons, duplicates }: RolloutMeasure): string[] {
  if (tasks === null) return ["tasks", "unknown", safe(reasons.tasks ?? "")];
  const instances = templates !== null && templates < tasks && duplicates.rule !== "template";
  return [
    "tasks",
    count(tasks),
    instances ? `instances of ${plural(templates, "template")}: texts that differ in numbers alone` : "",
  ];
}

function printed(measured: RolloutMeasure): string {
  const { reasons, passRates, duplicates } = measured;
  const row = (
    name: string,
    value: number | null,
    reason: string | undefined,
    show: (value: number) => string = count,
  ) => [name, value === null ? "unknown" : show(value), value === null ? safe(reason ?? "") : ""];
  const rows = [
    row("rollouts", measured.rollouts, undefined),
    tasksRow(measured),
    row("environments", measured.environments, reasons.environments),
    row("worlds", measured.worlds, reasons.worlds),
    row("structures", measured.structures, reasons.structures),
    row("rollouts per covered cell", measured.trajectories, reasons.trajectories),
    row("covered cells", measured.coveredCells, reasons.coveredCells),
    row("coverage", measured.coverage, reasons.coverage, percent),
    row("reward density", measured.rewardDensity, reasons.rewardDensity, (value) => decimal(value, 3)),
    row("groups without signal", passRates?.shareWithoutSignal ?? null, reasons.passRates, percent),
    row("tasks never solved", measured.neverSolved.tasks.length, undefined),
    row("tasks always solved", measured.alwaysSolved.tasks.length, undefined),
  ];
  return `${table(["", "measured", ""], rows)}\n\n${count(duplicates.pairs)} pairs of tasks count as one (${duplicates.rule}, distance ≤ ${duplicates.threshold})`;
}
