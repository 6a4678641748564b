import { ReadFault } from "../../../../records/bytes";
import { RUN_COLUMNS, STEP_COLUMNS } from "../../../../runs/columns";
import type { FoundFile } from "../../../../records/files";
import { flatten, isObject, type JsonObject, toNumber } from "../../../../records/json";
import { readRecords } from "../../../../records/records";
import type { RecordFormat } from "../../../../records/recordTypes";
import { RunMetrics } from "../../../../runs/series";
import { type RowShape, RowShapes } from "./rowShapes";
import { scanFlat } from "./accelerated";
import type { ReadContext } from "../reader";
import { sampledColumns } from "./sampled";

/** Turns a record as it stands in the file into a flat row; undefined leaves it out. */
export type Unwrap = (record: JsonObject) => JsonObject | undefined;

/** Nested records flattened; a `metrics` or `data` object counts as the row itself. */
export function unwrapRow(record: JsonObject): JsonObject {
  for (const key in record) {
    if (!isObject(record[key])) continue;
    const { metrics, data, ...rest } = record;
    return flatten({
      ...rest,
      ...(isObject(metrics) ? metrics : metrics === undefined ? {} : { metrics }),
      ...(isObject(data) ? data : data === undefined ? {} : { data }),
    });
  }
  return record;
}

/** Collects flat rows into runs: by their run column, where they have one. */
export class FlatRows {
  readonly #runs = new Map<string, RunMetrics>();
  readonly #context: ReadContext;
  readonly #shapes: RowShapes;
  #runColumn: string | undefined;
  #stepColumn: string | undefined;
  /** Rows with metrics that came before any step was stated, and the first of them. */
  #stepless = 0;
  #firstStepless: { readonly file: string; readonly line: number } | undefined;
  /** Those that the run column names. */
  readonly #named = new Set<string>();
  readonly #looked = new WeakSet<RowShape>();
  #badStep = false;
  /** Whether each step so far was above the one before it. */
  #rising = true;
  #lastStep = -Infinity;
  /** The constants stated last: rows that state none belong to the same run. */
  #label = "";

  constructor(context: ReadContext) {
    this.#context = context;
    this.#shapes = new RowShapes(context);
  }

  get isEndless(): boolean {
    return this.#shapes.isEndless;
  }

