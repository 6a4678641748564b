import type { DatasetRows } from "../configs/framework";
import type { Host } from "../host";
import { parquetColumns } from "../runs/parquet";

/** Larger text files are not read through for a count. */
const LARGEST = 256 * 1024 * 1024;

const kept = new WeakMap<Host, Map<string, Promise<DatasetRows | undefined>>>();

/** Rows of a training file: a Parquet footer, or the lines of JSONL. Undefined where it is absent or of another kind. */
export async function datasetRows(host: Host, uri: string): Promise<DatasetRows | undefined> {
  const stat = await host.stat(uri);
  if (stat?.kind !== "file") return undefined;
  let counts = kept.get(host);
  if (!counts) kept.set(host, counts = new Map());
  const key = `${uri}\n${stat.size}\n${stat.modified}`;
  let rows = counts.get(key);
  if (!rows) {
    rows = countRows(host, uri, stat.size, stat.modified).catch(() => undefined);
    counts.set(key, rows);
  }
  return rows;
}

async function countRows(host: Host, uri: string, size: number, modified: number): Promise<DatasetRows | undefined> {
  const name = decoded(uri.slice(uri.lastIndexOf("/") + 1));
  const found = (rows: number): DatasetRows => ({ rows, note: `${rows.toLocaleString("en-US")} rows in ${name}` });
  if (/\.parquet$/i.test(name)) {
    const columns = await parquetColumns(host, { uri, name, path: name, size, modified });
    return columns && found(columns.rows);
  }
  if (!/\.jsonl$/i.test(name) || size > LARGEST) return undefined;
  let lines = 0;
  let blank = true;
  for await (const piece of host.readChunks(uri)) {
    for (const byte of piece) {
      if (byte === 10) {
        if (!blank) lines++;
        blank = true;
      } else if (byte !== 13 && byte !== 32) blank = false;
    }
  }
  return found(blank ? lines : lines + 1);
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
