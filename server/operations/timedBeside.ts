import { isOwn, timedRuns, type TimedRun } from "../assessment/timedRuns";
import type { Host } from "../host";
import { folderOf } from "../syntax/uris";
import type { JobRunner } from "./jobs";

/** Logs as frameworks leave them beside a config. */
const LOG = /\.(log|out|jsonl|csv|txt)$|events\.out\.tfevents|^trainer_state\.json$/i;
const MOST_FILES = 12;
const LARGEST = 64 * 1024 * 1024;

/** Timed runs of the logs in a config's own folder, unless they are read anyway. Never rejects: a log that cannot be read tells nothing. */
export async function timedBeside(
  host: Host,
  jobs: JobRunner,
  uri: string,
  read: readonly TimedRun[] = [],
): Promise<readonly TimedRun[]> {
  if (read.some((run) => isOwn(run, uri))) return [];
  const folderUri = folderOf(uri);
  const sources: string[] = [];
  for (const { name, kind } of await host.list(folderUri)) {
    const file = `${folderUri}/${encodeURIComponent(name)}`;
    if (kind !== "file" || !LOG.test(name) || file === uri || sources.length >= MOST_FILES) continue;
    const about = await host.stat(file);
    if (about && about.size > 0 && about.size <= LARGEST) sources.push(file);
  }
  if (sources.length === 0) return [];
  try {
    const { table } = await jobs.run({ kind: "read-runs", folderUri, sources });
    return timedRuns(table);
  } catch {
    return [];
  }
}
