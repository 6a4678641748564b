import type * as Duckdb from "@duckdb/node-api";
import type { ScanBatch } from "../runs/options";

export type ChildMessage = { readonly kind: "batch"; readonly batch: ScanBatch } | { readonly kind: "done" } | { readonly kind: "error"; readonly message: string };

interface ChildRequest {
  readonly module: string;
  readonly path: string;
  readonly format: "jsonl" | "csv" | "parquet";
  readonly numbers: readonly string[];
  readonly texts: readonly string[];
  readonly anyOf: readonly string[];
}

/**
 * The program of the child process. It is handed over as text (so that no bundle of its own is needed) and therefore uses
 * nothing from outside itself. Rows are told in the order of the file; a value that is not exactly what a column should
 * hold is an error, since the plain reader then names its line.
 */
export function duckdbChild(require: NodeJS.Require, process: NodeJS.Process): void {
  const ROWS = 65536;
  let next: (() => void) | undefined;
  let credit = 2;

  const send = (message: ChildMessage) => process.send?.(message);

  const run = async (request: ChildRequest) => {
    const duckdb = require(request.module) as typeof Duckdb;
    const instance = await duckdb.DuckDBInstance.create(":memory:", {
      autoinstall_known_extensions: "false",
      autoload_known_extensions: "false",
      enable_external_access: "true",
      preserve_insertion_order: "true",
    });
    const connection = await instance.connect();
    const quoted = (name: string) => `"${name.replace(/"/g, '""')}"`;
    const literal = (text: string) => `'${text.replace(/'/g, "''")}'`;
    const columns = [...request.numbers, ...request.texts];
    let source: string;
    if (request.format === "jsonl") {
      const types = [...request.numbers.map((name) => `${literal(name)}: 'DOUBLE'`), ...request.texts.map((name) => `${literal(name)}: 'VARCHAR'`)].join(", ");
      source = `read_json(${literal(request.path)}, format = 'newline_delimited', compression = 'uncompressed', maximum_object_size = 33554432, columns = {${types}})`;
    } else if (request.format === "csv") {
      const delimiter = /\.tsv$/i.test(request.path) ? "\\t" : ",";
      source = `read_csv(${literal(request.path)}, header = true, all_varchar = true, quote = '"', escape = '"', delim = ${delimiter === "," ? "','" : "E'\\t'"}, compression = 'none', strict_mode = true, null_padding = false, max_line_size = 33554432)`;
    } else source = `read_parquet(${literal(request.path)})`;
    const number = (name: string) => (request.format === "csv" ? `CAST(nullif(trim(${quoted(name)}), '') AS DOUBLE)` : `CAST(${quoted(name)} AS DOUBLE)`);
    const text = (name: string) => `CAST(${quoted(name)} AS VARCHAR)`;
    const present = (name: string) => (request.format === "csv" ? `nullif(trim(${quoted(name)}), '') IS NOT NULL` : `${quoted(name)} IS NOT NULL`);
    const selected = [...request.numbers.map(number), ...request.texts.map(text)].join(", ");
    const result = await connection.stream(`SELECT ${selected} FROM ${source} WHERE ${request.anyOf.map(present).join(" OR ")}`);

    let rows = 0;
    let values: Float64Array[] = [];
    let words: (string | null)[][] = [];
    const reset = () => {
      rows = 0;
      values = request.numbers.map(() => new Float64Array(ROWS));
      words = request.texts.map(() => []);
    };
    const flush = async () => {
      if (rows === 0) return;
      while (credit <= 0) await new Promise<void>((resolve) => (next = resolve));
      credit--;
      const numbers: Record<string, Float64Array> = {};
      const texts: Record<string, (string | null)[]> = {};
      request.numbers.forEach((name, i) => (numbers[name] = values[i].slice(0, rows)));
      request.texts.forEach((name, i) => (texts[name] = words[i]));
      send({ kind: "batch", batch: { numbers, texts, rows } });
      reset();
    };
    reset();
    for (;;) {
      const chunk = await result.fetchChunk();
      if (!chunk || chunk.rowCount === 0) break;
      if (rows + chunk.rowCount > ROWS) await flush();
      for (let c = 0; c < columns.length; c++) {
        const column = chunk.getColumnValues(c);
        if (c < request.numbers.length) {
          const into = values[c];
          for (let i = 0; i < column.length; i++) {
            const value = column[i];
            if (value !== null && !Number.isFinite(value)) throw new Error(`a value of ${columns[c]} is not finite`);
            into[rows + i] = value === null ? NaN : (value as number);
          }
        } else words[c - request.numbers.length].push(...(column as (string | null)[]));
      }
      rows += chunk.rowCount;
    }
    await flush();
    send({ kind: "done" });
  };

  process.on("message", (message) => {
    if (message === "next") {
      credit++;
      next?.();
      return;
    }
    run(message as ChildRequest).catch((error: unknown) => send({ kind: "error", message: String(error instanceof Error ? error.message : error) }));
  });
  process.on("disconnect", () => process.exit(0));
}
