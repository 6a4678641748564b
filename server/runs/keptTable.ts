import type { RunRow, TableNote } from "../core/table";
import type { Columns } from "./columns";
import { isObject, parseJson } from "./json";
import { isLasting, isNote, Notes } from "./notes";
import type { RunFacts } from "./options";
import type { ReadContext } from "./readers/reader";
import type { FoundTable } from "./classify";
import { changed } from "./readLog";
import type { ReadingCache } from "./readingCache";
import { readTableFile } from "./table";

/** The rows of a table file, from the cache where it has not changed since. */
export async function readTable({ file, format }: FoundTable, context: ReadContext, columns: Columns, facts: RunFacts | undefined, cache: ReadingCache): Promise<readonly RunRow[]> {
  // Rows without a name are called by the path of their file, which is as the source is: `runs` or `runs/a`.
  const kind = `table ${format} ${JSON.stringify([file.path, facts ?? null])}`;
  const held = restored(await cache.get(kind, [file]));
  if (held) {
    context.onBytes?.(file.size);
    context.notes.include(held.notes);
    return held.rows;
  }
  const notes = new Notes();
  const rows = await readTableFile(format, { ...context, notes, file }, columns, facts);
  context.notes.include(notes.list());
  if (!cache.absent && isLasting(notes.list()) && (await changed([file], context)).length === 0) await cache.set(kind, [file], JSON.stringify({ rows, notes: notes.list() }), context.notes);
  return rows;
}

function restored(text: string | undefined): { rows: readonly RunRow[]; notes: readonly TableNote[] } | undefined {
  const value = text === undefined ? undefined : parseJson(text);
  if (!isObject(value) || !Array.isArray(value.rows) || !Array.isArray(value.notes) || !value.notes.every(isNote)) return undefined;
  const rows: unknown[] = value.rows;
  return rows.every(isRow) ? { rows, notes: value.notes as unknown as TableNote[] } : undefined;
}

/** What a table's rows have in all cases; the rest is as it was written, since an entry is whole or not there. */
function isRow(value: unknown): value is RunRow {
  if (typeof value !== "object" || value === null) return false;
  const { id, axes, outcome, setting, files } = value as Partial<Record<keyof RunRow, unknown>>;
  return typeof id === "string" && typeof setting === "string" && typeof axes === "object" && axes !== null && Object.values(axes).every(Number.isFinite)
    && typeof outcome === "object" && outcome !== null && ["counts", "rate", "loss"].includes((outcome as { kind?: unknown }).kind as string)
    && Array.isArray(files) && files.every((file) => typeof file === "string");
}
