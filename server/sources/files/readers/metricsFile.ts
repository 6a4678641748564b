import { readFirstLines } from "../../../records/bytes";
import { Columns, FACTS, STEP_COLUMNS } from "../../../runs/columns";
import type { FoundFile } from "../../../records/files";
import { parquetColumns } from "../../../records/parquet";
import { recordFormat } from "../../../records/recordTypes";
import { readFlat } from "./parts/flat";
import { type LogReader, Probe, type ReadContext } from "./reader";

/**
 * Flat rows of metrics, one logged step a row: `metrics.jsonl` of prime-rl and tinker, ART's `history.jsonl`, the plain
 * layout's `metrics.csv`, long exports with a run column, and Parquet of the same.
 */
export const metricsFile: LogReader = {
  id: "metrics-1",
  title: "a metrics file",
  parts: false,
  recognises(probe) {
    const format = recordFormat(probe.file.name);
    if (!format) return false;
    const columns = probe.columns();
    if (/^(metrics|history|wandb-history|progress)\.(jsonl|csv)$/.test(probe.name)) return true;
    const step = PLAIN.first(
      columns,
      "step",
      STEP_COLUMNS.filter((name) => name !== "episode"),
    );
    return step !== undefined && numericColumns(probe.objects(2), columns, format) >= 2;
  },
  async read(files, context) {
    const format = recordFormat(files[0].name) ?? (await formatOf(files[0], context));
    return readFlat(format, files, await within(files, context));
  },
};

const PLAIN = new Columns();

/** The format of a file that is a log by its mapped columns, whatever it is called. */
async function formatOf(file: FoundFile, { host }: ReadContext): Promise<"jsonl" | "csv"> {
  return new Probe(file, await readFirstLines(host, file.uri)).text().trimStart().startsWith("{") ? "jsonl" : "csv";
}

/**
 * The reading with columns found in other capitals too, where these files lack them as they are usually written. Of metrics
 * that is decided when one is chosen: an exact name of another metric comes first.
 */
async function within(files: readonly FoundFile[], context: ReadContext): Promise<ReadContext> {
  const present = new Set<string>();
  for (const file of files) {
    const parquet = recordFormat(file.name) === "parquet";
    const head = parquet ? new Uint8Array() : await readFirstLines(context.host, file.uri);
    const names = parquet ? (await parquetColumns(context.host, file))?.names : undefined;
    const probe = new Probe(file, head, names);
    const isOdd = recordFormat(file.name) === undefined && context.columns.isMapped(probe.header());
    for (const name of isOdd ? probe.header() : probe.columns()) present.add(name);
  }
  const columns = context.columns.within(present, FACTS);
  return columns === context.columns
    ? context
    : { ...context, columns, wants: (key) => context.wants(columns.outcomeName(key)) };
}

/** A rollout dump also has a step, beside texts: metrics rows are numbers for the most part. */
function numericColumns(
  objects: readonly Record<string, unknown>[],
  columns: ReadonlySet<string>,
  format: string,
): number {
  const texts = ["input", "output", "prompt", "completion", "messages", "trajectory", "response"].filter((name) =>
    columns.has(name),
  ).length;
  if (texts >= 2 || (texts >= 1 && (columns.has("score") || columns.has("reward")))) return 0;
  if (format !== "jsonl") return columns.size;
  return Math.max(
    0,
    ...objects.map(
      (object) =>
        Object.values(object).filter(
          (value) => typeof value === "number" || (typeof value === "object" && value !== null),
        ).length,
    ),
  );
}
