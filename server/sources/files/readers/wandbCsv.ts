import type { FoundFile } from "../../../records/files";
import { toNumber } from "../../../records/json";
import { readRecords } from "../../../records/records";
import { recordFormat } from "../../../records/recordTypes";
import { RunMetrics } from "../../../runs/series";
import { headerOf, type LogReader, type ReadContext } from "./reader";

const X_AXIS = /^(Step|_step|step|.*global_step|Relative Time.*|Wall Time|.*\/step|training_step|epoch)$/;

interface CurveColumn {
  readonly column: string;
  readonly run: string;
  readonly metric: string;
}

/** `exp-1 - val/success_rate`; the columns `…__MIN` and `…__MAX` beside it repeat it or bound a group. */
function curveColumns(names: Iterable<string>): CurveColumn[] {
  const found: CurveColumn[] = [];
  for (const column of names) {
    const at = column.lastIndexOf(" - ");
    if (at <= 0 || /__(MIN|MAX)$/.test(column)) continue;
    const metric = column.slice(at + 3);
    if (metric === "_step" || metric === "") continue;
    // An export of a grouped chart says so before each name.
    found.push({ column, run: column.slice(0, at).replace(/^group:\s*/i, ""), metric });
  }
  return found;
}

/** A chart's CSV from Weights & Biases: the step, then one column per run and metric. */
export const wandbCsv: LogReader = {
  id: "wandb-csv-1",
  title: "a W&B chart export",
  parts: false,
  recognises(probe) {
    if (recordFormat(probe.file.name) !== "csv") return false;
    const names = headerOf(probe.text());
    return X_AXIS.test(names[0] ?? "") && curveColumns(names).length > 0;
  },
  async read(files, context) {
    const runs = new Map<string, RunMetrics>();
    for (const file of files) await readWide(file, context, runs);
    return [...runs.values()];
  },
};

async function readWide(file: FoundFile, context: ReadContext, runs: Map<string, RunMetrics>): Promise<void> {
  let columns: { run: RunMetrics; column: string; metric: string }[] | undefined;
  let axis = "";
  let rowsSeen = 0;
  await readRecords("csv", {
    host: context.host,
    file,
    notes: context.notes,
    signal: context.signal,
    onBytes: context.onBytes,
    onRecord(record, place) {
      rowsSeen++;
      if (!columns) {
        const names = Object.keys(record);
        axis = names[0];
        columns = curveColumns(names).map(({ run, metric, column }) => {
          let metrics = runs.get(run);
          if (!metrics) runs.set(run, (metrics = new RunMetrics(context.wants)));
          metrics.name = run;
          return { run: metrics, column, metric };
        });
        if (/time/i.test(axis))
          context.notes.inform(
            "log.no-step",
            `The chart was exported over ${axis}; the order of the lines counts as steps.`,
            { file: file.uri, line: 1 },
          );
      }
      const stated = toNumber(record[axis]);
      const step = /time/i.test(axis) ? rowsSeen : stated;
      if (step === undefined || !Number.isFinite(step)) {
        context.notes.error(
          "log.bad-step",
          `Line ${place.line}: the step ${JSON.stringify(record[axis])} is not a number; the line was left out.`,
          { file: file.uri, line: place.line, column: 1 },
        );
        return;
      }
      for (const { run, column, metric } of columns) {
        if (!run.wants(metric)) continue;
        const raw = record[column];
        if (raw === "" || raw === null || raw === undefined) continue;
        const value = toNumber(raw);
        if (value !== undefined) run.add(metric, step, value, place.line);
        else
          context.notes.warn(
            "log.bad-value",
            `Line ${place.line}, ${column}: ${JSON.stringify(raw).slice(0, 60)} is not a number; the value was left out.`,
            { file: file.uri, line: place.line, ...(place.column(column) ? { column: place.column(column) } : {}) },
          );
      }
    },
  });
}
