import type { FoundFile } from "../files";
import type { RecordFormat } from "../recordTypes";
import type { RunMetrics } from "../series";
import type { ReadContext } from "./reader";

/** Reads a large, clean file through the accelerator; undefined where the plain reader must. */
export async function scanFlat(_format: RecordFormat, _file: FoundFile, _context: ReadContext): Promise<RunMetrics[] | undefined> {
  return undefined;
}
