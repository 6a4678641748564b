import type { Outcome, RunRow, RunTable } from "../core/table";
import { count, decimal, plural } from "./numbers";
import { axisTitle, code, columnHead, escape, table } from "./print/markdown";
import { unstated } from "./unstated";

/** A document need not show more rows than a person reads; the rest is counted. */
const MOST_ROWS = 200;
const MOST_NOTES = 200;

function outcomeText(outcome: Outcome): string {
  switch (outcome.kind) {
    case "counts":
      return `${decimal((100 * outcome.successes) / outcome.trials, 1)} % (${count(outcome.successes)} of ${count(outcome.trials)})`;
    case "rate":
      return `${decimal(100 * outcome.rate, 1)} %${outcome.trials === undefined ? "" : ` of ${count(outcome.trials)}`}`;
    case "loss":
      return `loss ${decimal(outcome.loss, 4)}`;
  }
}

function metricName({ metric }: RunRow): string {
  return metric?.keys.join(", ") ?? "";
}

/** Runs without a value, which would else be lost from sight. */
function unmeasuredList({ unmeasured = [] }: RunTable): string {
  if (unmeasured.length === 0) return "";
  const listed = unmeasured
    .slice(0, MOST_NOTES)
    .map(
      ({ id, state, stateReason, base }) =>
        `- ${escape(id)}: ${state ?? "finished"}${stateReason === undefined ? "" : ` (${escape(stateReason)})`}${base === undefined ? "" : `; ${decimal(100 * base, 1)} % before the training`}`,
    );
  return `## Without a value\n\n${listed.join("\n")}`;
}

/** Which runs were found, which were skipped, and why. */
export function runTableDocument(run: RunTable, sources: readonly string[], relative: (uri: string) => string): string {
  const all = [...new Set(run.rows.flatMap((row) => Object.keys(row.axes)))];
  const common =
    run.rows.length < 2 ? [] : all.filter((axis) => new Set(run.rows.map((row) => row.axes[axis])).size === 1);
  const axes = all.filter((axis) => !common.includes(axis));
  // What all rows share is said once, above: columns are few beside a config.
  const settings = [...new Set(run.rows.map((row) => row.setting))],
    rules = [...new Set(run.rows.map((row) => row.finalRule ?? ""))],
    metrics = [...new Set(run.rows.map(metricName))];
  // Finished is the rule; where a run is not, its state has a column.
  const open = run.rows.some(({ state }) => state !== undefined && state !== "finished");
  const shared = [
    settings.length === 1 && settings[0] !== "" ? `Setting: ${escape(settings[0])}.` : "",
    rules.length === 1 && rules[0] !== "" && rules[0] !== "table" ? `A run's value: ${escape(rules[0])}.` : "",
    metrics.length === 1 && metrics[0] !== "" ? `Metric: ${code(metrics[0])}.` : "",
    ...common.map((axis) => `${axisTitle(axis)}: ${count(run.rows[0].axes[axis] ?? NaN)}.`),
  ]
    .filter((part) => part !== "")
    .join(" ");
  const rows = run.rows
    .slice(0, MOST_ROWS)
    .map((row) => [
      escape(row.id),
      ...(settings.length > 1 ? [escape(row.setting)] : []),
      ...(open ? [escape(row.state ?? "finished")] : []),
      outcomeText(row.outcome),
      ...(metrics.length > 1 ? [metricName(row) === "" ? "" : code(metricName(row))] : []),
      ...axes.map((axis) => (row.axes[axis] === undefined ? "unknown" : count(row.axes[axis] ?? NaN))),
      ...(rules.length > 1 ? [escape(row.finalRule ?? "")] : []),
    ]);
  const notes = run.notes
    .slice(0, MOST_NOTES)
    .map(
      (note) =>
        `- **${note.severity}** ${note.file ? `${code(`${relative(note.file)}${note.line ? `:${note.line}` : ""}`)} — ` : ""}${escape(note.message)} (${code(note.code)})`,
    );
  const lacking = unstated(run.rows);
  const simulated = run.rows.filter((row: RunRow) => row.simulated).length;
  return `${[
    "# Run table",
    `${plural(run.rows.length, "run")} from ${sources.map(code).join(", ") || "nowhere: no source is named"}.${simulated > 0 ? ` **${simulated === run.rows.length ? "All" : count(simulated)} of them are simulated.**` : ""}${shared === "" ? "" : ` ${shared}`}`,
    run.rows.length > 0
      ? table(
          [
            "run",
            ...(settings.length > 1 ? ["setting"] : []),
            ...(open ? ["state"] : []),
            "success",
            ...(metrics.length > 1 ? ["metric"] : []),
            ...axes.map(columnHead),
            ...(rules.length > 1 ? ["value by"] : []),
          ],
          rows,
        )
      : "No run with a success rate was found.",
    run.rows.length > MOST_ROWS ? `… and ${count(run.rows.length - MOST_ROWS)} more.` : "",
    lacking,
    unmeasuredList(run),
    "## Skipped and doubted",
    notes.length > 0 ? notes.join("\n") : "Nothing.",
    run.notes.length > MOST_NOTES ? `… and ${count(run.notes.length - MOST_NOTES)} more.` : "",
  ]
    .filter((part) => part !== "")
    .join("\n\n")}\n`;
}
