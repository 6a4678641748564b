import type { Cell, Column, FigureRow } from "./payload";

/** A number with the fewest digits that keep `digits` significant ones: drawings need no more, files get smaller. */
function compactNumber(value: number, digits = 5): string {
  return Number.isFinite(value) ? String(Number(value.toPrecision(digits))) : "";
}

function cellText(value: Cell, column: Column): string {
  if (value === null || value === undefined) return "";
  // A share is drawn and read to a tenth of a percent; counts keep what people compare.
  if (typeof value === "number") return compactNumber(value, column.kind === "percent" ? 4 : 5);
  if (typeof value === "boolean") return value ? "1" : "";
  return /[",\n\r]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}

/** Rows as CSV with a header line; unknown and non-finite values are empty cells. */
export function toCsv(columns: readonly Column[], rows: readonly FigureRow[]): string {
  const lines = [columns.map((column) => column.name).join(",")];
  for (const row of rows) lines.push(columns.map((column) => cellText(row[column.name], column)).join(","));
  return lines.join("\n");
}

/** Cells of a CSV text. Never fails: a quote that is not closed ends with the text. */
export function parseCsv(text: string): string[][] {
  const lines: string[][] = [];
  let line: string[] = [];
  let cell = "";
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (quoted) {
      if (c !== '"') cell += c;
      else if (text[i + 1] === '"') cell += text[++i];
      else quoted = false;
    } else if (c === '"' && cell === "") quoted = true;
    else if (c === ",") {
      line.push(cell);
      cell = "";
    } else if (c === "\n" || c === "\r") {
      if (c === "\r" && text[i + 1] === "\n") i++;
      line.push(cell);
      lines.push(line);
      line = [];
      cell = "";
    } else cell += c;
  }
  if (cell !== "" || line.length > 0) lines.push([...line, cell]);
  return lines;
}

/** Rows with typed cells: numbers where the column's kind is numeric, `null` for an empty or unreadable one. */
export function fromCsv(columns: readonly Column[], text: string): Record<string, string | number | boolean | null>[] {
  const [header = [], ...lines] = parseCsv(text);
  const known = new Map(columns.map((column) => [column.name, column]));
  return lines.map((line) => {
    const row: Record<string, string | number | boolean | null> = {};
    // Columns that an older file lacks are unknown, not undefined: expressions over them stay simple.
    for (const column of columns) row[column.name] = column.kind === "flag" ? false : null;
    header.forEach((name, i) => {
      const column = known.get(name);
      const cell = line[i] ?? "";
      if (!column) return;
      if (column.kind === "text" || column.kind === "files") row[name] = cell;
      else if (column.kind === "flag") row[name] = cell === "1" || cell === "true";
      else row[name] = cell === "" || !Number.isFinite(Number(cell)) ? null : Number(cell);
    });
    return row;
  });
}
