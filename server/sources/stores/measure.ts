import { shownSource } from "../../host";
import { exactDuplicates } from "../../rollouts/duplicates";
import { summarise } from "../../rollouts/summary";
import { Tally } from "../../rollouts/tally";
import type { PassRates, RolloutMeasure } from "../../rollouts/types";
import type { RolloutQuestion } from "../source";
import { type Asking, within } from "./asking";
import { NO_REPEATS, type Repeats, repeatsAmong, tasksToCompare } from "./repeats";
import { numberOf, textOf } from "./sql";
import { Expressions } from "./statements";
import { rowsOf, storePlace, StoreProblem } from "./store";
import { columnsOf } from "./tables";

type Measured = Omit<RolloutMeasure, "files" | "notes">;
/**
 * Measures a table of rollouts where it is: the store counts, and what travels is a row a task at most. Null where it cannot be
 * read; what is wrong is in the notes.
 */
export async function measureStore(uri: string, question: RolloutQuestion): Promise<Measured | null> {
  const { notes, query, signal } = question;
  const place = storePlace(uri);
  const fail = (code: string, message: string) => {
    notes.error(code, message, { file: uri });
    return null;
  };
  if (typeof place === "string") {
    notes.error("store.password", place, { file: shownSource(uri) });
    return null;
  }
  if (!query)
    return fail("store.not-here", "Stores are read in a trusted workspace on this machine, not in a browser.");
  const table = place.parameters.get("rollouts");
  if (table === undefined) return fail("store.no-table", "Name the table of rollouts: ?rollouts=TABLE.");
  try {
    const there = await columnsOf(table, place, { query, signal });
    if (there.size === 0)
      throw new StoreProblem("store.no-table", `There is no table ${table}, or it may not be read.`);
    const rows = (sql: string) => rowsOf({ query, signal }, place, sql);
    const one = async (sql: string) => {
      const [row = {}] = await rows(sql);
      return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, numberOf(value) ?? 0]));
    };
    const asking = { s: new Expressions(table, there, place, question), place, question, rows, one };
    const totals = await totalsOf(asking);
    if (totals.q_n === 0) return summarise(new Tally(1, false), exactDuplicates([]));
    const isShort = totals.q_length <= SHORT * totals.q_n;
    const plain = isShort ? { ...asking, s: new Expressions(table, there, place, question, "text") } : asking;
    const tasks = await tasksToCompare(plain, isShort);
    // The store counts the rest while the texts are compared here.
    const [repeats, others] = await Promise.all([tasks && repeatsAmong(tasks, plain), withoutTasks(plain, totals)]);
    const s = tasks ? plain.s : new Expressions(table, there, place, question, "normalised");
    return await counted(table, { ...asking, s }, { totals, others, repeats: repeats ?? NO_REPEATS });
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof StoreProblem) return fail(error.code, error.message);
    const why = error instanceof Error ? error.message : String(error);
    return fail("store.failed", `The store could not be read: ${why}`);
  }
}

/** Texts of tasks up to this many characters on average may travel before they are counted. */
const SHORT = 640;

type Totals = Readonly<Record<string, number>>;

const nowhereOf = (s: Expressions) =>
  s.place.length === 0 ? null : s.place.map((one) => `${one} IS NULL`).join(" AND ");

/** How many rollouts there are, how many of them do not state what, and the characters of the texts of their tasks. */
function totalsOf({ s, one }: Asking): Promise<Totals> {
  const absent = (name: string, expression: string | null) =>
    `SUM(CASE WHEN ${expression ?? "NULL"} IS NULL THEN 1 ELSE 0 END) AS ${name}`;
  return one(
    `SELECT COUNT(*) AS q_n, ${absent("q_id", s.taskId)}, ${absent("q_text", s.taskText)}, ${absent("q_world", s.world)}, ${absent("q_signal", s.value)}, SUM(CASE WHEN ${nowhereOf(s) ?? "1 = 1"} THEN 1 ELSE 0 END) AS q_place, SUM(${s.taskText === null ? "0" : `LENGTH(${s.taskText})`}) AS q_length FROM ${s.from}`,
  );
}

async function distinct({ s, one }: Asking, columns: readonly string[]): Promise<number> {
  const chosen = columns.map((column, i) => `${column} AS q_${i}`).join(", ");
  return (await one(`SELECT COUNT(*) AS q_n FROM ${within(`SELECT DISTINCT ${chosen} FROM ${s.from}`)}`)).q_n;
}

/** What does not depend on which tasks are the same. */
async function withoutTasks(asking: Asking, totals: Totals) {
  const { s } = asking;
  return {
    environments: s.place.length > 0 && totals.q_place === 0 ? await distinct(asking, s.place) : null,
    worlds: s.world !== null && totals.q_world === 0 ? await distinct(asking, [s.world]) : null,
    rewardDensity: await densityOf(asking),
    neverSolved: await solvedPlaces(asking, "MAX", 0),
    alwaysSolved: await solvedPlaces(asking, "MIN", 1),
  };
}

