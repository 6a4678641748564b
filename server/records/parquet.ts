import type { AsyncBuffer, FileMetaData } from "hyparquet";
import type { Host } from "../host";
import { ReadFault } from "./bytes";
import type { FoundFile } from "./files";
import type { Json, JsonObject } from "./json";
import type { RecordReading } from "./recordTypes";

/** A Parquet file as its reader asks for it: byte ranges through the host. */
function asyncBuffer(
  host: Host,
  file: FoundFile,
  signal?: AbortSignal,
  onBytes?: (count: number) => void,
): AsyncBuffer {
  const read = async (start: number, end: number): Promise<ArrayBuffer> => {
    signal?.throwIfAborted();
    if (start < 0 || end > file.size || start > end)
      throw new ReadFault("log.parquet", "The Parquet file points outside itself; it is damaged.");
    const bytes = await host.readFile(file.uri, { start, end });
    if (!bytes) throw new ReadFault("log.unreadable", "The Parquet file cannot be read.");
    if (bytes.length !== end - start)
      throw new ReadFault("log.parquet", "The Parquet file is shorter than it says; it may still be being written.");
    onBytes?.(bytes.length);
    return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer;
  };
  return {
    byteLength: file.size,
    slice(start: number, end: number = file.size) {
      const bytes = read(start, end);
      // The reader asks for several pieces at once and drops the others when one fails: their failure must not end the process.
      bytes.catch(() => undefined);
      return bytes;
    },
  };
}

const library = () => import("./parquetCodec");

/** Rows that a small file may hold, and rows a byte of a larger one: a log's steps differ, and take their place even packed. */
const MOST_ROWS = 250_000;
const ROWS_A_BYTE = 16;
/** Values of one row group, which is held as a whole. */
const MOST_VALUES = 20_000_000;
/** Rows that are made at once. */
const ROWS_AT_ONCE = 50_000;
const MOST_COLUMNS = 5_000;

/** A footer can claim any number of rows, and six kilobytes can hold five million that are all the same: no log is like that. */
function checkMetadata(metadata: FileMetaData, size: number): void {
  let rows = 0;
  const most = Math.max(MOST_ROWS, ROWS_A_BYTE * size);
  if (metadata.schema.length > MOST_COLUMNS)
    throw new ReadFault("log.parquet", `The Parquet file has more than ${MOST_COLUMNS} columns and was left out.`);
  for (const group of metadata.row_groups) {
    const count = Number(group.num_rows);
    if (
      !(count >= 0) ||
      count > 1e8 ||
      group.columns.some((column) => Number(column.meta_data?.num_values ?? 0) > Math.max(most, MOST_VALUES))
    ) {
      throw new ReadFault("log.parquet", "The Parquet footer is damaged: it claims more rows than the file can hold.");
    }
    rows += count;
  }
  if (rows > most)
    throw new ReadFault(
      "log.parquet",
      `The Parquet file claims ${rows} rows in ${size} bytes: it is damaged, or its rows say nothing; it was left out.`,
    );
}

/** What a column of a Parquet file holds; `other`: dates, decimals, truth values and whatever else is neither number nor text. */
export type ParquetKind = "number" | "float" | "integer" | "text" | "nested" | "other";

function kindOf({
  type,
  num_children,
  repetition_type,
  converted_type,
  logical_type,
}: FileMetaData["schema"][number]): ParquetKind {
  if (num_children || repetition_type === "REPEATED") return "nested";
  const logical = logical_type?.type;
  if (type === "BYTE_ARRAY") return converted_type === "UTF8" || logical === "STRING" ? "text" : "other";
  const whole = logical === undefined || logical === "INTEGER";
  if (
    (type === "INT32" || type === "INT64") &&
    whole &&
    (converted_type === undefined || /^INT_\d+$/.test(converted_type))
  )
    return "integer";
  if (converted_type !== undefined || logical !== undefined) return "other";
  return type === "DOUBLE" ? "number" : type === "FLOAT" ? "float" : "other";
}

