/** A table for people: columns padded, numbers to the right. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  return [...tableLines(header, rows)].join("\n");
}

/**
 * The lines of such a table.
 * @param rows gone through twice: of a table of a hundred thousand rows none need be held
 */
export function* tableLines(header: readonly string[], rows: Iterable<readonly string[]>): Generator<string> {
  const widths = header.map(width);
  const right = header.map(() => true);
  let count = 0;
  for (const row of rows) {
    count++;
    for (const i of header.keys()) {
      const cell = row[i] ?? "";
      widths[i] = Math.max(widths[i], width(cell));
      right[i] &&= /^[-+~≤≥]?[\d.]|^$|^—$|^unknown$/.test(cell);
    }
  }
  const line = (row: readonly string[]) =>
    row
      .map((cell, i) => (right[i] && count > 0 ? cell.padStart(widths[i]) : cell.padEnd(widths[i])))
      .join("  ")
      .trimEnd();
  yield line(header);
  yield widths.map((w) => "─".repeat(w)).join("  ");
  for (const row of rows) yield line(row);
}

/** Characters that a terminal shows; good enough for Latin, Greek and symbols. */
function width(text: string): number {
  let pairs = 0;
  for (let i = 0; i < text.length; i++) if ((text.codePointAt(i) as number) > 0xffff) pairs++;
  return text.length - pairs;
}

/** A Markdown document of ours as a terminal shows it: tables laid out, emphasis and escapes taken out. */
export function terminal(markdown: string): string {
  const out: string[] = [];
  let rows: string[][] = [];
  const flush = (): void => {
    if (rows.length > 1) out.push(table(rows[0], rows.slice(2)));
    rows = [];
  };
  for (const line of markdown.split("\n")) {
    if (line.startsWith("|"))
      rows.push(
        line
          .split(/(?<!\\)\|/)
          .slice(1, -1)
          .map((cell) => plainText(cell.trim())),
      );
    else {
      flush();
      out.push(plainText(line.replace(/^#+ /, "")));
    }
  }
  flush();
  return out.join("\n").trimEnd();
}

function plainText(markdown: string): string {
  return safe(
    markdown
      .replace(/\u00ad/g, "")
      .replace(/(?<!\\)\*\*/g, "")
      .replace(/\\([\\`*_{}[\]()#!|~$])/g, "$1")
      .replace(/&lt;/g, "<")
      .replace(/&gt;/g, ">")
      .replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
      .replace(/&amp;/g, "&"),
  );
}

/** Text from files, made safe for a terminal: control characters are shown, not obeyed. */
export function safe(text: string): string {
  return text.replace(
    /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** A path as a word of a shell's command line: quoted where it must be. */
export function shellWord(path: string): string {
  const shown = safe(path);
  return /^[\p{L}\p{N}_./:@%+,][\p{L}\p{N}_./:@%+,=-]*$/u.test(shown) ? shown : `'${shown.replaceAll("'", "'\\''")}'`;
}

/** JSON with NaN and infinities as null, indented for reading. */
export function json(value: unknown): string {
  return JSON.stringify(
    value,
    (_key, item: unknown) => (typeof item === "number" && !Number.isFinite(item) ? null : item),
    2,
  );
}
