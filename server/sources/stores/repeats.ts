import { findDuplicates, THRESHOLD } from "../../rollouts/duplicates";
import { makePause } from "../../rollouts/pause";
import { templatesOf } from "../../rollouts/summary";
import type { RolloutMeasure } from "../../rollouts/types";
import { type Asking, within } from "./asking";
import { numberOf, textOf } from "./sql";

/** Characters of the texts of all tasks that may travel, tasks, and cells or groups where tasks turn out to repeat. */
const MOST_TEXT = 8e6;
const MOST_TASKS = 100_000;
const MOST_ROWS = 200_000;

/** What is known of tasks that repeat, where their texts were compared. Figures that are absent are the store's to count; null: they cannot be counted. */
export interface Repeats {
  readonly duplicates: RolloutMeasure["duplicates"];
  readonly tasks?: number;
  readonly templates?: number | null;
  readonly cells?: number | null;
  readonly histogram?: readonly number[];
  readonly groups?: { readonly groups: number; readonly same: number; readonly size: number } | null;
  readonly neverSolved?: readonly string[];
  readonly alwaysSolved?: readonly string[];
}

export const NO_REPEATS: Repeats = {
  duplicates: { rule: "exact", threshold: 0, pairs: 0, complete: false, exact: true },
};

interface Task {
  readonly key: string;
  readonly label: string;
  readonly text: string;
  readonly n: number;
  readonly solved: number;
}

/**
 * All tasks, where their texts are few enough to travel and be compared here as those of files are. Else null, and a note says so: tasks
 * are then told apart in the store.
 * @param isShort whether the texts are so short that as many as may travel can be asked for before they are counted
 */
export async function tasksToCompare(asking: Asking, isShort: boolean): Promise<readonly Task[] | null> {
  const { s, question } = asking;
  if (s.task === null) return null;
  const text = s.taskText ?? `CAST(${s.task} AS ${asking.place.dialect.name === "clickhouse" ? "String" : "text"})`;
  const tooMany = (what: string) => {
    const how = "they are told apart by their id or exact text.";
    question.notes.inform("store.exact-tasks", `${what} are too many to compare here; ${how}`);
    return null;
  };
  if (question.duplicates === "embedding") {
    question.notes.inform(
      "store.exact-tasks",
      "Embeddings of a store are not read; tasks are told apart by their id or text.",
    );
    return null;
  }
  if (!isShort) {
    const texts = `SELECT ${s.task} AS q_task, MIN(${text}) AS q_text FROM ${s.from} WHERE ${s.task} IS NOT NULL GROUP BY ${s.task}`;
    const counts = await asking.one(`SELECT COUNT(*) AS q_n, SUM(LENGTH(q_text)) AS q_length FROM ${within(texts)}`);
    const { q_n: count, q_length: length } = counts;
    if (count > MOST_TASKS || length > MOST_TEXT)
      return tooMany(`${count} tasks with ${Math.round(length / 1e6)} MB of texts`);
  }
  const tasks = await allTasks(asking, text);
  if (tasks.length > MOST_TASKS) return tooMany(`More than ${MOST_TASKS} tasks`);
  const length = tasks.reduce((sum, task) => sum + task.text.length, 0);
  if (length > MOST_TEXT) return tooMany(`${tasks.length} tasks with ${Math.round(length / 1e6)} MB of texts`);
  return tasks;
}

/** Tasks that say the same, by the rule that was asked for. */
export async function repeatsAmong(given: readonly Task[], asking: Asking): Promise<Repeats> {
  const { question } = asking;
  // In one order whatever the engine: of tasks alike the first stands for all.
  const tasks = [...given].sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : a.key < b.key ? -1 : 1));
  const found = await findDuplicates(
    question.duplicates ?? "char-tfidf",
    question.threshold ?? THRESHOLD,
    tasks.map(({ text }) => text),
    [],
    makePause(() => undefined, question.signal),
  );
  const { representative, pairs, complete, exact, threshold } = found;
  const duplicates = { rule: found.rule, threshold, pairs, complete, exact };
  const merged = new Map<number, { n: number; solved: number; label: string }>();
  tasks.forEach(({ n, solved, label }, i) => {
    const held = merged.get(representative[i]);
    if (held) merged.set(representative[i], { ...held, n: held.n + n, solved: held.solved + solved });
    else merged.set(representative[i], { n, solved, label });
  });
  const bins = Array.from({ length: 12 }, () => 0);
  const judged = [...merged.values()].filter(({ n }) => n > 0);
  for (const { n, solved } of judged) bins[solved === 0 ? 0 : solved === n ? 11 : Math.ceil((10 * solved) / n)]++;
  const known: Repeats = {
    duplicates,
    tasks: merged.size,
    templates:
      asking.s.taskText === null
        ? null
        : templatesOf(
            tasks.map(({ text }) => text),
            merged.size,
          ),
    histogram: bins,
    neverSolved: judged.filter(({ solved }) => solved === 0).map(({ label }) => label),
    alwaysSolved: judged.filter(({ n, solved }) => solved === n).map(({ label }) => label),
  };
  if (merged.size === tasks.length) return known;
  const of = new Map(tasks.map(({ key }, i) => [key, representative[i]]));
  return { ...known, ...(await mergedCells(asking, of)) };
}

