import { messageOf } from "./bytes";
import type { RunLog } from "./discover";
import type { FoundFile } from "./files";
import { isObject, type JsonObject } from "./json";
import { Notes } from "./notes";
import type { RunCache } from "./options";
import type { ReadContext } from "./readers/reader";
import { RunMetrics } from "./series";
import type { TableNote } from "../core/table";

/** Larger readings are cheaper to read again than to store. */
const LARGEST_ENTRY = 4 * 1024 * 1024;

/** The readings of earlier times, and whether the store still works. */
export class ReadingCache {
  #broken = false;

  constructor(
    readonly store: RunCache | undefined,
    /** What a reading depends on besides its files: the metric and the mapping of columns. */
    readonly asked: string,
  ) {}

  async get(key: string, notes: Notes): Promise<string | undefined> {
    if (!this.store || this.#broken) return undefined;
    try {
      return await this.store.get(key);
    } catch (error) {
      this.#fail(error, notes);
      return undefined;
    }
  }

  async set(key: string, value: string, notes: Notes): Promise<void> {
    if (!this.store || this.#broken || value.length > LARGEST_ENTRY) return;
    try {
      await this.store.set(key, value);
    } catch (error) {
      this.#fail(error, notes);
    }
  }

  /** A full disk must not be met once per file. */
  #fail(error: unknown, notes: Notes): void {
    this.#broken = true;
    notes.inform("run.cache", `What was read cannot be kept for the next time (${messageOf(error)}). The figures are not affected.`);
  }
}

/** The runs in a log, from the cache where its files have not changed since. */
export async function readLog(log: RunLog, context: ReadContext, cache: ReadingCache): Promise<RunMetrics[]> {
  const key = keyOf(log, cache.asked);
  // An MLflow run is many files behind one; its folder's state is not in the key.
  const cacheable = log.reader.cacheable !== false;
  const held = cacheable ? restored(await cache.get(key, context.notes), context) : undefined;
  if (held) {
    for (const file of log.files) context.onBytes?.(file.size);
    return held;
  }
  const notes = new Notes();
  const runs = await log.reader.read(log.files, { ...context, notes });
  const grown = await changed(log.files, context);
  for (const file of grown) notes.inform("log.growing", "The file changed while it was read, so a run is still writing it; the figures are those of the moment.", { file: file.uri });
  context.notes.include(notes.list());
  if (cacheable && grown.length === 0) await cache.set(key, JSON.stringify({ runs: runs.map(stored), notes: notes.list() }), context.notes);
  return runs;
}

function keyOf(log: RunLog, asked: string): string {
  return [log.reader.id, asked, ...log.files.map(({ uri, size, modified }) => `${uri}|${size}|${modified}`)].join("\n");
}

async function changed(files: readonly FoundFile[], { host }: ReadContext): Promise<FoundFile[]> {
  const found: FoundFile[] = [];
  for (const file of files) {
    const now = await host.stat(file.uri);
    if (!now || now.size !== file.size || now.modified !== file.modified) found.push(file);
  }
  return found;
}

function stored(run: RunMetrics): JsonObject {
  return {
    series: Object.fromEntries([...run.series].map(([name, { steps, values, lines }]) => [name, [steps, values, lines]])),
    names: [...run.names],
    facts: run.facts,
    config: run.config ?? null,
    name: run.name ?? null,
    nonFinite: run.nonFinite,
    firstNonFinite: run.firstNonFinite ? { ...run.firstNonFinite } : null,
  };
}

/** Undefined for anything that is not exactly what `stored` writes: a damaged cache only costs time. */
function restored(text: string | undefined, context: ReadContext): RunMetrics[] | undefined {
  if (text === undefined) return undefined;
  try {
    const { runs, notes } = JSON.parse(text) as { runs: JsonObject[]; notes: TableNote[] };
    const made = runs.map((entry) => {
      const run = new RunMetrics(context.wants);
      for (const [name, lists] of Object.entries(entry.series as JsonObject)) {
        const [steps, values, lines] = lists as number[][];
        if (steps.length !== values.length || lines.length !== values.length || !values.every(Number.isFinite)) throw new Error("not a stored series");
        run.series.set(name, { steps, values, lines });
      }
      for (const name of entry.names as string[]) run.names.add(name);
      Object.assign(run.facts, entry.facts);
      run.config = isObject(entry.config) ? entry.config : undefined;
      run.name = typeof entry.name === "string" ? entry.name : undefined;
      run.nonFinite = entry.nonFinite as number;
      run.firstNonFinite = (entry.firstNonFinite as { key: string; line: number } | null) ?? undefined;
      return run;
    });
    context.notes.include(notes);
    return made;
  } catch {
    return undefined;
  }
}
