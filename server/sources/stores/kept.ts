import { isObject, parseJson } from "../../records/json";
import type { Notes } from "../../records/notes";
import type { Interest } from "../../runs/series";
import { keptAt, staleRuns } from "../kept/lasting";
import { restoredRun, storedRun } from "../kept/packedRun";
import type { ReadingCache } from "../kept/readingCache";
import type { StoredRun } from "./store";

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
  const place = keptAt(uri);
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
  notes.warn("store.stale", staleRuns(entry.time), { file: uri });
  return runs;
}
