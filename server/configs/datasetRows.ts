import type { AsyncBuffer } from "hyparquet";
import Papa from "papaparse";
import type { Host } from "../host";
import type { DatasetRows } from "../frameworks/reading/derive";
import { nameOf } from "../syntax/uris";

/** Text files above this are not read through for a count (bytes). */
const MAX_TEXT = 256 * 1024 * 1024;
/** Up to this, the rows themselves are looked at for environments and task ids (bytes; of a Parquet column, compressed). */
const MAX_VALUES = 16 * 1024 * 1024;
const MAX_ROWS = 250_000;
/** Bytes of those columns once they are unpacked: a text that a dictionary repeats may be any number of them. */
const MAX_UNPACKED = 64 * 1024 * 1024;
const CACHED = 200;

/** Columns that say which environment a row belongs to, and which task it is; the first that is there counts. */
const ENVIRONMENT_COLUMNS = ["env_id", "environment", "env_name", "env_class", "env", "data_source"] as const;
const TASK_COLUMNS = ["task_id", "instance_id", "problem_id", "question_id"] as const;

const caches = new WeakMap<Host, Map<string, Promise<DatasetRows | undefined>>>();

/**
 * Rows of a training file in the workspace: from a Parquet footer, the lines of JSONL, the records of CSV or TSV, or the items of a JSON list;
 * with distinct environments and tasks where columns say so. Undefined for what is absent, of another kind, damaged, or too large to count.
 * Kept until the file's size or time changes.
 */
export async function datasetRows(host: Host, uri: string): Promise<DatasetRows | undefined> {
  const stat = await host.stat(uri);
  if (stat === undefined || stat.kind !== "file") return undefined;
  let cache = caches.get(host);
  if (cache === undefined) caches.set(host, (cache = new Map()));
  const key = `${uri}\n${stat.size}\n${stat.modified}`;
  let counted = cache.get(key);
  if (counted === undefined) {
    counted = count(host, uri, stat.size).catch(() => undefined);
    if (cache.size >= CACHED)
      for (const oldest of cache.keys()) {
        cache.delete(oldest);
        break;
      }
    cache.set(key, counted);
  }
  return counted;
}

async function count(host: Host, uri: string, size: number): Promise<DatasetRows | undefined> {
  const name = decoded(nameOf(uri));
  switch (/\.(parquet|jsonl|ndjson|csv|tsv|json)$/i.exec(name)?.[1].toLowerCase()) {
    case "parquet":
      return parquetRows(host, uri, size, name);
    case "jsonl":
    case "ndjson":
      return size > MAX_TEXT ? undefined : lineRows(host, uri, size, name);
    case "csv":
    case "tsv":
      return size > MAX_TEXT ? undefined : csvRows(host, uri, size, name);
    case "json":
      return size > MAX_VALUES ? undefined : listRows(host, uri, name);
    default:
      return undefined;
  }
}

/** Distinct values of the columns that name environments and tasks. */
class Distinct {
  readonly #environments: Seen = new Map();
  readonly #tasks: Seen = new Map();

