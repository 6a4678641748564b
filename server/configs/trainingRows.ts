import type { DatasetRows, TrainFile } from "../frameworks/reading/read";
import { folderOf, joined } from "../syntax/uris";
import type { WantedFile } from "./datasetRows";

interface RowsRequest {
  readonly uri: string;
  datasetRows?(files: readonly WantedFile[]): Promise<DatasetRows | undefined>;
}

/** Rows of all training files together; undefined when one of them cannot be counted, for a part is not the whole. */
export async function rowsOf(request: RowsRequest, files: readonly TrainFile[]): Promise<DatasetRows | undefined> {
  if (files.length === 0) return undefined;
  return request.datasetRows?.(files.map(({ path, limit }) => ({ places: placesOf(request.uri, path), limit })));
}

/** A relative path may start in the config's folder and in the folders above it: scripts run from the project's root. */
function placesOf(config: string, path: string): string[] {
  if (/^[a-z][\w+.-]*:\/\//i.test(path) || /[$`{}*]/.test(path) || path.startsWith("~")) return [];
  let folder = folderOf(config);
  if (path.startsWith("/")) return [joined(folder, path)];
  const places: string[] = [];
  for (let up = 0; up < 8 && folder !== ""; up++) {
    places.push(joined(folder, path));
    const above = folderOf(folder);
    if (above === folder || above.endsWith(":/") || above.endsWith("//")) break;
    folder = above;
  }
  return places;
}
