import { parseCsv } from "../server/core/figures/csv";
import type { Column, FigureShape } from "../server/core/figures/payload";
import { count, decimal, percent } from "../server/core/numbers";
import { element } from "./dom";
import type { Rows, RowValue } from "./charts/template";

/** More rows than this are cut, with a line that says so: a table is for reading, the CSV for everything. */
const MOST_ROWS = 500;

export function cellWords(value: RowValue | undefined, column: Column): string {
  if (value === null || value === undefined || value === "") return "";
  if (typeof value === "boolean") return value ? "yes" : "";
  if (typeof value === "string") return value;
  switch (column.kind) {
    case "percent":
      return percent(value);
    case "points":
      return decimal(value, 1);
    case "count":
      return count(value);
    default:
      return String(Number(value.toPrecision(4)));
  }
}

const isNumeric = (column: Column): boolean => ["number", "count", "percent", "points"].includes(column.kind);

/** The tables of a figure. `openFiles` is absent where nothing can open them; then the names are plain text. */
export function tables(shape: FigureShape, rows: Rows, openFiles?: (files: string) => void): HTMLElement {
  const box = element("div", { class: "tables" });
  for (const { kind, title, columns: names } of shape.tables) {
    const own = rows.filter((row) => row.kind === kind);
    if (own.length === 0) continue;
    const columns = names
      .flatMap((name) => shape.columns.filter((column) => column.name === name))
      .filter((column) =>
        own.some((row) => row[column.name] !== null && row[column.name] !== "" && row[column.name] !== false),
      );
    const head = element(
      "tr",
      {},
      ...columns.map((column) =>
        element("th", { scope: "col", class: isNumeric(column) ? "n" : undefined }, column.label),
      ),
    );
    const body = own.slice(0, MOST_ROWS).map((row) =>
      element(
        "tr",
        {},
        ...columns.map((column) => {
          const words = cellWords(row[column.name], column);
          if (column.kind === "files" && openFiles && words) {
            const button = element("button", { type: "button", class: "link", title: words }, "open");
            button.addEventListener("click", () => openFiles(words));
            return element("td", {}, button);
          }
          return element("td", { class: isNumeric(column) ? "n" : undefined }, words);
        }),
      ),
    );
    box.append(
      element(
        "div",
        { class: "scroll", tabindex: "0", role: "region", "aria-label": title },
        element(
          "table",
          {},
          element("caption", {}, `${title} (${own.length})`),
          element("thead", {}, head),
          element("tbody", {}, ...body),
        ),
      ),
    );
    if (own.length > MOST_ROWS)
      box.append(element("p", { class: "note" }, `${own.length - MOST_ROWS} more rows are in the CSV export.`));
  }
  return box;
}

/** Data of an unknown template: the columns as they are named in the file. */
export function plainTables(data: Readonly<Record<string, string>>): HTMLElement {
  const box = element("div", { class: "tables" });
  for (const [name, csv] of Object.entries(data)) {
    const [header = [], ...lines] = parseCsv(csv);
    if (header.length === 0) continue;
    box.append(
      element(
        "div",
        { class: "scroll", tabindex: "0", role: "region", "aria-label": name },
        element(
          "table",
          {},
          element("caption", {}, `${name} (${lines.length})`),
          element("thead", {}, element("tr", {}, ...header.map((label) => element("th", { scope: "col" }, label)))),
          element(
            "tbody",
            {},
            ...lines
              .slice(0, MOST_ROWS)
              .map((line) => element("tr", {}, ...header.map((_, i) => element("td", {}, line[i] ?? "")))),
          ),
        ),
      ),
    );
  }
  return box;
}
