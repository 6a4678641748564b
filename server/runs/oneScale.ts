import type { RunRow } from "../core/table";
import type { Notes } from "../records/notes";

/**
 * One metric is written on one scale: where the values of most runs are percent by their size, a run of the same metric that
 * never came above 1 is of percent too, and 0.6 is no success of 60 %.
 */
export function ofOneScale(rows: readonly RunRow[], notes: Notes): RunRow[] {
  const nameOf = ({ metric, setting }: RunRow) => (metric ? JSON.stringify([metric.keys, setting]) : undefined);
  const percent = new Map<string, number>();
  for (const row of rows) {
    const name = row.metric?.scale === "percent" ? nameOf(row) : undefined;
    if (name !== undefined) percent.set(name, (percent.get(name) ?? 0) + 1);
  }
  if (percent.size === 0) return [...rows];
  return rows.map((row) => {
    const name = row.metric && row.metric.scale === undefined ? nameOf(row) : undefined;
    if (!row.metric || name === undefined || !percent.has(name) || row.outcome.kind !== "rate") return row;
    notes.inform(
      "run.percent",
      `${row.id}: ${row.metric.keys[0]} is read as percent, as it is written in ${percent.get(name)} other run(s) of its kind.`,
      { file: row.files[0] },
    );
    return {
      ...row,
      outcome: { ...row.outcome, rate: row.outcome.rate / 100 },
      metric: { ...row.metric, scale: "percent" },
      ...(row.curve && { curve: row.curve.map(({ step, rate }) => ({ step, rate: rate / 100 })) }),
      ...(row.base !== undefined && { base: row.base / 100 }),
    };
  });
}
