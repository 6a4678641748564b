import { count, decimal } from "../../core/numbers";
import type { Cell, Line, Quantity, Row, Section } from "../row";
import { code, commandLink, escape, table as markdownTable } from "./markdown";

/** `42 % [40–44]`, `+1.1 points [0.4–1.9]`, `1.7×`, `9.2k GPU-hours [8k–11k]`: a number as every printer shows it. */
export function numberText({ n, as, low, high, unit, digits }: Quantity): string {
  const bounded = low !== undefined && high !== undefined;
  const scale = as === "percent" ? 100 : 1;
  // A rate whose interval is a point wide or more needs no decimals.
  const places = digits ?? (as === "percent" && bounded && 100 * (high - low) >= 1 ? 0 : as === "fixed" ? 3 : 1);
  const plain = (value: number): string => (as === "count" ? count(value) : decimal(scale * value, places));
  const lead = as === "points" && n > 0 && plain(n) !== "0" ? "+" : "";
  const word = unit ?? { percent: "%", points: "points", times: "", count: "", fixed: "" }[as];
  const value = as === "times" ? `${plain(n)}×` : `${lead}${plain(n)}`;
  const ends = bounded ? ` [${plain(low)}${low < 0 || high < 0 ? " to " : "–"}${plain(high)}]` : "";
  return `${value}${word === "" ? "" : ` ${word}`}${ends}`;
}

interface Printer {
  readonly text: (text: string) => string;
  readonly code: (text: string) => string;
  readonly strong: (text: string) => string;
}

function cellText(cell: Cell, printer: Printer): string {
  if (typeof cell === "string") return printer.text(cell);
  if ("code" in cell) return printer.code(cell.code);
  if ("strong" in cell) return printer.strong(cellText(cell.strong, printer));
  if ("unknown" in cell) return printer.text(cell.unknown === "" ? "unknown" : `unknown: ${cell.unknown}`);
  return printer.text(numberText(cell));
}

const lineText = (line: Line, printer: Printer): string => line.map((cell) => cellText(cell, printer)).join("");

const MARKDOWN: Printer = { text: escape, code, strong: (text) => `**${text}**` };

/** As Markdown. Figures stand as their sentence unless `picture` gives an image for them. */
export function markdown(sections: readonly Section[], picture?: (row: Row & { kind: "figure" }) => string): string {
  const rowText = (row: Row): string => {
    switch (row.kind) {
      case "say": {
        const text = lineText(row.line, MARKDOWN);
        return row.tone === "item" ? `- ${text}` : row.tone === "caveat" ? `> ${text}` : text;
      }
      case "table":
        return markdownTable(
          row.head.map((line) => lineText(line, MARKDOWN)),
          row.rows.map((cells) => cells.map((line) => lineText(line, MARKDOWN).replace(/ (?=[%[])/g, "\u00a0"))),
        );
      case "figure":
        return picture?.(row) ?? escape(row.figure.text);
      case "action":
        return commandLink(row.label, row.command, row.args);
    }
  };
  return `${sections
    .map(({ title, level, folded, rows }) => {
      const body = blocks(rows, rowText, "\n\n");
      if (folded && title) return `<details><summary>${lineText(title, MARKDOWN)}</summary>\n\n${body}\n\n</details>`;
      return `${title ? `${"#".repeat(level)} ${lineText(title, MARKDOWN)}\n\n` : ""}${body}`;
    })
    .join("\n\n")
    .trim()}\n`;
}

/** Items follow each other without a gap, actions stand in one line. */
function blocks(rows: readonly Row[], text: (row: Row) => string, gap: string): string {
  let out = "";
  rows.forEach((row, i) => {
    const said = text(row);
    if (said === "") return;
    const before = rows[i - 1];
    const items = row.kind === "say" && row.tone === "item" && before?.kind === "say" && before.tone === "item";
    const actions = row.kind === "action" && before?.kind === "action";
    out += `${out === "" ? "" : items ? "\n" : actions ? " · " : gap}${said}`;
  });
  return out;
}
