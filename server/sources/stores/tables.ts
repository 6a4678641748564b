import { type Interest, RunMetrics } from "../../runs/series";
import { FACTS, RUN_COLUMNS, STEP_COLUMNS } from "../../runs/columns";
import { sizeFromName } from "./mlflow";
import { batches, markOf, readMark, rowsBySeries, valueOf, type Wanted } from "./increments";
import { NumberColumn } from "./numbers";
import { literal, numberOf, tableName, textOf } from "./sql";
import { rowsOf, type Store, StoreProblem, type StoreContext, type StoredRun, type StorePlace } from "./store";

const NAME_COLUMNS = ["metric", "key", "name", "metric_name"];
const VALUE_COLUMNS = ["value", "metric_value"];
const TIME_COLUMNS = ["timestamp", "time", "_timestamp", "created_at", "logged_at"];

const firstOf = (columns: ReadonlyMap<string, string>, names: readonly string[]) =>
  names.find((name) => columns.has(name));

/**
 * A table of metric rows that the address names: `?runs=training.metrics`. Either long (run, step, metric, value) or wide (run,
 * step, and a column per metric); constant columns with the names of facts (`tasks`, `seed`, …) are facts of their run.
 */
export const metricTable: Store = {
  id: "metric-table-1",
  title: "a table of metrics",
  recognises: (_, { parameters }) => parameters.has("runs"),
  async runs(place, context) {
    const table = place.parameters.get("runs") ?? "";
    const columns = await columnsOf(table, place, context);
    if (columns.size === 0)
      throw new StoreProblem("store.no-table", `There is no table ${table}, or it may not be read.`);
    const [run, step] = [firstOf(columns, RUN_COLUMNS), firstOf(columns, STEP_COLUMNS)];
    if (run === undefined || step === undefined)
      throw new StoreProblem(
        "store.no-column",
        `${table} has no column for ${run === undefined ? `the run (${RUN_COLUMNS[0]}, ${RUN_COLUMNS[1]})` : `the step (${STEP_COLUMNS[0]}, ${STEP_COLUMNS[3]})`}. Columns: ${[...columns.keys()].slice(0, 20).join(", ")}.`,
      );
    const [name, value] = [firstOf(columns, NAME_COLUMNS), firstOf(columns, VALUE_COLUMNS)];
    const runs = new Runs(context);
    const source = { table, run, step, columns };
    if (name !== undefined && value !== undefined) await readLong({ ...source, name, value }, runs, place, context);
    else await readWide(source, runs, place, context);
    return runs.list();
  },
};

interface Source {
  readonly table: string;
  readonly run: string;
  readonly step: string;
  /** Their types by their names. */
  readonly columns: ReadonlyMap<string, string>;
}

/** Runs by name, in the order in which they are met. */
class Runs {
  readonly #runs = new Map<string, StoredRun>();
  constructor(readonly context: StoreContext) {}

  of(value: unknown): RunMetrics | undefined {
    const name = textOf(value);
    if (name === undefined) return undefined;
    let run = this.#runs.get(name);
    if (!run) {
      run = { id: name, name, metrics: new RunMetrics(this.context.wants), modified: 0 };
      run.metrics.name = name;
      this.#runs.set(name, run);
    }
    return run.metrics;
  }

