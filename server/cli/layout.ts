/** A table for people: columns padded, numbers to the right. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [header, ...rows];
  const widths = header.map((_, i) => Math.max(...all.map((row) => width(row[i] ?? ""))));
  const right = header.map((_, i) => rows.length > 0 && rows.every((row) => /^[-+~≤≥]?[\d.]|^$|^—$|^unknown$/.test(row[i] ?? "")));
  const line = (row: readonly string[]) => row.map((cell, i) => (right[i] ? cell.padStart(widths[i]) : cell.padEnd(widths[i]))).join("  ").trimEnd();
  return [line(header), widths.map((w) => "─".repeat(w)).join("  "), ...rows.map(line)].join("\n");
}

/** Characters that a terminal shows; good enough for Latin, Greek and symbols. */
function width(text: string): number {
  return [...text].length;
}

/** Text from files, made safe for a terminal: control characters are shown, not obeyed. */
export function safe(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** JSON with NaN and infinities as null, indented for reading. */
export function json(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) => (typeof item === "number" && !Number.isFinite(item) ? null : item), 2);
}
