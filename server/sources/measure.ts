import type { Host } from "../host";
import { Notes } from "../records/notes";
import { exactDuplicates } from "../rollouts/duplicates";
import { summarise } from "../rollouts/summary";
import { Tally } from "../rollouts/tally";
import type { RolloutMeasure } from "../rollouts/types";
import { measureFiles, type MeasureOptions } from "./files/rollouts/measure";
import { sourceOf } from "./index";

/**
 * Measures rollouts: dumps (JSONL, CSV, Parquet, or folders of them), or a table where it is.
 * @throws only the signal's reason, when it is aborted
 */
export async function measureRollouts(
  host: Host,
  uris: readonly string[],
  options: MeasureOptions = {},
): Promise<RolloutMeasure> {
  const [first] = uris;
  const source = uris.length === 1 ? sourceOf(first) : undefined;
  if (!source?.rollouts) return measureFiles(host, uris, options);
  const notes = new Notes();
  const { columns, solvedAt = 1, duplicates, threshold, stores: query, signal } = options;
  const question = { host, notes, columns, solvedAt, duplicates, threshold, query, signal };
  const measured = await source.rollouts(first, question);
  const nothing = () => summarise(new Tally(1, false), exactDuplicates([]));
  return { ...(measured ?? nothing()), files: [first], notes: notes.list() };
}
