import { count, percent } from "../core/numbers";
import type { Outcome, RunMetric, RunRow, TableNote, UnmeasuredRun } from "../core/table";

function outcome(value: Outcome): string {
  if (value.kind === "loss") return `loss ${value.loss.toPrecision(4)}`;
  if (value.kind === "counts")
    return `${percent(value.successes / value.trials)} (${count(value.successes)} of ${count(value.trials)})`;
  return `${percent(value.rate)}${value.trials === undefined ? "" : ` of ${count(value.trials)} tasks`}`;
}

/** Everything about one run: its state, its value and where that comes from, its levels, and the metrics that lost. */
export function explainedRun(
  row: RunRow | UnmeasuredRun,
  notes: readonly TableNote[],
  shown: (file: string) => string,
): readonly string[] {
  const measured = "outcome" in row ? row : undefined;
  const lines = [
    row.id,
    `  state: ${row.state ?? "finished"}${row.stateReason === undefined ? "" : ` (${row.stateReason})`}`,
  ];
  if (measured) {
    lines.push(`  value: ${outcome(measured.outcome)}, ${measured.finalRule ?? "as in its table"}`);
    if (measured.metric) lines.push(...aboutMetric(measured.metric));
  } else lines.push("  value: none");
  if (row.base !== undefined) lines.push(`  before the training: ${percent(row.base)}`);
  for (const [axis, level] of Object.entries(row.axes))
    lines.push(
      `  ${axis}: ${level === undefined ? "unknown" : count(level)}${row.levels?.[axis] === undefined ? "" : ` (${row.levels[axis]})`}`,
    );
  if (Object.keys(row.axes).length === 0) lines.push("  no level of an axis is known");
  if (row.steps !== undefined)
    lines.push(
      `  steps: ${count(row.steps)}${row.plannedSteps === undefined ? "" : ` of ${count(row.plannedSteps)} planned`}`,
    );
  const others = measured ? (measured.metric?.others ?? []) : ((row as UnmeasuredRun).others ?? []);
  if (others.length > 0) lines.push("  other metrics:");
  for (const { keys, value, why } of others)
    lines.push(`    ${keys.join(", ")}${value === null ? "" : ` (last ${percent(value)})`}: ${why}`);
  lines.push(`  files: ${row.files.map(shown).join(", ")}`);
  const own = notes.filter(({ file }) => file !== undefined && row.files.includes(file));
  for (const { severity, message } of own) lines.push(`  ${severity}: ${message}`);
  return lines;
}

function aboutMetric({ keys, on, tells, reason, window, scale }: RunMetric): string[] {
  const what = tells === "success" ? "a success rate" : `a ${tells}`;
  const where = on === "stated" ? "" : on === "evaluation" ? " of evaluations" : " of training rollouts";
  const over = window.from === window.to ? `step ${window.from}` : `steps ${window.from} to ${window.to}`;
  return [
    `  metric: ${keys.length > 1 ? `the mean of ${keys.join(", ")}` : keys[0]}, ${what}${where}: ${reason}${scale === undefined ? "" : `; read as ${scale}`}`,
    `  over: ${window.values} value${window.values === 1 ? "" : "s"}, ${over}${window.rollouts === undefined ? "" : `, ${count(window.rollouts)} rollouts`}`,
  ];
}
