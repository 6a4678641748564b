import type { DatasetRows, TrainFile } from "../frameworks/reading/read";
import { folderOf, joined } from "../syntax/uris";

interface RowsRequest {
  readonly uri: string;
  datasetRows?(uri: string): Promise<DatasetRows | undefined>;
}

/** Rows of all training files together; undefined when one of them cannot be counted, for a part is not the whole. */
export async function rowsOf(request: RowsRequest, files: readonly TrainFile[]): Promise<DatasetRows | undefined> {
  if (request.datasetRows === undefined || files.length === 0) return undefined;
  let rows = 0;
  let single: DatasetRows | undefined;
  const notes: string[] = [];
  for (const file of files) {
    const counted = await firstCounted(request, file.path);
    if (counted === undefined) return undefined;
    rows += Math.min(counted.rows, file.limit ?? Infinity);
    single = counted;
    notes.push(counted.note);
  }
  // Several files may share environments and tasks, and a limit may leave some out: their numbers are only known for one whole file.
  return files.length === 1 && single !== undefined && rows === single.rows ? single : { rows, note: notes.join("; ") };
}

/** A relative path is tried from the config's folder and from the folders above it: scripts run from the project's root. */
async function firstCounted(request: RowsRequest, path: string): Promise<DatasetRows | undefined> {
  if (/^[a-z][\w+.-]*:\/\//i.test(path) || /[$`{}*]/.test(path)) return undefined;
  if (path.startsWith("/") || path.startsWith("~"))
    return path.startsWith("/") ? request.datasetRows?.(joined(folderOf(request.uri), path)) : undefined;
  let folder = folderOf(request.uri);
  for (let up = 0; up < 8 && folder !== ""; up++) {
    const counted = await request.datasetRows?.(joined(folder, path));
    if (counted !== undefined) return counted;
    const above = folderOf(folder);
    if (above === folder || above.endsWith(":/") || above.endsWith("//")) break;
    folder = above;
  }
  return undefined;
}
