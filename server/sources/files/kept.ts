import type { TableNote } from "../../core/table";
import type { FoundFile } from "../../records/files";
import { isObject, type Json, parseJson } from "../../records/json";
import { isLasting, isNote, Notes } from "../../records/notes";
import type { ReadContext } from "./readers/reader";
import type { ReadingCache } from "../kept/readingCache";

/** Something that is read of files, and how it is written down. */
export interface Reading<Value> {
  /** Tells it from other readings of the same files. */
  readonly kind: string;
  /** All files that it rests on. */
  readonly files: readonly FoundFile[];
  /** Those of them whose bytes count as progress. */
  readonly counted: readonly FoundFile[];
  read(notes: Notes): Promise<Value>;
  stored(value: Value): unknown;
  /** Undefined for anything that is not exactly what `stored` gives. */
  restored(value: Json): Value | undefined;
}

/** A reading from the cache where none of its files has changed since; else read anew, and kept where it will hold the next time too. */
export async function kept<Value>(
  { kind, files, counted, read, stored, restored }: Reading<Value>,
  context: ReadContext,
  cache: ReadingCache,
): Promise<Value> {
  const held = entryOf(await cache.get(kind, files));
  const value = held && restored(held.value);
  if (held && value !== undefined) {
    for (const file of counted) context.onBytes?.(file.size);
    context.notes.include(held.notes);
    return value;
  }
  const notes = new Notes();
  const fresh = await read(notes);
  const grown = await changed(files, context);
  for (const file of grown)
    notes.inform(
      "log.growing",
      "The file changed while it was read, so a run is still writing it; the figures are those of the moment.",
      { file: file.uri },
    );
  context.notes.include(notes.list());
  if (!cache.absent && grown.length === 0 && isLasting(notes.list()))
    await cache.set(kind, files, JSON.stringify({ value: stored(fresh), notes: notes.list() }), context.notes);
  return fresh;
}

function entryOf(text: string | undefined): { readonly value: Json; readonly notes: readonly TableNote[] } | undefined {
  const entry = text === undefined ? undefined : parseJson(text);
  if (!isObject(entry) || !Array.isArray(entry.notes) || entry.value === undefined) return undefined;
  const notes: readonly unknown[] = entry.notes;
  return notes.every(isNote) ? { value: entry.value, notes } : undefined;
}

/** The files that are not as they were found. */
async function changed(files: readonly FoundFile[], { host }: ReadContext): Promise<FoundFile[]> {
  const found: FoundFile[] = [];
  for (const file of files) {
    const now = await host.stat(file.uri);
    if (!now || now.size !== file.size || now.modified !== file.modified) found.push(file);
  }
  return found;
}
