import { fromCsv, toCsv } from "./csv";
import {
  FIGURE_FORMAT,
  PAYLOAD_VERSION,
  type FigureAction,
  type FigurePayload,
  type FigureRow,
  type FigureShape,
} from "./payload";

/** What figures of one cell have in common. */
export interface FigureOptions {
  /** The same for all figures of one fit. */
  readonly link: string;
  /** Files of each run by its id, relative to the notebook; absent where they are not known. */
  readonly files?: Readonly<Record<string, readonly string[]>>;
  readonly actions?: readonly FigureAction[];
}

type Words = Pick<FigurePayload, "title" | "text" | "notes" | "simulated" | "values">;

/** The rows as datasets, what they repeat looked up in one of its own. */
function dataOf(shape: FigureShape, rows: readonly FigureRow[]): Record<string, string> {
  const { lookup, columns } = shape;
  if (!lookup) return { rows: toCsv(columns, rows) };
  const lines = new Map<string, number>();
  const repeated: FigureRow[] = [];
  const short = rows.map((row): FigureRow => {
    const name = row[lookup.key];
    if (typeof name !== "string" || name === "") return row;
    const own = Object.fromEntries(lookup.columns.map((column) => [column, row[column]]));
    const key = JSON.stringify(own);
    let line = lines.get(key);
    if (line === undefined) {
      lines.set(key, (line = repeated.length));
      repeated.push(own);
    }
    return {
      ...row,
      ...Object.fromEntries(lookup.columns.map((column) => [column, null])),
      [lookup.key]: String(line),
    };
  });
  return {
    rows: toCsv(columns, short),
    [lookup.dataset]: toCsv(
      columns.filter(({ name }) => lookup.columns.includes(name)),
      repeated,
    ),
  };
}

/** The rows of a payload, looked-up columns filled in. Never fails: a line that is not there leaves its cells unknown. */
export function rowsOf(
  shape: FigureShape,
  data: Readonly<Record<string, string>>,
): Record<string, string | number | boolean | null>[] {
  const rows = fromCsv(shape.columns, data.rows ?? "");
  const { lookup } = shape;
  const source = lookup && data[lookup.dataset];
  if (!lookup || source === undefined) return rows;
  const lines = fromCsv(
    shape.columns.filter(({ name }) => lookup.columns.includes(name)),
    source,
  );
  return rows.map((row) => {
    const line = row[lookup.key];
    return line === "" || line === null ? row : { ...row, ...lines[Number(line)] };
  });
}

/** Puts a payload together. */
export function figure(
  shape: FigureShape,
  rows: readonly FigureRow[],
  words: Words,
  { link, actions }: FigureOptions,
): FigurePayload {
  return {
    format: FIGURE_FORMAT,
    version: PAYLOAD_VERSION,
    template: shape.template,
    templateVersion: shape.templateVersion,
    ...words,
    link,
    data: dataOf(shape, rows),
    ...(actions && actions.length > 0 ? { actions } : {}),
  };
}