  /** The runs collected. Without a run column, rows of other axes or another seed are another run. */
  get runs(): RunMetrics[] {
    if (this.#firstStepless && !this.#stepColumn)
      this.#context.notes.inform(
        "log.no-step",
        `No step is stated (looked for ${STEP_COLUMNS.slice(0, 4).join(", ")}); the order of the lines counts as steps.`,
        this.#firstStepless,
      );
    const runs = [...this.#runs.values()];
    const counted = this.#firstStepless && !this.#stepColumn ? "lines" : unitOf(this.#stepColumn);
    if (counted !== undefined) for (const run of runs) run.countedBy = counted;
    if (runs.length < 2) return runs;
    if (this.#runColumn) {
      // Rows that name no run, and hold no metric, are headings of the file.
      const named = [...this.#runs].filter(([label, { series }]) => this.#named.has(label) || series.size > 0);
      return named.length > 0 ? named.map(([, run]) => run) : runs;
    }
    // One log whose constants change as it goes on is still one log: only its constants are in doubt.
    if (this.#rising || (runs.length === 2 && this.#runs.has(""))) return [joinedRuns(runs, this.#context)];
    this.#context.notes.inform(
      "log.by-axes",
      `There is no run column; the ${runs.length} groups of rows with the same axes, setting and seed count as a run each.`,
    );
    return runs;
  }

  /** Lets go of rows that came without a step. */
  forgetStepless(): void {
    if (this.#stepless === 0 || this.#stepColumn) return;
    this.#stepless = 0;
    this.#firstStepless = undefined;
    this.#lastStep = -Infinity;
    for (const run of this.#runs.values()) run.forget();
  }

  run(name: string): RunMetrics {
    let run = this.#runs.get(name);
    if (!run) {
      this.#runs.set(name, (run = new RunMetrics(this.#context.wants)));
      if (name !== "") run.name = name;
    }
    return run;
  }

  #runNamed(label: string): RunMetrics {
    if (label !== "") this.#named.add(label);
    return this.run(label);
  }

  add(row: JsonObject, line: number, file: FoundFile, column?: (field: string) => number | undefined): void {
    const shape = this.#shapes.of(row);
    if (!this.#stepColumn || !this.#runColumn) this.#findColumns(shape);
    const label = this.#runColumn ? row[this.#runColumn] : undefined;
    const run =
      typeof label === "string" || typeof label === "number"
        ? this.#runNamed(String(label))
        : this.run(this.#runColumn ? "" : (this.#label = constants(row, shape) || this.#label));
    run.meet(shape.keys);
    for (const key of shape.facts) {
      const value = row[key];
      if ((typeof value === "string" && value.trim() !== "") || typeof value === "number") run.facts[key] ??= value;
    }
    let step: number | undefined;
    if (this.#stepColumn) {
      step = toNumber(row[this.#stepColumn]);
      if (step === undefined || !Number.isFinite(step)) {
        // A summary row without a step is usual in mixed logs; one with a metric and a step that is no number is not.
        const present = row[this.#stepColumn];
        if (present !== undefined && present !== null && present !== "") {
          const at = column?.(this.#stepColumn);
          this.#context.notes.error(
            "log.bad-step",
            `Line ${line}: the step ${JSON.stringify(present)} is not a number; the line was left out.`,
            { file: file.uri, line, ...(at ? { column: at } : {}) },
          );
          return;
        }
        if (!this.#badStep && this.#measures(run, row, shape)) this.#noStep(line, file.uri);
        return;
      }
    } else {
      // A heading without a metric is no step.
      if (!this.#measures(run, row, shape)) return;
      step = ++this.#stepless;
      this.#firstStepless ??= { file: file.uri, line };
    }
    if (!this.#context.sparse) run.reach(step);
    if (step <= this.#lastStep) this.#rising = false;
    this.#lastStep = step;
    this.#values(run, row, shape, step, line, file, column);
  }

  #measures(run: RunMetrics, row: JsonObject, { metrics }: RowShape): boolean {
    return metrics.some((key) => run.wants(key) && toNumber(row[key]) !== undefined);
  }

  #noStep(line: number, file: string): void {
    this.#badStep = true;
    this.#context.notes.inform(
      "log.no-step",
      `Line ${line} has metrics and no ${this.#stepColumn}; such lines were left out.`,
      { file, line },
    );
  }

  #values(
    run: RunMetrics,
    row: JsonObject,
    { metrics }: RowShape,
    step: number,
    line: number,
    file: FoundFile,
    column?: (field: string) => number | undefined,
  ): void {
    for (const key of metrics) {
      if (key === this.#stepColumn || key === this.#runColumn || !run.wants(key)) continue;
      const raw = row[key];
      const value = toNumber(raw) ?? truthOf(raw);
      if (value !== undefined) run.add(this.#context.columns.outcomeName(key), step, value, line);
      else if (typeof raw === "string" && raw.trim() !== "" && !/^\s*(na|n\/a|null|none|-)\s*$/i.test(raw)) {
        const at = column?.(key);
        this.#context.notes.warn(
          "log.bad-value",
          `Line ${line}, ${key}: “${raw.slice(0, 40)}” is not a number; the value was left out.`,
          { file: file.uri, line, ...(at ? { column: at } : {}) },
        );
      }
    }
  }

  /** The first rows need not have them: a log may begin with a heading. */
  #findColumns(shape: RowShape): void {
    if (this.#looked.has(shape)) return;
    this.#looked.add(shape);
    const present = new Set(shape.keys);
    this.#runColumn ??= this.#context.columns.first(present, "run", RUN_COLUMNS);
    if (this.#stepColumn) return;
    this.#stepColumn = this.#context.columns.first(present, "step", STEP_COLUMNS);
    if (!this.#stepColumn || !this.#firstStepless) return;
    // Lines without a step are left out wherever they stand.
    for (const run of this.#runs.values()) run.forget();
    this.#noStep(this.#firstStepless.line, this.#firstStepless.file);
  }
}

/** What a step column counts by its name, where that is not training steps. */
function unitOf(column: string | undefined): string | undefined {
  return /(?:^|[/_. -])(episode|epoch|sample|rollout|token|frame|timestep|env_step|second)s?$/i
    .exec(column ?? "")?.[1]
    .toLowerCase();
}

/** `True` and `False`, as pandas writes them into a CSV. */
function truthOf(value: unknown): number | undefined {
  return value === "True" || value === "true" ? 1 : value === "False" || value === "false" ? 0 : undefined;
}

/** What a row says of its run, as the run's name. */
function constants(row: JsonObject, { facts }: RowShape): string {
  let label = "";
  for (const key of facts) {
    const value = row[key];
    if (value !== null && value !== "" && typeof value !== "object")
      label += `${label === "" ? "" : ", "}${key} ${String(value)}`;
  }
  return label;
}

function joinedRuns(runs: readonly RunMetrics[], context: ReadContext): RunMetrics {
  const whole = new RunMetrics(context.wants);
  const points = runs
    .flatMap((run) =>
      [...run.series].flatMap(([key, { steps, values, lines }]) =>
        steps.map((step, i) => ({ key, step, value: values[i], line: lines[i] })),
      ),
    )
    .sort((a, b) => a.step - b.step);
  for (const { key, step, value, line } of points) whole.add(key, step, value, line);
  for (const run of runs) {
    for (const name of run.names) whole.names.add(name);
    whole.nonFinite += run.nonFinite;
    whole.firstNonFinite ??= run.firstNonFinite;
    whole.told(run);
  }
  const changing = new Set<string>();
  for (const run of runs) {
    for (const [key, value] of Object.entries(run.facts)) {
      whole.facts[key] ??= value;
      if (whole.facts[key] !== value) changing.add(key);
    }
  }
  for (const key of changing) delete whole.facts[key];
  if (changing.size === 0) return whole;
  context.notes.warn(
    "log.facts-change",
    `${[...changing].join(", ")} change in the course of the log and count as unknown.`,
  );
  return whole;
}

/** From here on a file is many runs in one, and only what a run's value needs is kept of it. */
const LARGE = 64 * 1024 * 1024;

/** Reads files of flat rows, plainly or — where one is large and clean — through the accelerator. */
export async function readFlat(
  format: RecordFormat,
  files: readonly FoundFile[],
  context: ReadContext,
  unwrap: Unwrap = unwrapRow,
): Promise<RunMetrics[]> {
  let within = context;
  if (unwrap === unwrapRow && files.length === 1 && files[0].size >= LARGE) {
    const sampled = await sampledColumns(format, files[0], context);
    within = narrowed(context, sampled?.names ?? [], files[0]);
    const fast = sampled && (await scanFlat(format, files[0], within, sampled));
    if (fast) return fast;
  }
  const rows = new FlatRows(within);
  for (const file of files) {
    await readRecords(format, {
      host: context.host,
      file,
      notes: context.notes,
      signal: context.signal,
      onBytes: context.onBytes,
      onRecord(record, place) {
        const row = place.flat && unwrap === unwrapRow ? record : unwrap(record);
        if (row) rows.add(row, place.line, file, (field) => place.column(field));
        if (rows.isEndless)
          throw new ReadFault(
            "log.names",
            `There are ever new names of metrics, more than a hundred thousand by line ${place.line}; the rest of the file was left out.`,
          );
      },
    });
  }
  return rows.runs;
}

/**
 * Of a large file only the success metric (the evaluations, where there are any) and the runs' facts are kept: memory stays
 * bounded, and the accelerator gives the same. Tokens and times then count as unknown, which a note says.
 */
function narrowed(context: ReadContext, names: readonly string[], file: FoundFile): ReadContext {
  const kinds = new Set(names.map((name) => context.wants(name)));
  const evaluated = kinds.has("evaluation");
  if (!evaluated && !kinds.has("training")) return context;
  if (kinds.size > 2)
    context.notes.inform(
      "log.large",
      `A file of more than ${LARGE / 1024 / 1024} MB: only its success metrics (${evaluated ? "evaluation" : "training"}) were read; its tokens and times count as unknown.`,
      { file: file.uri },
    );
  // Where no sample has met an evaluation there may still be some: the training rollouts must not stand in for them.
  const isKept = (key: string) =>
    context.wants(key) === "evaluation" ||
    (!evaluated && context.wants(key) === "training") ||
    context.columns.outcomeName(key).toLowerCase() === "trials";
  return { ...context, sparse: true, wants: (key) => (isKept(key) ? context.wants(key) : undefined) };
}