/** One row a task: its text, how many rollouts tell whether they solved it, and how many did. */
async function allTasks({ s, rows }: Asking, text: string): Promise<Task[]> {
  const solved = s.solved ?? "NULL";
  // A text that is its own key need not travel twice.
  const isKey = s.task === text;
  const found = await rows(
    `SELECT ${isKey ? "" : `${s.task} AS q_task, `}${isKey ? text : `MIN(${text})`} AS q_text, SUM(CASE WHEN ${solved} IS NULL THEN 0 ELSE 1 END) AS q_n, SUM(CASE WHEN ${solved} = 1 THEN 1 ELSE 0 END) AS q_solved FROM ${s.from} WHERE ${s.task} IS NOT NULL GROUP BY ${s.task} LIMIT ${MOST_TASKS + 1}`,
  );
  return found.map((row) => {
    const text = textOf(row.q_text) ?? "";
    const key = isKey ? text : (textOf(row.q_task) ?? "");
    // An id without a text is its own text: only the same id is the same task.
    return {
      key,
      text: s.taskText === null ? `#${key}` : text,
      label: s.taskId !== null ? key : text.slice(0, 200),
      n: numberOf(row.q_n) ?? 0,
      solved: numberOf(row.q_solved) ?? 0,
    };
  });
}

/** Cells and groups where some tasks count as one: their keys travel, up to a number of them. */
async function mergedCells(
  { s, rows }: Asking,
  of: ReadonlyMap<string, number>,
): Promise<Pick<Repeats, "cells" | "groups">> {
  const number = (value: unknown) => of.get(textOf(value) ?? "") ?? -1;
  const places = s.place.map((place, i) => `${place} AS q_${i}`);
  const cells = await rows(
    `SELECT DISTINCT ${[`${s.task} AS q_task`, ...places].join(", ")} FROM ${s.from} LIMIT ${MOST_ROWS + 1}`,
  );
  const covered = new Set(
    cells.map((row) => JSON.stringify([number(row.q_task), ...places.map((_, i) => textOf(row[`q_${i}`]) ?? null)])),
  );
  const counted = cells.length > MOST_ROWS ? null : covered.size;
  if (s.value === null) return { cells: counted };
  const keys = [s.step ?? "0", s.group ?? "NULL", s.task!];
  const sets = await rows(
    `SELECT ${keys.map((key, i) => `${key} AS q_${i}`).join(", ")}, COUNT(*) AS q_size, MIN(${s.value}) AS q_least, MAX(${s.value}) AS q_most FROM ${s.from} GROUP BY ${[...new Set(keys)].filter((key) => key !== "NULL" && key !== "0").join(", ")} LIMIT ${MOST_ROWS + 1}`,
  );
  if (sets.length > MOST_ROWS) return { cells: counted, groups: null };
  const groups = new Map<string, { size: number; least: number; most: number }>();
  for (const row of sets) {
    const group = textOf(row.q_1) ?? null;
    const key = JSON.stringify([numberOf(row.q_0) ?? null, group, group === null ? number(row.q_2) : null]);
    const [size, least, most] = [row.q_size, row.q_least, row.q_most].map((value) => numberOf(value) ?? NaN);
    const held = groups.get(key);
    groups.set(
      key,
      held
        ? { size: held.size + size, least: Math.min(held.least, least), most: Math.max(held.most, most) }
        : { size, least, most },
    );
  }
  const many = [...groups.values()].filter(({ size }) => size >= 2);
  return {
    cells: counted,
    groups: {
      groups: many.length,
      same: many.filter(({ least, most }) => least === most).length,
      size: many.reduce((sum, { size }) => sum + size, 0),
    },
  };
}
