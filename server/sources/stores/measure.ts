import type { Notes } from "../../records/notes";
import { ROLLOUT_NAMES, type RolloutField } from "../../rollouts/fields";
import type { PassRates, RolloutMeasure } from "../../rollouts/types";
import type { StoreQuery } from "../../runs/options";
import { numberOf, tableName, textOf } from "./sql";
import { rowsOf, storePlace, type StorePlace } from "./store";
import { columnsOf } from "./tables";

/** Tasks and environments that are named in the lists of the never and always solved. */
const MOST_NAMED = 1000;

interface Question {
  readonly query: StoreQuery | undefined;
  readonly notes: Notes;
  readonly columns?: Readonly<Record<string, string>>;
  /** Reward from which a rollout counts as solved, where the rows state no success. */
  readonly solvedAt: number;
  readonly signal?: AbortSignal;
}

/**
 * Measures a table of rollouts where it is: the store counts, and a dozen numbers travel. Tasks are told apart by their exact
 * text (case and spacing aside) or, without one, by their id. What is wrong is in the notes.
 */
export async function measureStore(
  uri: string,
  question: Question,
): Promise<Omit<RolloutMeasure, "files" | "notes"> | null> {
  const { notes, query, signal } = question;
  const place = storePlace(uri);
  const fail = (code: string, message: string) => {
    notes.error(code, message, { file: uri });
    return null;
  };
  if (typeof place === "string") return fail("store.password", place);
  if (!query)
    return fail("store.not-here", "Stores are read in a trusted workspace on this machine, not in a browser.");
  const table = place.parameters.get("rollouts");
  if (table === undefined) return fail("store.no-table", "Name the table of rollouts: ?rollouts=TABLE.");
  try {
    const there = await columnsOf(table, place, { query, signal });
    if (there.size === 0) return fail("store.no-table", `There is no table ${table}, or it may not be read.`);
    return await counted(new Statements(table, there, place, question), question);
  } catch (error) {
    signal?.throwIfAborted();
    return fail(
      "store.failed",
      `The store could not be read: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

/** The statements of one measure: the same text for every engine but for what its dialect states. */
class Statements {
  readonly from: string;
  readonly task: string | null;
  readonly environment: string | null;
  readonly world: string | null;
  readonly reward: string | null;
  readonly solved: string | null;
  readonly group: string | null;
  readonly step: string | null;

  constructor(
    table: string,
    readonly there: ReadonlyMap<string, string>,
    readonly place: StorePlace,
    { columns = {}, solvedAt }: Question,
  ) {
    const { dialect } = place;
    const column = (field: RolloutField): string | null => {
      const name = columns[field] ?? ROLLOUT_NAMES[field].find((one) => there.has(one));
      return name === undefined || !there.has(name) ? null : dialect.id(name);
    };
    this.from = tableName(dialect, table);
    const [text, id] = [column("task"), column("task_id")];
    this.task = text !== null ? dialect.normalised(text) : id;
    const [environment, world] = [column("environment"), column("world")];
    this.world = world;
    this.environment = environment;
    this.reward = column("reward");
    const success = column("success");
    this.solved =
      success ?? (this.reward === null ? null : `CASE WHEN ${this.reward} >= ${solvedAt} THEN 1 ELSE 0 END`);
    this.group = column("group") ?? this.task;
    this.step = column("step");
  }

  /** Columns that tell environments apart. */
  get environments(): string[] {
    return [this.world, this.environment].filter((name) => name !== null);
  }
}

/** A subquery with a name, which Postgres wants. Names of ours begin with q_: ClickHouse takes an alias for the column of that name. */
const within = (sql: string) => `(${sql}) q`;

async function counted(s: Statements, question: Question): Promise<Omit<RolloutMeasure, "files" | "notes">> {
  const one = async (sql: string): Promise<Readonly<Record<string, unknown>>> =>
    (await rowsOf({ query: question.query!, signal: question.signal }, s.place, sql))[0] ?? {};
  const total = async (sql: string) => numberOf((await one(sql)).n) ?? 0;
  const distinct = (columns: readonly string[]) =>
    total(
      `SELECT COUNT(*) AS n FROM ${within(`SELECT DISTINCT ${columns.map((column, i) => `${column} AS q_${i}`).join(", ")} FROM ${s.from}`)}`,
    );

  const rollouts = await total(`SELECT COUNT(*) AS n FROM ${s.from}`);
  const tasks = s.task === null ? null : await distinct([s.task]);
  const environments = s.environments.length === 0 ? null : await distinct(s.environments);
  const worlds = s.world === null ? null : await distinct([s.world]);
  const coveredCells = s.task === null ? null : await distinct([s.task, ...s.environments]);
  const passRates = s.task === null || s.solved === null ? null : await passRatesOf(s, one);
  const unknown = (what: string) => `${s.place.parameters.get("rollouts")} has no column for ${what}`;
  return {
    rollouts,
    tasks,
    environments,
    worlds,
    structures: null,
    trajectories: coveredCells ? rollouts / coveredCells : null,
    coveredCells,
    coverage: coveredCells && tasks && environments ? coveredCells / (tasks * environments) : null,
    rewardDensity: null,
    duplicates: { rule: "exact", threshold: 0, pairs: 0, complete: false, exact: true },
    reasons: {
      structures: "the store's rows are not read for tools, states and verifiers",
      rewardDensity: "the store's rows are not read for rewards by step",
      ...(tasks === null
        ? {
            tasks: unknown("the task"),
            trajectories: unknown("the task"),
            coveredCells: unknown("the task"),
            coverage: unknown("the task"),
          }
        : {}),
      ...(environments === null
        ? { environments: unknown("the environment"), coverage: unknown("the environment") }
        : {}),
      ...(worlds === null ? { worlds: unknown("the world") } : {}),
      ...(passRates === null ? { passRates: unknown("a reward") } : {}),
    },
    synthesis: {},
    passRates,
    neverSolved: {
      tasks: await named(s, question, s.task, "MAX", 0),
      environments: await named(s, question, s.environment, "MAX", 0),
    },
    alwaysSolved: {
      tasks: await named(s, question, s.task, "MIN", 1),
      environments: await named(s, question, s.environment, "MIN", 1),
    },
  };
}

async function passRatesOf(
  s: Statements,
  one: (sql: string) => Promise<Readonly<Record<string, unknown>>>,
): Promise<PassRates> {
  // Integers only: sums of them are the same on every engine.
  const byTask = `SELECT ${s.task} AS q_task, SUM(${whole(s)}) AS q_solved, COUNT(*) AS q_n FROM ${s.from} GROUP BY ${s.task}`;
  // ⌈10·solved/n⌉ in whole numbers; 0 and n stand apart.
  const bins = Array.from({ length: 12 }, (_, i) =>
    i === 0
      ? "SUM(CASE WHEN q_solved = 0 THEN 1 ELSE 0 END) AS b0"
      : i === 11
        ? "SUM(CASE WHEN q_solved = q_n THEN 1 ELSE 0 END) AS b11"
        : `SUM(CASE WHEN q_solved > 0 AND q_solved < q_n AND 10 * q_solved > ${i - 1} * q_n AND 10 * q_solved <= ${i} * q_n THEN 1 ELSE 0 END) AS b${i}`,
  );
  const histogram = await one(`SELECT ${bins.join(", ")} FROM ${within(byTask)}`);
  const keys = [...new Set([s.step, s.group].filter((key) => key !== null))];
  const value = s.reward ?? whole(s);
  const groups = `SELECT COUNT(*) AS q_size, CASE WHEN MIN(${value}) = MAX(${value}) THEN 1 ELSE 0 END AS q_same FROM ${s.from} GROUP BY ${keys.join(", ")}`;
  const many = await one(
    `SELECT COUNT(*) AS n, SUM(q_same) AS alike, SUM(q_size) AS total FROM ${within(groups)} WHERE q_size >= 2`,
  );
  const [count, same, size] = [numberOf(many.n) ?? 0, numberOf(many.alike) ?? 0, numberOf(many.total) ?? 0];
  const edge = (i: number) => Math.round(i * 10) / 100;
  return {
    groups: count,
    withoutSignal: same,
    shareWithoutSignal: count > 0 ? same / count : null,
    meanGroupSize: count > 0 ? size / count : null,
    histogram: bins.map((_, i) => ({
      from: i === 0 ? 0 : i === 11 ? 1 : edge(i - 1),
      to: i === 0 ? 0 : i === 11 ? 1 : edge(i),
      tasks: numberOf(histogram[`b${i}`]) ?? 0,
    })),
  };
}

/** Success as 0 or 1. */
const whole = (s: Statements) =>
  `CASE WHEN ${s.solved} = ${s.place.dialect.name === "postgres" && s.solved && !s.solved.startsWith("CASE") ? "TRUE" : 1} THEN 1 ELSE 0 END`;

/** Those of which the best (or worst) rollout is `worth`; the first of them by name. */
async function named(
  s: Statements,
  question: Question,
  key: string | null,
  best: "MAX" | "MIN",
  worth: number,
): Promise<string[]> {
  if (key === null || s.solved === null) return [];
  const sql = `SELECT ${key} AS q_name FROM ${s.from} GROUP BY ${key} HAVING ${best}(${whole(s)}) = ${worth} ORDER BY q_name LIMIT ${MOST_NAMED}`;
  const rows = await rowsOf({ query: question.query!, signal: question.signal }, s.place, sql);
  return rows.flatMap((row) => textOf(row.q_name) ?? []);
}