interface Known {
  readonly totals: Totals;
  readonly others: Awaited<ReturnType<typeof withoutTasks>>;
  readonly repeats: Repeats;
}

async function counted(table: string, asking: Asking, { totals, others, repeats }: Known): Promise<Measured> {
  const { s, place, question } = asking;
  const { q_n: rollouts } = totals;
  const reasons: { -readonly [K in keyof RolloutMeasure["reasons"]]: string } = {};
  /** Whether every rollout states it; the reason is kept where one does not. */
  const stated = (what: keyof typeof reasons, count: number, name: string, isThere: boolean) => {
    if (isThere && count === 0) return true;
    reasons[what] = !isThere
      ? `${table} has no column for ${name}`
      : count === rollouts
        ? `no rollout states ${name}`
        : `${count} of ${rollouts} rollouts state no ${name.replace(/^(its|a|an|the) /, "")}`;
    return false;
  };
  const unnamed = s.task !== null && s.task === s.taskId ? totals.q_id : totals.q_text;
  const hasTasks = stated("tasks", unnamed, "its task", s.task !== null);
  const hasPlaces = stated("environments", totals.q_place, "its environment", s.place.length > 0);
  stated("worlds", totals.q_world, "its world", s.world !== null);
  const hasRewards = stated("passRates", totals.q_signal, "a reward", s.value !== null);

  const tasks = hasTasks ? (repeats.tasks ?? (await distinct(asking, [s.task!]))) : null;
  const { environments, worlds, rewardDensity } = others;
  const coveredCells = !hasTasks
    ? null
    : repeats.cells === undefined
      ? await distinct(asking, [s.task!, ...s.place])
      : repeats.cells;
  if (repeats.groups === null) reasons.passRates = "tasks repeat in other words, in too many groups";
  if (repeats.cells === null)
    reasons.coveredCells = reasons.trajectories = reasons.coverage = "tasks repeat in other words, in too many cells";
  if (!hasTasks) reasons.coveredCells = reasons.trajectories = reasons.coverage = reasons.tasks;
  else if (!hasPlaces) reasons.coverage = reasons.environments;
  if (rewardDensity === null) reasons.rewardDensity = "no rollout states its number of steps and a reward";
  reasons.structures = "the store's rows are not read for tools, states and verifiers";
  if (s.structures.length > 0)
    question.notes.inform(
      "store.structures",
      "Environments of a store are told apart by their names and worlds; its columns of tools, states and verifiers are not read.",
      { file: `${place.uri}?rollouts=${table}` },
    );
  const solvedTasks = (how: "neverSolved" | "alwaysSolved", best: "MAX" | "MIN", worth: number) =>
    repeats[how] ?? named(asking, s.task === null ? [] : [s.task], taskLabel(s), best, worth);
  return {
    rollouts,
    tasks,
    templates: (tasks === null ? null : repeats.templates) ?? null,
    environments,
    worlds,
    structures: null,
    trajectories: coveredCells ? rollouts / coveredCells : null,
    coveredCells,
    coverage: coveredCells && tasks && environments ? coveredCells / (tasks * environments) : null,
    rewardDensity,
    duplicates: repeats.duplicates,
    reasons,
    synthesis: {},
    passRates: hasRewards && repeats.groups !== null && s.solved !== null ? await passRatesOf(asking, repeats) : null,
    neverSolved: { tasks: await solvedTasks("neverSolved", "MAX", 0), environments: others.neverSolved },
    alwaysSolved: { tasks: await solvedTasks("alwaysSolved", "MIN", 1), environments: others.alwaysSolved },
  };
}

/** Graded steps over steps at the first training step, as for files. */
async function densityOf({ s, one }: Asking): Promise<number | null> {
  if (s.turns === null || s.graded === null) return null;
  const rows = `SELECT ${s.turns} AS q_turns, ${s.graded} AS q_graded, ${s.step ?? "0"} AS q_step FROM ${s.from}`;
  const known = `SELECT q_turns, q_graded, q_step FROM ${within(rows)} WHERE q_turns IS NOT NULL AND q_graded IS NOT NULL`;
  const first =
    s.step === null
      ? ""
      : ` WHERE q_step = (SELECT MIN(q_step) FROM ${within(known)}) OR (SELECT MIN(q_step) FROM ${within(known)}) IS NULL`;
  const { q_g: graded, q_t: turns } = await one(
    `SELECT SUM(CASE WHEN q_graded < q_turns THEN q_graded ELSE q_turns END) AS q_g, SUM(q_turns) AS q_t FROM ${within(known)}${first}`,
  );
  return graded > 0 && turns > 0 ? graded / turns : null;
}