  see(row: unknown): void {
    if (typeof row !== "object" || row === null) return;
    const values = row as Readonly<Record<string, unknown>>;
    add(this.#environments, ENVIRONMENT_COLUMNS, values);
    add(this.#tasks, TASK_COLUMNS, values);
  }

  result(rows: number, name: string): DatasetRows {
    const environments = first(this.#environments, ENVIRONMENT_COLUMNS);
    // An id that some rows lack tells nothing about how many tasks there are.
    const tasks = first(this.#tasks, TASK_COLUMNS);
    const complete = tasks !== undefined && tasks.rows === rows && !tasks.values.has("");
    const notes = [`${plural(rows, "row")} in ${name}`];
    if (complete && tasks.values.size < rows)
      notes.push(`${plural(tasks.values.size, "distinct task")} by \`${tasks.column}\``);
    if (environments !== undefined)
      notes.push(`${plural(environments.values.size, "environment")} by \`${environments.column}\``);
    return {
      rows,
      note: notes.join(", "),
      ...(environments === undefined ? {} : { environments: environments.values.size }),
      ...(complete && tasks.values.size < rows ? { tasks: tasks.values.size } : {}),
    };
  }
}

/** Per column, its distinct values and how many rows have it. */
type Seen = Map<string, { readonly values: Set<string>; rows: number }>;

function add(into: Seen, columns: readonly string[], row: Readonly<Record<string, unknown>>): void {
  for (const column of columns) {
    if (!Object.hasOwn(row, column)) continue;
    const value = row[column];
    let seen = into.get(column);
    if (seen === undefined) into.set(column, (seen = { values: new Set(), rows: 0 }));
    seen.rows++;
    seen.values.add(
      value === null || value === undefined
        ? ""
        : typeof value === "object"
          ? JSON.stringify(value, (_, inner: unknown) => (typeof inner === "bigint" ? String(inner) : inner))
          : String(value),
    );
  }
}

function first(
  seen: Seen,
  columns: readonly string[],
): { readonly column: string; readonly values: ReadonlySet<string>; readonly rows: number } | undefined {
  for (const column of columns) {
    const found = seen.get(column);
    if (found !== undefined && !(found.values.size === 1 && found.values.has(""))) return { column, ...found };
  }
  return undefined;
}

function plural(value: number, noun: string): string {
  return `${value.toLocaleString("en-GB")} ${noun}${value === 1 ? "" : "s"}`;
}

async function parquetRows(host: Host, uri: string, size: number, name: string): Promise<DatasetRows | undefined> {
  const bytesOf = async (start: number, end: number): Promise<ArrayBuffer> => {
    const bytes = await host.readFile(uri, { start, end });
    if (bytes === undefined || bytes.length !== end - start) throw new Error("The file is shorter than it says.");
    return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
  };
  const file: AsyncBuffer = {
    byteLength: size,
    slice(start, end = size) {
      const bytes = bytesOf(start, end);
      // The reader asks for several pieces at once and drops the others when one fails: their failure must not end the process.
      bytes.catch(() => undefined);
      return bytes;
    },
  };
  const { compressors, parquetMetadataAsync, parquetReadObjects } = await import("../records/parquetCodec");
  const metadata = await parquetMetadataAsync(file);
  const rows = Number(metadata.num_rows);
  // A damaged footer can claim any number; a real one cannot hold thousands of rows a byte.
  if (!Number.isInteger(rows) || rows < 0 || rows > Math.max(1e6, size * 1000)) return undefined;
  const distinct = new Distinct();
  const wanted = [ENVIRONMENT_COLUMNS, TASK_COLUMNS].flatMap((names) => {
    const column = names.find((candidate) =>
      metadata.schema.some((element) => element.name === candidate && element.num_children === undefined),
    );
    return column === undefined ? [] : [column];
  });
  const bytes = metadata.row_groups
    .flatMap((group) => group.columns)
    .filter((column) => wanted.some((one) => column.meta_data?.path_in_schema[0] === one))
    .reduce((sum, column) => sum + Number(column.meta_data?.total_compressed_size ?? 0), 0);
  const longest = metadata.row_groups
    .flatMap((group) => group.columns)
    .filter((column) => wanted.some((one) => column.meta_data?.path_in_schema[0] === one))
    .reduce((most, column) => Math.max(most, Number(column.meta_data?.total_uncompressed_size ?? 0)), 0);
  if (wanted.length > 0 && rows <= MAX_ROWS && bytes <= MAX_VALUES && longest <= MAX_UNPACKED) {
    try {
      for (const row of await parquetReadObjects({ file, metadata, columns: wanted, compressors })) distinct.see(row);
    } catch {
      // The footer counts the rows all the same.
      return new Distinct().result(rows, name);
    }
  }
  return distinct.result(rows, name);
}

/** Lines that are not blank; the last one need not end. */
async function lineRows(host: Host, uri: string, size: number, name: string): Promise<DatasetRows | undefined> {
  if (size <= MAX_VALUES) {
    const bytes = await host.readFile(uri);
    if (bytes === undefined) return undefined;
    const distinct = new Distinct();
    let rows = 0;
    for (const line of new TextDecoder().decode(bytes).split("\n")) {
      if (line.trim() === "") continue;
      rows++;
      try {
        distinct.see(JSON.parse(line));
      } catch {
        // A line that cannot be read is still a row; its columns say nothing.
      }
    }
    return distinct.result(rows, name);
  }
  let rows = 0;
  let blank = true;
  for await (const piece of host.readChunks(uri)) {
    for (const byte of piece) {
      if (byte === 10) {
        if (!blank) rows++;
        blank = true;
      } else if (byte !== 13 && byte !== 32 && byte !== 9) blank = false;
    }
  }
  return new Distinct().result(blank ? rows : rows + 1, name);
}

/** Records after the header. Line ends within quotes belong to a field. */
async function csvRows(host: Host, uri: string, size: number, name: string): Promise<DatasetRows | undefined> {
  if (size <= MAX_VALUES) {
    const bytes = await host.readFile(uri);
    if (bytes === undefined) return undefined;
    const parsed = Papa.parse<Record<string, unknown>>(new TextDecoder().decode(bytes), {
      header: true,
      skipEmptyLines: "greedy",
      ...(/\.tsv$/i.test(name) ? { delimiter: "\t" } : {}),
    });
    const distinct = new Distinct();
    for (const row of parsed.data) distinct.see(row);
    return distinct.result(parsed.data.length, name);
  }
  let records = 0;
  let quoted = false;
  let blank = true;
  for await (const piece of host.readChunks(uri)) {
    for (const byte of piece) {
      if (byte === 34) quoted = !quoted;
      if (byte === 10 && !quoted) {
        if (!blank) records++;
        blank = true;
      } else if (byte !== 13) blank = false;
    }
  }
  if (!blank) records++;
  return new Distinct().result(Math.max(0, records - 1), name);
}

async function listRows(host: Host, uri: string, name: string): Promise<DatasetRows | undefined> {
  const bytes = await host.readFile(uri);
  if (bytes === undefined) return undefined;
  const list: unknown = JSON.parse(new TextDecoder().decode(bytes));
  if (!Array.isArray(list)) return undefined;
  const distinct = new Distinct();
  for (const row of list) distinct.see(row);
  return distinct.result(list.length, name);
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
