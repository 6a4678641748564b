import type { RunRow } from "../../core/table";
import type { FoundTable } from "./classify";
import type { Columns } from "../../runs/columns";
import { kept } from "./kept";
import type { RunOptions } from "../../runs/options";
import type { ReadContext } from "./readers/reader";
import type { ReadingCache } from "../kept/readingCache";
import { readTableFile } from "./tables";

/** The rows of a table file, from the cache where it has not changed since. */
export async function readTable(
  { file, format }: FoundTable,
  context: ReadContext,
  columns: Columns,
  { facts, factsKey, scale }: Pick<RunOptions, "facts" | "factsKey" | "scale">,
  cache: ReadingCache,
): Promise<readonly RunRow[]> {
  return kept<readonly RunRow[]>(
    {
      // Rows without a name are called by the path of their file, which is as the source is: `runs` or `runs/a`.
      kind: `table ${format} ${JSON.stringify([file.path, factsKey ?? facts?.([file.uri]) ?? null, scale ?? null])}`,
      files: [file],
      counted: [file],
      read: (notes) => readTableFile(format, { ...context, notes, file }, columns, facts, scale),
      stored: (rows) => rows,
      restored: (value) => {
        const rows: readonly unknown[] = Array.isArray(value) ? value : [undefined];
        return rows.every(isRow) ? rows : undefined;
      },
    },
    context,
    cache,
  );
}

/** What a table's rows have in all cases; the rest is as it was written, since an entry is whole or not there. */
export function isRow(value: unknown): value is RunRow {
  if (typeof value !== "object" || value === null) return false;
  const { id, axes, outcome, setting, files } = value as Partial<Record<keyof RunRow, unknown>>;
  return (
    typeof id === "string" &&
    typeof setting === "string" &&
    typeof axes === "object" &&
    axes !== null &&
    Object.values(axes).every(Number.isFinite) &&
    typeof outcome === "object" &&
    outcome !== null &&
    ["counts", "rate", "loss"].includes((outcome as { kind?: unknown }).kind as string) &&
    Array.isArray(files) &&
    files.every((file) => typeof file === "string")
  );
}
