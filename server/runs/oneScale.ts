import type { RunRow, UnmeasuredRun } from "../core/table";
import type { Notes } from "../records/notes";

/**
 * One metric is mostly written on one scale: where runs are percent by their size, a run of the same metric that never came above
 * 1 may be of percent too (0.6 is then no success of 60 %), or be written as shares. Its own values tell, beside theirs; where
 * both may be, it has no value.
 */
export function ofOneScale(
  rows: readonly RunRow[],
  notes: Notes,
  stated: ReadonlySet<string> = new Set(),
): { readonly rows: readonly RunRow[]; readonly unmeasured: readonly UnmeasuredRun[] } {
  const nameOf = ({ metric, setting }: RunRow) => (metric ? JSON.stringify([metric.keys, setting]) : undefined);
  const percent = new Map<string, Others>();
  for (const row of rows) {
    const name = row.metric?.scale === "percent" && !stated.has(row.id) ? nameOf(row) : undefined;
    if (name !== undefined) percent.set(name, withRun(percent.get(name) ?? { runs: 0, low: Infinity, high: 0 }, row));
  }
  if (percent.size === 0) return { rows, unmeasured: [] };
  const kept: RunRow[] = [];
  const unmeasured: UnmeasuredRun[] = [];
  for (const row of rows) {
    const name = row.metric && row.metric.scale === undefined ? nameOf(row) : undefined;
    const others = name === undefined ? undefined : percent.get(name);
    if (!row.metric || !others || row.outcome.kind !== "rate" || row.outcome.rate === 0) {
      kept.push(row);
      continue;
    }
    const [key] = row.metric.keys;
    const place = { file: row.files[0] };
    const asShare = isAmong(row.outcome.rate, others);
    const asPercent = isAmong(row.outcome.rate / 100, others);
    if (asShare && !asPercent) {
      notes.inform(
        "run.percent",
        `${row.id}: ${key} is read as shares of 0–1, though ${others.runs} other run(s) of its kind have percent: as percent it would be far below all of them.`,
        place,
      );
      kept.push(row);
    } else if (asPercent && !asShare) {
      notes.inform(
        "run.percent",
        `${row.id}: ${key} is read as percent, as it is written in ${others.runs} other run(s) of its kind.`,
        place,
      );
      kept.push({
        ...row,
        outcome: { ...row.outcome, rate: row.outcome.rate / 100 },
        metric: { ...row.metric, scale: "percent" },
        ...(row.curve && { curve: row.curve.map(({ step, rate }) => ({ step, rate: rate / 100 })) }),
        ...(row.base !== undefined && { base: row.base / 100 }),
      });
    } else {
      const { outcome, curve: _, metric, finalRule: __, ...rest } = row;
      const why = `${shownPercent(outcome.rate / 100)} or ${shownPercent(outcome.rate)}: other runs of its kind are written as percent, and both may be`;
      notes.warn("run.percent", `${row.id}: ${key} is ${why}. ${SAY_SCALE}.`, place);
      unmeasured.push({ ...rest, others: [{ keys: metric.keys, value: null, why: `${why}. ${SAY_SCALE}` }] });
    }
  }
  return { rows: kept, unmeasured };
}

/** How a user says what a scale is. */
const SAY_SCALE =
  "`scale: percent` in a run's run.json, or in scaling.yaml for all, says that it is percent, and `scale: [0, 1]` that it is shares";

/** How far from what others came to a value may be, as a factor. */
const FAR = 4;

/** The runs of a metric that are percent: how many, and what they had at any time, as shares. */
interface Others {
  readonly runs: number;
  readonly low: number;
  readonly high: number;
}

function withRun({ runs, low, high }: Others, { outcome, curve = [] }: RunRow): Others {
  const rates = [...(outcome.kind === "rate" ? [outcome.rate] : []), ...curve.map(({ rate }) => rate)];
  return { runs: runs + 1, low: rates.reduce(least, low), high: rates.reduce(most, high) };
}

const least = (a: number, b: number): number => Math.min(a, b);
const most = (a: number, b: number): number => Math.max(a, b);

/** Whether a share lies near what the others had. */
function isAmong(rate: number, { low, high }: Others): boolean {
  return rate >= low / FAR && rate <= Math.max(FAR * high, 0.1);
}

function shownPercent(rate: number): string {
  return `${Number((100 * rate).toPrecision(3))} %`;
}