function columnsIn(metadata: FileMetaData): {
  names: string[];
  kinds: ReadonlyMap<string, ParquetKind>;
  rows: number;
} {
  const names: string[] = [];
  const kinds = new Map<string, ParquetKind>();
  // The schema is a tree written depth first; the root's children are the columns.
  let at = 1;
  const skip = (): void => {
    const children = metadata.schema[at++]?.num_children ?? 0;
    for (let i = 0; i < children && at < metadata.schema.length; i++) skip();
  };
  while (at < metadata.schema.length) {
    names.push(metadata.schema[at].name);
    kinds.set(metadata.schema[at].name, kindOf(metadata.schema[at]));
    skip();
  }
  return { names, kinds, rows: Number(metadata.num_rows) };
}

/** Columns of a Parquet file (the top level only) with what they hold, and its rows; undefined when it is none. */
export async function parquetColumns(
  host: Host,
  file: FoundFile,
): Promise<{ names: string[]; kinds: ReadonlyMap<string, ParquetKind>; rows: number } | undefined> {
  try {
    const { parquetMetadataAsync } = await library();
    const metadata = await parquetMetadataAsync(asyncBuffer(host, file));
    checkMetadata(metadata, file.size);
    return columnsIn(metadata);
  } catch {
    return undefined;
  }
}

/** Bytes of a row group's columns once they are unpacked. */
const MOST_UNPACKED = 512 * 1024 * 1024;

function checkPages(group: FileMetaData["row_groups"][number], chosen: readonly string[] | undefined): void {
  const wanted = group.columns.filter(
    ({ meta_data }) => meta_data && (!chosen || chosen.includes(meta_data.path_in_schema[0])),
  );
  const bytes = wanted.reduce((sum, { meta_data }) => sum + Number(meta_data?.total_uncompressed_size ?? 0), 0);
  const values = wanted.reduce((sum, { meta_data }) => sum + Number(meta_data?.num_values ?? 0), 0);
  if (bytes > MOST_UNPACKED || values > MOST_VALUES)
    throw new ReadFault("log.parquet", "A part of the Parquet file is larger than can be held; it was left out.");
}

/** Rows of a Parquet file, some at a time. */
export async function readParquet({ host, file, signal, onBytes, only, onRecord }: RecordReading): Promise<void> {
  const { compressors, parquetMetadataAsync, parquetReadObjects } = await library();
  const buffer = asyncBuffer(host, file, signal, onBytes);
  const metadata = await parquetMetadataAsync(buffer);
  checkMetadata(metadata, file.size);
  const present = columnsIn(metadata).names;
  const chosen = only?.filter((name) => present.includes(name));
  let start = 0;
  for (const group of metadata.row_groups) {
    signal?.throwIfAborted();
    const end = start + Number(group.num_rows);
    checkPages(group, chosen);
    for (let from = start; from < end; from += ROWS_AT_ONCE) {
      signal?.throwIfAborted();
      const rows = await parquetReadObjects({
        file: buffer,
        metadata,
        compressors,
        rowStart: from,
        rowEnd: Math.min(end, from + ROWS_AT_ONCE),
        ...(chosen ? { columns: chosen } : {}),
      });
      for (const [i, row] of rows.entries())
        onRecord(plain(row) as JsonObject, { line: from + i + 1, column: () => undefined });
    }
    start = end;
  }
}

/** Parquet gives big integers and dates; rows are told in JSON's terms. */
function plain(value: unknown): Json {
  if (typeof value === "bigint") return Number(value);
  if (value instanceof Date) return value.toISOString();
  if (value === undefined) return null;
  if (Array.isArray(value)) return value.map(plain);
  if (ArrayBuffer.isView(value)) return Array.from(value as unknown as ArrayLike<number | bigint>, Number);
  if (typeof value === "object" && value !== null) {
    const object: JsonObject = {};
    for (const [key, item] of Object.entries(value)) object[key] = plain(item);
    return object;
  }
  return value as Json;
}
