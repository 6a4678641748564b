import type { RunLog } from "./discover";
import { kept } from "./kept";
import type { LogReader, ReadContext } from "./readers/reader";
import type { FoundFile } from "../../records/files";
import { inOneRun } from "../../runs/joined";
import type { ReadingCache } from "../kept/readingCache";
import { restoredRun, storedRun } from "../kept/packedRun";
import type { RunMetrics } from "../../runs/series";

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
      stored: (runs) => runs.map(storedRun),
      restored: (value) => {
        const runs = Array.isArray(value) ? value.map((run) => restoredRun(run, context.wants)) : [undefined];
        return runs.every((run) => run !== undefined) ? runs : undefined;
      },
    },
    context,
    cache,
  );
}

/** What one file holds of a run. */
interface Attempt {
  readonly run: RunMetrics;
  readonly modified: number;
  readonly resumes: boolean;
}

const RESUMES = /resum|restart|contin/i;

/** Files that are no parts of one another to their reader may still be of one run: a log, and that of its resumption. */
async function readFiles(reader: LogReader, files: readonly FoundFile[], context: ReadContext): Promise<RunMetrics[]> {
  if (reader.parts || files.length < 2) return reader.read(files, context);
  const byName = new Map<string, Attempt[]>();
  for (const file of files)
    for (const run of await reader.read([file], context)) {
      const held = byName.get(run.name ?? "");
      const entry = { run, modified: file.modified, resumes: RESUMES.test(file.name) };
      if (held) held.push(entry);
      else byName.set(run.name ?? "", [entry]);
    }
  return [...byName.values()].map((parts) => {
    if (parts.length === 1) return parts[0].run;
    // A resumption is named so, or begins later than what it resumes, or goes further; else the later file is the later attempt.
    parts.sort(
      (a, b) =>
        Number(a.resumes) - Number(b.resumes) ||
        (a.run.firstStep ?? -1) - (b.run.firstStep ?? -1) ||
        (a.run.lastStep ?? -1) - (b.run.lastStep ?? -1) ||
        a.modified - b.modified,
    );
    return inOneRun(
      parts.map(({ run }) => run),
      context.wants,
      false,
    );
  });
}
