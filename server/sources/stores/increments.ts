import { parseJson } from "../../records/json";
import { keptAt } from "../kept/lasting";
import { isTextType } from "./numbers";
import { literal, numberOf } from "./sql";
import type { StoreContext, StorePlace } from "./store";

/** A row as it is kept: its step, then numbers; null for one that is absent. */
export type KeptRow = readonly (number | null)[];

/** What the store says of one series of rows: how many, the highest step, and what value × (1 + step) adds up to. */
export interface Mark {
  readonly n: number;
  readonly last: number;
  readonly sum: number;
}

/** Names the rows of one series: columns and the values that they must have, as SQL. */
export interface Wanted {
  readonly where: readonly (readonly [column: string, value: string])[];
  readonly mark: Mark;
}

interface Kept extends Mark {
  readonly rows: readonly KeptRow[];
}

/** Series, and names, that one statement asks for: statements have a length limit. */
const BATCH = 200;
const NAMES = 500;

/** A value of a column as SQL: a number where the column holds numbers, which ClickHouse compares with no text. */
export function valueOf({ dialect }: StorePlace, type: string | undefined, text: string): string {
  return type !== undefined && type !== "" && !isTextType(type) && /^-?\d+$/.test(text) ? text : literal(dialect, text);
}

/** Literals as lists of them, each for one statement. */
export function batches(literals: readonly string[]): string[] {
  const lists: string[] = [];
  for (let i = 0; i < literals.length; i += NAMES) lists.push(literals.slice(i, i + NAMES).join(", "));
  return lists;
}

interface Asking {
  /** Tells these rows from others of the same store: the table and the columns that are read. */
  readonly kind: string;
  readonly place: StorePlace;
  readonly context: StoreContext;
  /** The column of the step, as SQL. */
  readonly step: string;
  /** How many columns after the step are in the sum of a mark. */
  readonly summed: number;
  /** Rows for a condition, each with the key of its series; the steps of a series never fall. @param condition null: all that are wanted */
  ask(condition: string | null): AsyncIterable<readonly [key: string, row: KeptRow]>;
}

/**
 * The rows of some series, of which those that were read before are not asked for again: only the ones beyond the highest step
 * that is kept. Where the store's own count and sum then tell that older rows are others, the series is read again whole.
 * @param wanted by key
 */
export async function rowsBySeries(
  wanted: ReadonlyMap<string, Wanted>,
  asking: Asking,
): Promise<Map<string, readonly KeptRow[]>> {
  const { kind, place, context, summed } = asking;
  const at = keptAt(place.uri);
  const kept = restored(await context.cache?.getAt(`store-rows ${kind}`, at));
  const found = new Map<string, KeptRow[]>();
  const newer: string[] = [];
  let whole: string[] = [];
  for (const [key, { mark }] of wanted) {
    const held = kept.get(key);
    if (held && isSame(held, mark)) found.set(key, [...held.rows]);
    else if (held && held.n > 0 && mark.n > held.n && mark.last > held.last) newer.push(key);
    else whole.push(key);
  }
  const take = async (condition: string | null) => {
    for await (const [key, row] of asking.ask(condition)) found.get(key)?.push(row);
  };
  const takeOf = async (keys: readonly string[], after: (key: string) => number | undefined) => {
    for (let i = 0; i < keys.length; i += BATCH)
      await take(
        keys
          .slice(i, i + BATCH)
          .map((key) => condition(wanted.get(key)!, asking, after(key)))
          .join(" OR "),
      );
  };
  for (const key of newer) found.set(key, [...kept.get(key)!.rows]);
  await takeOf(newer, (key) => kept.get(key)!.last);
  whole = [...whole, ...newer.filter((key) => !adds(found.get(key)!, wanted.get(key)!.mark, summed))];
  for (const key of whole) found.set(key, []);
  // The first time all that is wanted is asked for at once.
  if (whole.length === wanted.size) await take(null);
  else await takeOf(whole, () => undefined);
  if (context.cache && (whole.length > 0 || newer.length > 0)) {
    const entries = [...found].map(([key, rows]) => {
      const { n, last, sum } = wanted.get(key)!.mark;
      // Rows that came between two statements: the next time it is read whole.
      return adds(rows, { n, last, sum }, summed) ? [key, n, last, sum, rows] : [key, -1, 0, 0, []];
    });
    await context.cache.setAt(`store-rows ${kind}`, at, JSON.stringify(entries, finite), context.notes);
  }
  return found;
}

