/** Text from files never becomes markup. */
export function plain(text: string): string {
  return text
    .replace(/[\r\n\u2028\u2029]+/g, " ")
    .replace(/&/g, "&amp;")
    .replace(/</g, "&lt;")
    .replace(/>/g, "&gt;")
    .replace(/[\\`*_{}[\]#!|~$]/g, (c) => `\\${c}`)
    .replace(/:(?=\/\/)|@|\.(?=[^\s.]*\.)/g, (c) => `&#${c.charCodeAt(0)};`);
}

/** A number stays in one line with its unit and its interval. */
function unbroken(cell: string): string {
  return cell.replace(/ ?\[[^\][]{1,30}\](?: points\b)?| (?=%)/g, (part) => part.replace(/ /g, "\u00a0"));
}

/** A table whose cells are plain text. Columns named in `right` are numbers; a column without a single word is left out. */
export function markdownTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  right: readonly number[] = [],
): string {
  const kept = head.flatMap((_, i) => (rows.length === 0 || rows.some((row) => (row[i] ?? "") !== "") ? [i] : []));
  const line = (cells: readonly string[]): string =>
    `| ${kept.map((i) => plain(unbroken(cells[i] ?? ""))).join(" | ")} |`;
  return [line(head), `|${kept.map((i) => (right.includes(i) ? "--:" : "---")).join("|")}|`, ...rows.map(line)].join(
    "\n",
  );
}
