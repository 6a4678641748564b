import type { RunLog } from "./discover";
import { isObject, type Json, type JsonObject } from "../../records/json";
import { kept } from "./kept";
import type { LogReader, ReadContext } from "./readers/reader";
import type { FoundFile } from "../../records/files";
import { inOneRun } from "../../runs/joined";
import type { ReadingCache } from "../kept/readingCache";
import { RunMetrics } from "../../runs/series";

/**
 * The runs in a log, from the cache where its files have not changed since.
 * @param metric the run's own, where it states one
 */
export async function readLog(
  { reader, files: counted }: RunLog,
  context: ReadContext,
  cache: ReadingCache,
  metric?: string,
): Promise<RunMetrics[]> {
  return kept<RunMetrics[]>(
    {
      kind: metric === undefined ? reader.id : `${reader.id} ${JSON.stringify(metric)}`,
      // The files that the reading rests on may be more than those by which the log was found.
      files: !cache.absent && reader.rests ? await reader.rests(counted, context) : counted,
      counted,
      read: (notes) => readFiles(reader, counted, { ...context, notes }),
      stored: (runs) => runs.map(stored),
      restored: (value) => {
        const runs = Array.isArray(value) ? value.map((run) => restoredRun(run, context)) : [undefined];
        return runs.every((run) => run !== undefined) ? runs : undefined;
      },
    },
    context,
    cache,
  );
}

/** Files that are no parts of one another to their reader may still be of one run: a log, and that of its resumption. */
async function readFiles(reader: LogReader, files: readonly FoundFile[], context: ReadContext): Promise<RunMetrics[]> {
  if (reader.parts || files.length < 2) return reader.read(files, context);
  const byName = new Map<string, { run: RunMetrics; modified: number }[]>();
  for (const file of files)
    for (const run of await reader.read([file], context)) {
      const held = byName.get(run.name ?? "");
      const entry = { run, modified: file.modified };
      if (held) held.push(entry);
      else byName.set(run.name ?? "", [entry]);
    }
  return [...byName.values()].map((parts) => {
    if (parts.length === 1) return parts[0].run;
    // A resumption goes further than what it resumes; of the same length the later file is the later attempt.
    parts.sort((a, b) => (a.run.lastStep ?? -1) - (b.run.lastStep ?? -1) || a.modified - b.modified);
    return inOneRun(
      parts.map(({ run }) => run),
      context.wants,
      false,
    );
  });
}

function stored(run: RunMetrics): JsonObject {
  return {
    series: Object.fromEntries(
      [...run.series].map(([name, { steps, values, lines }]) => [name, [steps, values, lines]]),
    ),
    names: [...run.names],
    ranges: Object.fromEntries([...run.ranges].map(([name, range]) => [name, [...range]])),
    facts: run.facts,
    config: run.config ?? null,
    name: run.name ?? null,
    nonFinite: run.nonFinite,
    firstNonFinite: run.firstNonFinite ? { ...run.firstNonFinite } : null,
    reached: [run.firstStep, run.lastStep, run.gap, run.plannedSteps, run.lastTime].map((each) => each ?? null),
    ending: run.ending ? { ...run.ending } : null,
  };
}

/** Undefined for anything that is not exactly what `stored` writes. */
function restoredRun(entry: unknown, context: ReadContext): RunMetrics | undefined {
  if (!isObject(entry) || !isObject(entry.series) || !isObject(entry.facts) || !Array.isArray(entry.names))
    return undefined;
  const run = new RunMetrics(context.wants);
  for (const [name, lists] of Object.entries(entry.series)) {
    if (!Array.isArray(lists) || lists.length !== 3 || !lists.every(isNumbers)) return undefined;
    const [steps, values, lines] = lists;
    if (steps.length !== values.length || lines.length !== values.length) return undefined;
    run.series.set(name, { steps, values, lines });
  }
  if (!isObject(entry.ranges)) return undefined;
  for (const [name, range] of Object.entries(entry.ranges)) {
    if (!Array.isArray(range) || range.length !== 2 || !isNumbers(range)) return undefined;
    run.ranges.set(name, [range[0], range[1]]);
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
  if (isObject(first) && typeof first.key === "string" && typeof first.line === "number")
    run.firstNonFinite = { key: first.key, line: first.line };
  else if (first !== null) return undefined;
  const { reached, ending } = entry;
  if (!Array.isArray(reached) || reached.length !== 5) return undefined;
  const [firstStep, lastStep, gap, plannedSteps, lastTime] = reached.map((each) =>
    typeof each === "number" ? each : undefined,
  );
  Object.assign(run, { firstStep, lastStep, gap, plannedSteps, lastTime });
  if (isObject(ending)) {
    const { kind, text, line } = ending;
    if (
      (kind !== "finished" && kind !== "crashed" && kind !== "stopped") ||
      typeof text !== "string" ||
      typeof line !== "number"
    )
      return undefined;
    run.ending = { kind, text, line };
  } else if (ending !== null) return undefined;
  return run;
}

function isNumbers(value: Json): value is number[] {
  return Array.isArray(value) && value.every((item) => Number.isFinite(item));
}