  list(): StoredRun[] {
    return [...this.#runs.values()];
  }
}

async function readLong(
  { table, run, step, columns, name, value }: Source & { readonly name: string; readonly value: string },
  runs: Runs,
  place: StorePlace,
  context: StoreContext,
): Promise<void> {
  const { dialect } = place;
  const [from, id] = [tableName(dialect, table), (column: string) => dialect.id(column)];
  const facts = FACTS.filter((fact) => columns.has(fact));
  // Of values of one step the one that was written last counts.
  const time = TIME_COLUMNS.filter((column) => columns.has(column)).slice(0, 1);
  const marks = new Map<string, Wanted>();
  const wanted = new Set<string>();
  const sql = `SELECT ${id(run)} AS run, ${id(name)} AS name, ${facts.map((fact) => `MAX(${id(fact)}) AS ${id(`q_${fact}`)}, `).join("")}${markOf(place, step, [value], columns)} FROM ${from} GROUP BY ${id(run)}, ${id(name)} ORDER BY ${id(run)}, ${id(name)}`;
  for (const row of await rowsOf(context, place, sql)) {
    const [own, metric] = [textOf(row.run), textOf(row.name)];
    const metrics = runs.of(own);
    if (!metrics || own === undefined || metric === undefined) continue;
    metrics.meet([metric]);
    takeFacts(metrics, Object.fromEntries(facts.map((fact) => [fact, row[`q_${fact}`]])), facts);
    if (!context.wants(metric)) continue;
    wanted.add(metric);
    const where = [
      [id(run), valueOf(place, columns.get(run), own)],
      [id(name), literal(dialect, metric)],
    ] as const;
    marks.set(JSON.stringify([own, metric]), { where, mark: readMark(row) });
  }
  const [steps, values] = numberColumns(table, columns, [step, value]);
  const list = [...wanted].map((one) => literal(dialect, one));
  const rows = await rowsBySeries(marks, {
    kind: JSON.stringify([table, run, step, name, value]),
    place,
    context,
    step: id(step),
    summed: 1,
    async *ask(condition) {
      const conditions = condition === null ? batches(list).map((batch) => `${id(name)} IN (${batch})`) : [condition];
      for (const each of conditions) {
        const sql = `SELECT ${id(run)} AS run, ${id(name)} AS name, ${id(step)} AS step, ${id(value)} AS value FROM ${from} WHERE ${each} ORDER BY ${[run, name, step, ...time, value].map(id).join(", ")}`;
        for await (const row of context.query(place.uri, sql, context.signal)) {
          const metric = textOf(row.name) ?? "";
          const [at, number] = [steps.of(row.step), values.of(row.value, ofFigures(context.wants(metric)))];
          if (at !== undefined && number !== undefined) yield [JSON.stringify([textOf(row.run), metric]), [at, number]];
        }
      }
    },
  });
  for (const [series, points] of rows) {
    const [own, metric] = JSON.parse(series) as [string, string];
    for (const [at, number] of points) runs.of(own)!.add(metric, at!, number ?? NaN, 0);
  }
  for (const column of [steps, values]) column.tell(context.notes, place.uri);
}

/** Whether a run's outcome rests on values of this kind. */
const ofFigures = (interest: Interest) => interest === "evaluation" || interest === "training";

function numberColumns(table: string, columns: ReadonlyMap<string, string>, names: readonly string[]): NumberColumn[] {
  return names.map((name) => new NumberColumn(`${table}.${name}`, columns.get(name)));
}

async function readWide(
  { table, run, step, columns }: Source,
  runs: Runs,
  place: StorePlace,
  context: StoreContext,
): Promise<void> {
  const { dialect } = place;
  const id = (column: string) => dialect.id(column);
  const facts = FACTS.filter((fact) => columns.has(fact));
  const time = TIME_COLUMNS.filter((column) => columns.has(column)).slice(0, 1);
  const metrics = [...columns.keys()].filter(
    (column) => column !== run && column !== step && !facts.includes(column as never) && context.wants(column),
  );
  const others = [...columns.keys()].filter((column) => column !== run && column !== step);
  const steps = new NumberColumn(`${table}.${step}`, columns.get(step));
  const values = numberColumns(table, columns, metrics);
  const matter = metrics.map((metric) => ofFigures(context.wants(metric)));
  const from = tableName(dialect, table);
  const marks = new Map<string, Wanted>();
  const sql = `SELECT ${id(run)} AS run, ${facts.map((fact) => `MAX(${id(fact)}) AS ${id(`q_${fact}`)}, `).join("")}${markOf(place, step, metrics, columns)} FROM ${from} GROUP BY ${id(run)} ORDER BY ${id(run)}`;
  for (const row of await rowsOf(context, place, sql)) {
    const [name, own] = [textOf(row.run), runs.of(row.run)];
    if (!own || name === undefined) continue;
    own.meet(others);
    takeFacts(own, Object.fromEntries(facts.map((fact) => [fact, row[`q_${fact}`]])), facts);
    marks.set(name, { where: [[id(run), valueOf(place, columns.get(run), name)]], mark: readMark(row) });
  }
  const rows = await rowsBySeries(marks, {
    kind: JSON.stringify([table, run, step, metrics]),
    place,
    context,
    step: id(step),
    summed: metrics.length,
    async *ask(condition) {
      const where = condition === null ? "" : ` WHERE ${condition}`;
      const chosen = [run, step, ...metrics].map((column, i) => `${id(column)} AS c${i}`).join(", ");
      const sql = `SELECT ${chosen} FROM ${from}${where} ORDER BY ${[run, step, ...time, ...metrics].map(id).join(", ")}`;
      for await (const row of context.query(place.uri, sql, context.signal)) {
        const [name, at] = [textOf(row.c0), steps.of(row.c1)];
        if (name !== undefined && at !== undefined)
          yield [name, [at, ...metrics.map((_, i) => values[i].of(row[`c${2 + i}`], matter[i]) ?? null)]];
      }
    },
  });
  for (const [name, points] of rows) {
    const own = runs.of(name)!;
    for (const [at, ...numbers] of points) {
      own.reach(at!);
      numbers.forEach((number, i) => number !== null && own.add(metrics[i], at!, number, 0));
    }
  }
  for (const column of [steps, ...values]) column.tell(context.notes, place.uri);
}

function takeFacts(metrics: RunMetrics, row: Readonly<Record<string, unknown>>, facts: readonly string[]): void {
  for (const fact of facts) {
    const value = row[fact];
    const number = numberOf(value);
    if (number !== undefined) metrics.facts[fact] ??= number;
    else if (typeof value === "string" && value !== "") metrics.facts[fact] ??= value;
  }
  sizeFromName(metrics);
}

/** Types of a table's columns by their names; none where there is no such table. */
export async function columnsOf(
  table: string,
  place: StorePlace,
  context: Pick<StoreContext, "query" | "signal">,
): Promise<Map<string, string>> {
  const { dialect } = place;
  const [name, schema] = table.split(".").reverse();
  const text = (value: string) => literal(dialect, value);
  const sql =
    dialect.name === "sqlite"
      ? `SELECT name AS name, type AS type FROM pragma_table_info(${text(name)})`
      : dialect.name === "clickhouse"
        ? `SELECT name AS name, type AS type FROM system.columns WHERE table = ${text(name)} AND database = ${schema === undefined ? "currentDatabase()" : text(schema)}`
        : `SELECT column_name AS name, data_type AS type FROM information_schema.columns WHERE table_name = ${text(name)}${schema === undefined ? "" : ` AND table_schema = ${text(schema)}`}`;
  const found = await rowsOf(context, place, sql);
  return new Map(found.flatMap((row) => [[textOf(row.name) ?? "", textOf(row.type) ?? ""] as const]));
}
