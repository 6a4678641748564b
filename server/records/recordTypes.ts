import type { Host } from "../host";
import { type FoundFile, unpackedName } from "./files";
import type { JsonObject } from "./json";
import type { Notes } from "./notes";

export type RecordFormat = "jsonl" | "csv" | "parquet";

/** Where a record stands. */
export interface RecordPlace {
  /** 1-based; of a Parquet file, the row. */
  readonly line: number;
  /** True where no field holds an object. */
  readonly flat?: boolean;
  /** 1-based column of a field's value, where the format has columns. */
  column(field: string): number | undefined;
}

export interface RecordReading {
  readonly host: Host;
  readonly file: FoundFile;
  readonly notes: Notes;
  readonly signal?: AbortSignal;
  readonly onBytes?: (count: number) => void;
  /** Parquet: only these columns (absent: all). */
  readonly only?: readonly string[];
  onRecord(record: JsonObject, place: RecordPlace): void;
}

export function recordFormat(name: string): RecordFormat | undefined {
  const plain = unpackedName(name.toLowerCase());
  if (/\.(jsonl|ndjson)$/.test(plain)) return "jsonl";
  if (/\.(csv|tsv)$/.test(plain)) return "csv";
  return /\.parquet$/.test(name.toLowerCase()) ? "parquet" : undefined;
}