async function passRatesOf({ s, one }: Asking, repeats: Repeats): Promise<PassRates> {
  // Integers only: sums of them are the same on every engine.
  const byTask = `SELECT ${s.task} AS q_task, SUM(${s.solved}) AS q_solved, SUM(CASE WHEN ${s.solved} IS NULL THEN 0 ELSE 1 END) AS q_n FROM ${s.from} WHERE ${s.task} IS NOT NULL GROUP BY ${s.task}`;
  // ⌈10·solved/n⌉ in whole numbers; 0 and n stand apart.
  const bins = Array.from({ length: 12 }, (_, i) =>
    i === 0
      ? "SUM(CASE WHEN q_solved = 0 THEN 1 ELSE 0 END) AS b0"
      : i === 11
        ? "SUM(CASE WHEN q_solved = q_n THEN 1 ELSE 0 END) AS b11"
        : `SUM(CASE WHEN q_solved > 0 AND q_solved < q_n AND 10 * q_solved > ${i - 1} * q_n AND 10 * q_solved <= ${i} * q_n THEN 1 ELSE 0 END) AS b${i}`,
  );
  const counted = async () => {
    if (s.task === null) return bins.map(() => 0);
    const row = await one(`SELECT ${bins.join(", ")} FROM ${within(byTask)} WHERE q_n > 0`);
    return bins.map((_, i) => row[`b${i}`]);
  };
  const counts = repeats.histogram ?? (await counted());
  const { groups, same, size } = repeats.groups ?? (await groupsOf(s, one));
  const edge = (i: number) => Math.round(i * 10) / 100;
  return {
    groups,
    withoutSignal: same,
    shareWithoutSignal: groups > 0 ? same / groups : null,
    meanGroupSize: groups > 0 ? size / groups : null,
    histogram: counts.map((tasks, i) => ({
      from: i === 0 ? 0 : i === 11 ? 1 : edge(i - 1),
      to: i === 0 ? 0 : i === 11 ? 1 : edge(i),
      tasks,
    })),
  };
}

/** Rollouts of one group, or without one of one task, within one step: how many such sets, of which with equal rewards, and their rollouts. */
async function groupsOf(s: Expressions, one: Asking["one"]): Promise<{ groups: number; same: number; size: number }> {
  const own = s.group && s.task ? `CASE WHEN ${s.group} IS NULL THEN ${s.task} END` : s.task;
  const keys = [s.step, s.group, own].filter((key) => key !== null);
  const some = [s.group, s.task].filter((key) => key !== null).map((key) => `${key} IS NOT NULL`);
  if (some.length === 0) return { groups: 0, same: 0, size: 0 };
  const names = keys.map((key, i) => `${key} AS q_${i}`).join(", ");
  const sets = `SELECT ${names}, COUNT(*) AS q_size, CASE WHEN MIN(${s.value}) = MAX(${s.value}) THEN 1 ELSE 0 END AS q_same FROM ${s.from} WHERE ${some.join(" OR ")} GROUP BY ${keys.join(", ")}`;
  const many = await one(
    `SELECT COUNT(*) AS q_n, SUM(q_same) AS q_alike, SUM(q_size) AS q_total FROM ${within(sets)} WHERE q_size >= 2`,
  );
  return { groups: many.q_n, same: many.q_alike, size: many.q_total };
}

/** Tasks and environments that are named in the lists of the never and always solved. */
const MOST_NAMED = 1000;

/** Those of which the best (or worst) rollout is `worth`; the first of them by name. */
async function named(
  { s, rows, question }: Asking,
  keys: readonly string[],
  label: string,
  best: "MAX" | "MIN",
  worth: number,
): Promise<string[]> {
  if (s.solved === null || keys.length === 0) return [];
  const sql = `SELECT ${label} AS q_name FROM ${s.from} WHERE ${keys.map((key) => `${key} IS NOT NULL`).join(" OR ")} GROUP BY ${keys.join(", ")} HAVING ${best}(${s.solved}) = ${worth} ORDER BY q_name LIMIT ${MOST_NAMED + 1}`;
  const found = (await rows(sql)).flatMap((row) => textOf(row.q_name) ?? []);
  if (found.length > MOST_NAMED)
    question.notes.inform("store.most-named", `Of what is never or always solved, the first ${MOST_NAMED} are named.`);
  return found.slice(0, MOST_NAMED);
}

const taskLabel = ({ taskId, taskText }: Expressions) =>
  taskId ? `MIN(${taskId})` : taskText ? `MIN(SUBSTR(${taskText}, 1, 200))` : "NULL";

function solvedPlaces(asking: Asking, best: "MAX" | "MIN", worth: number): Promise<string[]> {
  const { place, world, environment } = asking.s;
  const text = (one: string) =>
    asking.place.dialect.name === "clickhouse" ? `toString(${one})` : `CAST(${one} AS text)`;
  const both = world !== null && environment !== null;
  const label = both ? `COALESCE(${text(world)}, ${text(environment)})` : (world ?? environment ?? "NULL");
  return named(asking, place, `MIN(${label})`, best, worth);
}
