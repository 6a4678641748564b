import { RUN_COLUMNS } from "../columns";
import type { FoundFile } from "../files";
import { isObject, parseJson } from "../json";
import { type ParquetKind, parquetColumns } from "../parquet";
import type { RecordFormat } from "../recordTypes";
import { headerOf, type ReadContext } from "./reader";

const SAMPLES = 32;
const SAMPLE_BYTES = 128 * 1024;
const HEADER_BYTES = 256 * 1024;

/** The columns of a large file of flat rows. */
export interface SampledColumns {
  readonly names: readonly string[];
  /** Parquet: what they hold. */
  readonly kinds?: ReadonlyMap<string, ParquetKind>;
}

/** Of JSON lines the columns of samples all over the file. Undefined where rows are not flat. */
export async function sampledColumns(format: RecordFormat, file: FoundFile, { host }: ReadContext): Promise<SampledColumns | undefined> {
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
  const names = new Set<string>();
  for (let i = 0; i < SAMPLES; i++) {
    const start = Math.floor((i / (SAMPLES - 1)) * Math.max(0, file.size - SAMPLE_BYTES));
    const bytes = await host.readFile(file.uri, { start, end: Math.min(file.size, start + SAMPLE_BYTES) });
    const lines = new TextDecoder().decode(bytes).split("\n");
    for (const [at, line] of lines.entries()) {
      if ((at === 0 && start > 0) || line.trim() === "") continue;
      const row = parseJson(line);
      // The first and the last line of a sample may be cut.
      if (at === lines.length - 1 && row === undefined) continue;
      if (!isObject(row)) return undefined;
      for (const key in row) {
        const value = row[key];
        if (typeof value === "object" && value !== null) return undefined;
        // DuckDB would write a run called 1.0 as it stands, JavaScript as 1.
        if (typeof value === "number" && !Number.isInteger(value) && (RUN_COLUMNS as readonly string[]).includes(key)) return undefined;
        names.add(key);
      }
    }
    // Which columns say the run and the step is decided by the first row.
    if (names.size === 0) return undefined;
  }
  return { names: [...names] };
}
