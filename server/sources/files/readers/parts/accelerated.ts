import { RUN_COLUMNS, STEP_COLUMNS } from "../../../../runs/columns";
import { type FoundFile, isPackedName } from "../../../../records/files";
import { factColumn, isAmount } from "../../../../runs/logFacts";
import type { ParquetKind } from "../../../../records/parquet";
import type { RecordFormat } from "../../../../records/recordTypes";
import { AcceleratorFailure, type ScanBatch } from "../../../../runs/options";
import { rises, RunMetrics } from "../../../../runs/series";
import type { ReadContext } from "../reader";
import type { SampledColumns } from "./sampled";

const NUMBERS: readonly ParquetKind[] = ["number", "float", "integer"];
const WORDS: readonly ParquetKind[] = ["text", "integer"];
const AMOUNTS: readonly ParquetKind[] = ["text", "integer", "number"];

/** Which columns are read, and what for. */
interface Plan {
  readonly step: string;
  readonly run: string | undefined;
  readonly wanted: readonly string[];
  readonly facts: readonly string[];
}

/**
 * Reads a large, clean file of flat rows through the accelerator; undefined where the plain reader must: a small or packed
 * file, nested rows, rows without a step or a run, a restart — or anything at all that the accelerator cannot read exactly.
 */
export async function scanFlat(
  format: RecordFormat,
  file: FoundFile,
  context: ReadContext,
  columns: SampledColumns,
): Promise<RunMetrics[] | undefined> {
  const { accelerator, signal, notes } = context;
  if (!accelerator || file.size < accelerator.worthwhile || isPackedName(file.name)) return undefined;
  const plan = planOf(format, columns, context);
  if (!plan) return undefined;
  const { step, run, wanted, facts } = plan;
  const scanned = new ScannedRuns(format, plan, columns, context);
  try {
    const required = run === undefined ? [step] : [step, run];
    const scan = accelerator.scan({
      uri: file.uri,
      size: file.size,
      format,
      numbers: [step, ...wanted],
      texts: [...(run === undefined ? [] : [run]), ...facts],
      anyOf: [...wanted, ...facts],
      required,
      step,
      signal,
    });
    for await (const batch of scan) {
      signal?.throwIfAborted();
      if (!scanned.take(batch)) return undefined;
    }
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof AcceleratorFailure)
      notes.inform("log.accelerator", `${error.message} The file was read again without ${accelerator.name}.`, {
        file: file.uri,
      });
    return undefined;
  }
  if (!scanned.isSound) return undefined;
  context.onBytes?.(file.size);
  return scanned.runs;
}

function planOf(format: RecordFormat, { names, kinds }: SampledColumns, context: ReadContext): Plan | undefined {
  // SQL does not tell names apart by their capitals, and an object has no field of that name.
  if (
    names.includes("__proto__") ||
    (format !== "jsonl" && new Set(names.map((name) => name.toLowerCase())).size < names.length)
  )
    return undefined;
  const present = new Set(names);
  const step = context.columns.first(present, "step", STEP_COLUMNS);
  const run = context.columns.first(present, "run", RUN_COLUMNS);
  const wanted = names.filter((name) => name !== step && context.wants(name) !== undefined);
  const facts = names.filter((name) => name !== run && factColumn(name, context.columns));
  // Evaluations that no sample has met may still be somewhere in the file.
  if (step === undefined || !wanted.some((name) => context.wants(name) === "evaluation")) return undefined;
  // Without a run column the plain reader tells runs by their constants.
  if (run === undefined && facts.length > 0) return undefined;
  const holds = (name: string, which: readonly ParquetKind[]) =>
    kinds === undefined || which.includes(kinds.get(name) ?? "other");
  if (![step, ...wanted].every((name) => holds(name, NUMBERS)) || (run !== undefined && !holds(run, WORDS)))
    return undefined;
  return facts.every((name) => holds(name, isAmount(name, context.columns) ? AMOUNTS : WORDS))
    ? { step, run, wanted, facts }
    : undefined;
}

/** Runs as batches give them, and whether the plain reader is sure to give the same. */
class ScannedRuns {
  readonly #runs = new Map<string, RunMetrics>();
  readonly #outcomes: readonly string[];

  constructor(
    private readonly format: RecordFormat,
    private readonly plan: Plan,
    private readonly columns: SampledColumns,
    private readonly context: ReadContext,
  ) {
    this.#outcomes = plan.wanted.map((key) => context.columns.outcomeName(key));
  }

  get runs(): RunMetrics[] {
    return [...this.#runs.values()];
  }

  /** False where only the plain reader knows what a row means. */
  take({ rows, numbers, texts }: ScanBatch): boolean {
    const { step, run, wanted, facts } = this.plan;
    const labels = run === undefined ? undefined : texts[run];
    if (labels && !this.#clear(labels.words, false)) return false;
    const owners = labels?.words.map((word) => this.#run(word));
    const stated = facts.map((name) => ({ name, ...texts[name] }));
    if (!stated.every(({ name, words }) => this.#clear(words, isAmount(name, this.context.columns)))) return false;
    const steps = numbers[step];
    const columns = wanted.map((key, i) => ({ name: this.#outcomes[i], values: numbers[key] }));
    for (let i = 0; i < rows; i++) {
      if (!Number.isFinite(steps[i]) || (labels && labels.codes[i] < 0)) return false;
      const metrics = labels && owners ? owners[labels.codes[i]] : this.#run("");
      for (const { name, words, codes } of stated)
        if (codes[i] >= 0 && words[codes[i]].trim() !== "") metrics.facts[name] ??= words[codes[i]];
      for (const { name, values } of columns) if (!Number.isNaN(values[i])) metrics.add(name, steps[i], values[i], 0);
    }
    return true;
  }

  /** A run without a success, or with one that needs a note with its line, is left to the plain reader. */
  get isSound(): boolean {
    const { run } = this.plan;
    for (const label of (run === undefined ? undefined : this.columns.runs?.get(run)) ?? [])
      if (!this.#runs.has(label)) return false;
    return (
      this.#runs.size > 0 &&
      this.runs.every(({ series }) => {
        const successes = series.get("successes");
        const trials = series.get("trials");
        const counts = trials && new Map(trials.steps.map((step, i) => [step, trials.values[i]]));
        if (successes && !successes.steps.every((step, i) => successes.values[i] <= (counts?.get(step) ?? 0)))
          return false;
        return (
          series.size > (trials ? 1 : 0) &&
          [...series].every(
            ([name, { steps, values }]) =>
              rises(steps) &&
              values.every((value) => value >= 0 && (value <= 1 || name === "successes" || name === "trials")),
          )
        );
      })
    );
  }

  #run(label: string): RunMetrics {
    let metrics = this.#runs.get(label);
    if (!metrics) {
      this.#runs.set(label, (metrics = new RunMetrics(this.context.wants)));
      if (label !== "") metrics.name = label;
      metrics.meet(this.columns.names);
    }
    return metrics;
  }

  /** Whether texts are what the plain reader would write: of a JSON value it makes `1` of 1.0, and no name of `true`. */
  #clear(words: readonly string[], amounts: boolean): boolean {
    if (this.format === "csv") return true;
    return words.every((word) => {
      if (/^(true$|false$|[[{]|-?(nan|inf))/i.test(word)) return false;
      const number = amounts || word.trim() === "" ? NaN : Number(word);
      return Number.isNaN(number) || String(number) === word;
    });
  }
}
