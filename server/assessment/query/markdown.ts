/** Text from files never becomes markup. */
export function plain(text: string): string {
  return text.replace(/[\r\n\u2028\u2029]+/g, " ").replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/[\\`*_{}[\]#!|~$]/g, (c) => `\\${c}`)
    .replace(/:(?=\/\/)|@|\.(?=[^\s.]*\.)/g, (c) => `&#${c.charCodeAt(0)};`);
}

/** A table whose cells are plain text. Columns named in `right` are numbers. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[], right: readonly number[] = []): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(plain).join(" | ")} |`;
  return [line(head), `|${head.map((_, i) => (right.includes(i) ? "--:" : "---")).join("|")}|`, ...rows.map(line)].join("\n");
}
