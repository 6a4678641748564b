import { isObject, parseJson } from "../../records/json";
import type { Notes } from "../../records/notes";
import type { Interest } from "../../runs/series";
import { restoredRun, storedRun } from "../kept/packedRun";
import type { ReadingCache } from "../kept/readingCache";
import type { StoredRun } from "./store";

/** What a kept table may take of the cache: that of a file of this size (bytes). */
const SIZE = 512 * 1024 * 1024;

interface Keeping {
  readonly cache: ReadingCache;
  readonly notes: Notes;
  readonly wants: (metric: string) => Interest;
  /** Now, in milliseconds since 1970. */
  readonly time: number;
}

/**
 * The runs of a store, which are kept; where it cannot be read, those of the last time that it could, and a note says of when
 * they are.
 * @param read null where the store could not be read
 */
export async function keptTable(
  uri: string,
  { cache, notes, wants, time }: Keeping,
  read: () => Promise<StoredRun[] | null>,
): Promise<readonly StoredRun[]> {
  const place = [{ uri, size: SIZE, modified: 0 }];
  const fresh = await read();
  if (fresh) {
    const runs = fresh.map(({ id, name, modified, metrics }) => [id, name, modified, storedRun(metrics)]);
    if (fresh.length > 0) await cache.setAt("store", place, JSON.stringify({ time, runs }), notes);
    return fresh;
  }
  const text = await cache.getAt("store", place);
  const entry = text === undefined ? undefined : parseJson(text);
  if (!isObject(entry) || typeof entry.time !== "number" || !Array.isArray(entry.runs)) return [];
  const runs = entry.runs.map((run): StoredRun | undefined => {
    if (!Array.isArray(run)) return undefined;
    const [id, name, modified, packed] = run;
    const metrics = restoredRun(packed, wants);
    return typeof id === "string" && typeof name === "string" && typeof modified === "number" && metrics
      ? { id, name, modified, metrics }
      : undefined;
  });
  if (!runs.every((run) => run !== undefined)) return [];
  notes.warn(
    "store.stale",
    `The runs shown are those of ${new Date(entry.time).toISOString().slice(0, 16).replace("T", " ")} UTC, when the store could last be read.`,
    { file: uri },
  );
  return runs;
}
