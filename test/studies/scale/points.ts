import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** One measurement of `measure` on one table. Times are of one run. */
export interface Point {
  readonly engine: string;
  readonly rows: number;
  /** Seconds from the start of our process to its answer, and the processor's of it. */
  readonly ours: number;
  readonly processor: number;
  /** Seconds of the server for the statements of that run, by its own account; null for a file. */
  readonly own: number | null;
  /** The most that was resident (MB). */
  readonly resident: number;
  /** What came over the network; of a file its size. */
  readonly bytes: number;
  /** Whether the answer is that of the file; null where no file was read. */
  readonly same: boolean | null;
  /** The day, and how many processes waited for a processor (one-minute load) on how many processors. */
  readonly day: string;
  readonly load: number;
  readonly processors: number;
}

const FILE = join("test", "studies", "scale", "measured.json");

/** What was measured, each engine and size the last time. */
export function measured(): Point[] {
  try {
    return JSON.parse(readFileSync(FILE, "utf8")) as Point[];
  } catch {
    return [];
  }
}

const ORDER = ["a file", "Postgres", "ClickHouse 18", "ClickHouse"];
const place = ({ engine }: Point) => ORDER.findIndex((name) => engine.startsWith(name));

/** Keeps a measurement in place of the former one. Returns all. */
export function keep(point: Point): Point[] {
  const rounded = (_: string, value: unknown) => (typeof value === "number" ? Number(value.toFixed(3)) : value);
  const others = measured().filter(({ engine, rows }) => engine !== point.engine || rows !== point.rows);
  const all = [...others, point].sort((a, b) => place(a) - place(b) || a.rows - b.rows);
  writeFileSync(FILE, `${JSON.stringify(all, rounded, 2)}\n`);
  return all;
}
