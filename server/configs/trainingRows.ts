import type { DatasetRows, TrainFile } from "../frameworks/reading/read";
import { folderOf, joined } from "../syntax/uris";

interface RowsRequest {
  readonly uri: string;
  datasetRows?(...uris: readonly string[]): Promise<DatasetRows | undefined>;
}

/** Rows of all training files together; undefined when one of them cannot be counted, for a part is not the whole. */
export async function rowsOf(request: RowsRequest, files: readonly TrainFile[]): Promise<DatasetRows | undefined> {
  if (request.datasetRows === undefined || files.length === 0) return undefined;
  const found: { readonly uri: string; readonly counted: DatasetRows }[] = [];
  for (const { path } of files) {
    const one = await firstCounted(request, path);
    if (one === undefined) return undefined;
    found.push(one);
  }
  const whole = found.every(({ counted }, i) => counted.rows <= (files[i].limit ?? Infinity));
  if (whole && found.length === 1) return found[0].counted;
  // Files may share environments and tasks.
  if (whole) return request.datasetRows(...found.map(({ uri }) => uri));
  // A limit may leave some out: their numbers are only known for whole files.
  const rows = found.reduce((sum, { counted }, i) => sum + Math.min(counted.rows, files[i].limit ?? Infinity), 0);
  return { rows, note: found.map(({ counted }) => counted.note).join("; ") };
}

/** A relative path is tried from the config's folder and from the folders above it: scripts run from the project's root. */
async function firstCounted(
  request: RowsRequest,
  path: string,
): Promise<{ readonly uri: string; readonly counted: DatasetRows } | undefined> {
  if (/^[a-z][\w+.-]*:\/\//i.test(path) || /[$`{}*]/.test(path)) return undefined;
  const at = async (uri: string) => {
    const counted = await request.datasetRows?.(uri);
    return counted && { uri, counted };
  };
  if (path.startsWith("~")) return undefined;
  if (path.startsWith("/")) return at(joined(folderOf(request.uri), path));
  let folder = folderOf(request.uri);
  for (let up = 0; up < 8 && folder !== ""; up++) {
    const found = await at(joined(folder, path));
    if (found !== undefined) return found;
    const above = folderOf(folder);
    if (above === folder || above.endsWith(":/") || above.endsWith("//")) break;
    folder = above;
  }
  return undefined;
}
