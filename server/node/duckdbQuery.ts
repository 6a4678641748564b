import type { ChildRequest } from "./duckdbProcess";

/** A row of metrics is never longer; a file that has one is read plainly. */
const LONGEST_ROW = 1024 * 1024;

/** Stands for a text that is not there: no log writes it, and a NULL's cell holds anything. */
export const ABSENT = "\u0001";

const quoted = (name: string) => `"${name.replace(/"/g, '""')}"`;
const literal = (text: string) => `'${text.replace(/'/g, "''")}'`;

/** A path is one file, whatever it is called: DuckDB takes brackets and stars for a pattern, and `step=5/` for a column. */
const pathOf = (path: string) => `${literal(path.replace(/[*?[]/g, "[$&]"))}, hive_partitioning = false`;

function sourceOf({ format, path, numbers, texts }: ChildRequest): string {
  if (format === "parquet") return `read_parquet(${pathOf(path)})`;
  if (format === "csv") {
    const delimiter = /\.tsv$/i.test(path) ? "E'\\t'" : "','";
    return `read_csv(${pathOf(path)}, header = true, all_varchar = true, quote = '"', escape = '"', delim = ${delimiter}, compression = 'none', strict_mode = true, comment = '', skip = 0, null_padding = false, max_line_size = ${LONGEST_ROW})`;
  }
  const types = [
    ...numbers.map((name) => `${literal(name)}: 'DOUBLE'`),
    ...texts.map((name) => `${literal(name)}: 'VARCHAR'`),
  ].join(", ");
  return `read_json(${pathOf(path)}, format = 'newline_delimited', compression = 'uncompressed', maximum_object_size = ${LONGEST_ROW}, columns = {${types}})`;
}

/**
 * The query of a scan: the numbers as DOUBLE, then the texts as VARCHAR. A value that is not exactly what its column
 * should hold is an error, since the plain reader then names its line.
 */
export function queryOf(request: ChildRequest): string {
  const written = request.format === "csv";
  const number = (name: string) =>
    written ? `CAST(nullif(trim(${quoted(name)}), '') AS DOUBLE)` : `CAST(${quoted(name)} AS DOUBLE)`;
  const text = (name: string) => `coalesce(CAST(${quoted(name)} AS VARCHAR), ${literal(ABSENT)})`;
  const present = (name: string) =>
    written ? `nullif(trim(${quoted(name)}), '') IS NOT NULL` : `${quoted(name)} IS NOT NULL`;
  // Without NULLs nothing has to be looked up per value. NaN stands for what is not there, so a NaN of the file is an error.
  const told = (name: string) =>
    `CASE WHEN ${number(name)} IS NULL THEN CAST('nan' AS DOUBLE) WHEN isfinite(${number(name)}) THEN ${number(name)} ELSE error(${literal(`a value of ${name} is not finite`)}) END`;
  const selected = [...request.numbers.map(told), ...request.texts.map(text)].join(", ");
  const given = [
    ...request.anyOf.map(present),
    `coalesce(${number(request.step)}, 0) <= 1`,
    ...request.required.filter((name) => name !== request.step).map((name) => `NOT (${present(name)})`),
  ];
  return `SELECT ${selected} FROM ${sourceOf(request)} WHERE ${given.join(" OR ")}`;
}
