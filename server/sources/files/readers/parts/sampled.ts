import { RUN_COLUMNS } from "../../../../runs/columns";
import type { FoundFile } from "../../../../records/files";
import { isObject, parseJson } from "../../../../records/json";
import { type ParquetKind, parquetColumns } from "../../../../records/parquet";
import type { RecordFormat } from "../../../../records/recordTypes";
import { sameNames } from "./rowShapes";
import { headerOf, type ReadContext } from "../reader";

const SAMPLES = 32;
const SAMPLE_BYTES = 128 * 1024;
const HEADER_BYTES = 256 * 1024;

/** The columns of a large file of flat rows. */
export interface SampledColumns {
  readonly names: readonly string[];
  /** Parquet: what they hold. */
  readonly kinds?: ReadonlyMap<string, ParquetKind>;
  /** JSON lines: the runs that the samples met, by the column that names them. */
  readonly runs?: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Of JSON lines the columns of samples all over the file. Undefined where rows are not flat. */
export async function sampledColumns(
  format: RecordFormat,
  file: FoundFile,
  { host }: ReadContext,
): Promise<SampledColumns | undefined> {
  if (format === "parquet") {
    const found = await parquetColumns(host, file);
    return found && ![...found.kinds.values()].includes("nested") ? found : undefined;
  }
  if (format === "csv") {
    const head = await host.readFile(file.uri, { end: HEADER_BYTES });
    const text = head && new TextDecoder().decode(head);
    const names = text?.includes("\n") ? headerOf(text) : undefined;
    return names && new Set(names).size === names.length ? { names } : undefined;
  }
  const starts = Array.from({ length: SAMPLES }, (_, i) =>
    Math.floor((i / (SAMPLES - 1)) * Math.max(0, file.size - SAMPLE_BYTES)),
  );
  const samples = await Promise.all(
    starts.map((start) => host.readFile(file.uri, { start, end: Math.min(file.size, start + SAMPLE_BYTES) })),
  );
  const names = new Set<string>();
  const met = new Map<string, Set<string>>(RUN_COLUMNS.map((name) => [name, new Set()]));
  for (const [i, bytes] of samples.entries()) {
    if (!readSample(new TextDecoder().decode(bytes), i === 0, names, met)) return undefined;
    // Which columns say the run and the step is decided by the first row.
    if (names.size === 0) return undefined;
  }
  return { names: [...names], runs: met };
}

/** Adds the names of a sample's rows; false where a row is not flat, or only the plain reader says what it means. */
function readSample(text: string, first: boolean, names: Set<string>, met: ReadonlyMap<string, Set<string>>): boolean {
  const lines = text.split("\n");
  let known: readonly string[] = [];
  let runs: readonly string[] = [];
  for (const [at, line] of lines.entries()) {
    if ((at === 0 && !first) || line.trim() === "") continue;
    const row = parseJson(line);
    // The first and the last line of a sample may be cut.
    if (at === lines.length - 1 && row === undefined) continue;
    if (!isObject(row)) return false;
    if (
      (line.includes("{", 1) || line.includes("[")) &&
      Object.values(row).some((value) => typeof value === "object" && value !== null)
    )
      return false;
    const keys = Object.keys(row);
    if (!sameNames(known, keys)) {
      known = keys;
      runs = RUN_COLUMNS.filter((name) => keys.includes(name));
      for (const key of keys) names.add(key);
    }
    for (const name of runs) {
      const label = row[name];
      // DuckDB would write a run called 1.0 as it stands, JavaScript as 1.
      if (typeof label === "number" && !Number.isInteger(label)) return false;
      if (typeof label === "string" || typeof label === "number") met.get(name)?.add(String(label));
    }
  }
  return true;
}
