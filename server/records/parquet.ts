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
  return {
    byteLength: file.size,
    async slice(start: number, end: number = file.size) {
      signal?.throwIfAborted();
      if (start < 0 || end > file.size || start > end)
        throw new ReadFault("log.parquet", "The Parquet file points outside itself; it is damaged.");
      const bytes = await host.readFile(file.uri, { start, end });
      if (!bytes) throw new ReadFault("log.unreadable", "The Parquet file cannot be read.");
      if (bytes.length !== end - start)
        throw new ReadFault("log.parquet", "The Parquet file is shorter than it says; it may still be being written.");
      onBytes?.(bytes.length);
      return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer;
    },
  };
}

const library = () => import("./parquetCodec");

/** A damaged footer can claim any number of rows; a real one cannot claim a thousand per byte. */
function checkMetadata(metadata: FileMetaData, size: number): void {
  let rows = 0;
  for (const group of metadata.row_groups) {
    const count = Number(group.num_rows);
    if (
      !(count >= 0) ||
      count > 1e8 ||
      group.columns.some((column) => Number(column.meta_data?.num_values ?? 0) > Math.max(1e6, size * 1000))
    ) {
      throw new ReadFault("log.parquet", "The Parquet footer is damaged: it claims more rows than the file can hold.");
    }
    rows += count;
  }
  if (rows > Math.max(1e6, size * 1000))
    throw new ReadFault("log.parquet", "The Parquet footer is damaged: it claims more rows than the file can hold.");
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

/** Columns of a Parquet file (the top level only) with what they hold, and its rows; undefined when it is none. */
export async function parquetColumns(
  host: Host,
  file: FoundFile,
): Promise<{ names: string[]; kinds: ReadonlyMap<string, ParquetKind>; rows: number } | undefined> {
  try {
    const { parquetMetadataAsync } = await library();
    const metadata = await parquetMetadataAsync(asyncBuffer(host, file));
    checkMetadata(metadata, file.size);
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
  } catch {
    return undefined;
  }
}

/** Rows of a Parquet file, a row group at a time. */
export async function readParquet({ host, file, signal, onBytes, only, onRecord }: RecordReading): Promise<void> {
  const { compressors, parquetMetadataAsync, parquetReadObjects } = await library();
  const buffer = asyncBuffer(host, file, signal, onBytes);
  const metadata = await parquetMetadataAsync(buffer);
  checkMetadata(metadata, file.size);
  const present = await parquetColumns(host, file);
  const chosen = only && present ? only.filter((name) => present.names.includes(name)) : undefined;
  let start = 0;
  for (const group of metadata.row_groups) {
    signal?.throwIfAborted();
    const end = start + Number(group.num_rows);
    const rows = await parquetReadObjects({
      file: buffer,
      metadata,
      compressors,
      rowStart: start,
      rowEnd: end,
      ...(chosen ? { columns: chosen } : {}),
    });
    for (const [i, row] of rows.entries())
      onRecord(plain(row) as JsonObject, { line: start + i + 1, column: () => undefined });
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