/**
 * The columns of a mark, as SQL; without a sum where the values are texts, which are read whole each time.
 * @param values a row without any of them counts where there are several, and not where there is one
 * @param types of the columns by their names
 */
export function markOf(
  { dialect }: StorePlace,
  step: string,
  values: readonly string[],
  types?: ReadonlyMap<string, string>,
): string {
  const [at, ...columns] = [step, ...values].map((column) => dialect.id(column));
  const there = columns.length === 1 ? `${at} IS NOT NULL AND ${columns[0]} IS NOT NULL` : `${at} IS NOT NULL`;
  const count = `SUM(CASE WHEN ${there} THEN 1 ELSE 0 END) AS n`;
  if ([step, ...values].some((column) => isTextType(types?.get(column) ?? "")))
    return `${count}, NULL AS last, NULL AS total`;
  const sums = columns.map((each) => `COALESCE(${each}, 0) * (1 + ${at})`).join(" + ");
  return `${count}, MAX(${at}) AS last, SUM(${sums === "" ? "0" : sums}) AS total`;
}

export function readMark(row: Readonly<Record<string, unknown>>): Mark {
  // Without a step there is nothing to go on from.
  return { n: numberOf(row.n) ?? 0, last: numberOf(row.last) ?? NaN, sum: numberOf(row.total) ?? NaN };
}

function condition({ where }: Wanted, { step }: Asking, after: number | undefined): string {
  const equal = where.map(([column, value]) => `${column} = ${value}`);
  return `(${[...equal, ...(after === undefined ? [] : [`${step} > ${after}`])].join(" AND ")})`;
}

/** Engines add in any order. */
function isSame(a: Mark, b: Mark): boolean {
  const sums = Object.is(a.sum, b.sum) || Math.abs(a.sum - b.sum) <= 1e-12 * Math.max(Math.abs(a.sum), Math.abs(b.sum));
  return a.n === b.n && a.last === b.last && sums;
}

/** Whether rows are those that the store sums up so. */
function adds(rows: readonly KeptRow[], { n, sum }: Mark, summed: number): boolean {
  if (rows.length !== n) return false;
  if (!Number.isFinite(sum)) return true;
  let [total, scale] = [0, 0];
  for (const [step, ...values] of rows)
    for (const value of values.slice(0, summed)) {
      const part = (value ?? 0) * (1 + (step ?? 0));
      total += part;
      scale += Math.abs(part);
    }
  return Math.abs(total - sum) <= 1e-9 * Math.max(1e-300, scale);
}

/** JSON knows no NaN. */
const finite = (_: string, value: unknown) =>
  typeof value === "number" && !Number.isFinite(value) ? String(value) : value;
const restoredRow = (row: unknown): KeptRow =>
  Array.isArray(row) ? row.map((value: unknown) => (value === null ? null : Number(value))) : [];

function restored(text: string | undefined): Map<string, Kept> {
  const kept = new Map<string, Kept>();
  const list = text === undefined ? undefined : parseJson(text);
  if (!Array.isArray(list)) return kept;
  for (const entry of list) {
    if (!Array.isArray(entry)) continue;
    const [key, n, last, sum, rows] = entry as unknown[];
    if (typeof key === "string" && typeof n === "number" && Array.isArray(rows))
      kept.set(key, { n, last: Number(last), sum: Number(sum), rows: rows.map(restoredRow) });
  }
  return kept;
}
