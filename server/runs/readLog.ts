import type { TableNote } from "../core/table";
import type { RunLog } from "./discover";
import type { FoundFile } from "./files";
import { isObject, type Json, type JsonObject } from "./json";
import { isLasting, isNote, Notes } from "./notes";
import type { ReadContext } from "./readers/reader";
import type { ReadingCache } from "./readingCache";
import { RunMetrics } from "./series";

/**
 * The runs in a log, from the cache where its files have not changed since.
 * @param metric the run's own, where it states one
 */
export async function readLog(log: RunLog, context: ReadContext, cache: ReadingCache, metric?: string): Promise<RunMetrics[]> {
  const { reader } = log;
  const kind = metric === undefined ? reader.id : `${reader.id} ${JSON.stringify(metric)}`;
  // The files that the reading rests on may be more than those by which the log was found.
  const files = !cache.absent && reader.rests ? await reader.rests(log.files, context) : log.files;
  const held = restored(await cache.get(kind, files), context);
  if (held) {
    for (const file of log.files) context.onBytes?.(file.size);
    context.notes.include(held.notes);
    return held.runs;
  }
  const notes = new Notes();
  const runs = await reader.read(log.files, { ...context, notes });
  const grown = await changed(files, context);
  for (const file of grown) notes.inform("log.growing", "The file changed while it was read, so a run is still writing it; the figures are those of the moment.", { file: file.uri });
  context.notes.include(notes.list());
  if (!cache.absent && grown.length === 0 && isLasting(notes.list())) await cache.set(kind, files, JSON.stringify({ runs: runs.map(stored), notes: notes.list() }), context.notes);
  return runs;
}

/** The files that are not as they were found. */
export async function changed(files: readonly FoundFile[], { host }: Pick<ReadContext, "host">): Promise<FoundFile[]> {
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

/** Undefined for anything that is not exactly what `stored` writes. */
function restored(text: string | undefined, context: ReadContext): { runs: RunMetrics[]; notes: readonly TableNote[] } | undefined {
  if (text === undefined) return undefined;
  try {
    const { runs, notes } = JSON.parse(text) as { runs?: unknown; notes?: unknown };
    if (!Array.isArray(runs) || !Array.isArray(notes) || !notes.every(isNote)) return undefined;
    const made = runs.map((run) => restoredRun(run, context));
    return made.every((run) => run !== undefined) ? { runs: made, notes } : undefined;
  } catch {
    return undefined;
  }
}

function restoredRun(entry: unknown, context: ReadContext): RunMetrics | undefined {
  if (!isObject(entry) || !isObject(entry.series) || !isObject(entry.facts) || !Array.isArray(entry.names)) return undefined;
  const run = new RunMetrics(context.wants);
  for (const [name, lists] of Object.entries(entry.series)) {
    if (!Array.isArray(lists) || lists.length !== 3 || !lists.every(isNumbers)) return undefined;
    const [steps, values, lines] = lists;
    if (steps.length !== values.length || lines.length !== values.length) return undefined;
    run.series.set(name, { steps, values, lines });
  }
  for (const name of entry.names) {
    if (typeof name !== "string") return undefined;
    run.names.add(name);
  }
  for (const [key, value] of Object.entries(entry.facts)) {
    if (typeof value !== "string" && typeof value !== "number") return undefined;
    run.facts[key] = value;
  }
  if (entry.config !== null && !isObject(entry.config)) return undefined;
  run.config = entry.config ?? undefined;
  if (entry.name !== null && typeof entry.name !== "string") return undefined;
  run.name = entry.name ?? undefined;
  if (typeof entry.nonFinite !== "number") return undefined;
  run.nonFinite = entry.nonFinite;
  const first = entry.firstNonFinite;
  if (isObject(first) && typeof first.key === "string" && typeof first.line === "number") run.firstNonFinite = { key: first.key, line: first.line };
  else if (first !== null) return undefined;
  return run;
}

function isNumbers(value: Json): value is number[] {
  return Array.isArray(value) && value.every((item) => Number.isFinite(item));
}
