import { RUN_COLUMNS, STEP_COLUMNS } from "../columns";
import type { FoundFile } from "../files";
import { isObject, parseJson } from "../json";
import { factColumn } from "../logFacts";
import { parquetColumns } from "../parquet";
import type { RecordFormat } from "../recordTypes";
import { AcceleratorFailure } from "../options";
import { RunMetrics } from "../series";
import { headerOf, type ReadContext } from "./reader";

const SAMPLES = 16;
const SAMPLE_BYTES = 256 * 1024;

/**
 * Reads a large, clean file of flat rows through the accelerator; undefined where the plain reader must: a small or packed
 * file, nested rows, no step — or anything at all that the accelerator cannot read exactly.
 */
export async function scanFlat(format: RecordFormat, file: FoundFile, context: ReadContext, names: readonly string[]): Promise<RunMetrics[] | undefined> {
  const { accelerator, signal, notes } = context;
  if (!accelerator || file.size < accelerator.worthwhile || /\.gz$/i.test(file.name)) return undefined;
  const present = new Set(names);
  const step = context.columns.first(present, "step", STEP_COLUMNS);
  if (step === undefined) return undefined;
  const run = context.columns.first(present, "run", RUN_COLUMNS);
  const wanted = names.filter((name) => name !== step && context.wants(name) !== undefined);
  const facts = names.filter((name) => name !== run && factColumn(name, context.columns));
  // Without a run column the plain reader tells runs by their constants.
  if (wanted.length === 0 || (run === undefined && facts.length > 0)) return undefined;
  const runs = new Map<string, RunMetrics>();
  const runOf = (label: string) => {
    let metrics = runs.get(label);
    if (!metrics) {
      runs.set(label, (metrics = new RunMetrics(context.wants)));
      if (label !== "") metrics.name = label;
      metrics.meet(names);
    }
    return metrics;
  };
  try {
    const scan = accelerator.scan({ uri: file.uri, size: file.size, format, numbers: [step, ...wanted], texts: [...(run === undefined ? [] : [run]), ...facts], anyOf: [...wanted, ...facts], signal });
    for await (const batch of scan) {
      signal?.throwIfAborted();
      const labels = run === undefined ? undefined : batch.texts[run];
      const owners = labels?.words.map((word) => runOf(word));
      const steps = batch.numbers[step];
      const columns = wanted.map((key) => ({ name: context.columns.outcomeName(key), values: batch.numbers[key] }));
      for (let i = 0; i < batch.rows; i++) {
        const label = labels?.codes[i] ?? -1;
        const metrics = owners && label >= 0 ? owners[label] : runOf("");
        for (const fact of facts) {
          const { words, codes } = batch.texts[fact];
          if (codes[i] >= 0 && words[codes[i]] !== "") metrics.facts[fact] ??= words[codes[i]];
        }
        for (const { name, values } of columns) {
          if (Number.isNaN(values[i])) continue;
          if (!Number.isFinite(steps[i])) return undefined;
          metrics.add(name, steps[i], values[i], 0);
        }
      }
    }
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof AcceleratorFailure) notes.inform("log.accelerator", `${error.message} The file was read again without ${accelerator.name}.`, { file: file.uri });
    return undefined;
  }
  context.onBytes?.(file.size);
  return [...runs.values()];
}

/** Names of the columns; of JSON lines those of samples all over the file. Undefined where rows are not flat. */
export async function sampledColumns(format: RecordFormat, file: FoundFile, { host }: ReadContext): Promise<string[] | undefined> {
  if (format === "parquet") return (await parquetColumns(host, file))?.names;
  if (format === "csv") {
    const head = await host.readFile(file.uri, { end: SAMPLE_BYTES });
    const text = head && new TextDecoder().decode(head);
    const names = text?.includes("\n") ? headerOf(text) : undefined;
    return names && new Set(names).size === names.length ? names : undefined;
  }
  const names = new Set<string>();
  for (let i = 0; i < SAMPLES; i++) {
    const start = Math.floor((i / (SAMPLES - 1)) * Math.max(0, file.size - SAMPLE_BYTES));
    const bytes = await host.readFile(file.uri, { start, end: Math.min(file.size, start + SAMPLE_BYTES) });
    // The first and last line of a sample may be cut.
    for (const line of new TextDecoder().decode(bytes).split("\n").slice(start === 0 ? 0 : 1, -1)) {
      if (line.trim() === "") continue;
      const row = parseJson(line);
      if (!isObject(row)) return undefined;
      for (const key in row) {
        const value = row[key];
        if (typeof value === "object" && value !== null) return undefined;
        // DuckDB would write a run called 1.0 as it stands, JavaScript as 1.
        if (typeof value === "number" && !Number.isInteger(value) && (RUN_COLUMNS as readonly string[]).includes(key)) return undefined;
        names.add(key);
      }
    }
  }
  return [...names];
}
