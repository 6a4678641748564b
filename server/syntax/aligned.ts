import { type TextChange } from "./text";

/** After a value, up to its comment: what closes it, then the pad. */
const TAIL = /^(["']?[\])},;]*)( +)(?=#|\/\/)/;

/**
 * The same changes, with the pad before a comment made longer or shorter, so that comments that stand below one another still do.
 * A comment is aligned where that of the line before or after stands in the same column. Where the pad is too short, one space stays.
 */
export function aligned(text: string, changes: readonly TextChange[]): TextChange[] {
  return changes.map((change) => {
    const { start, end } = change.span;
    const lineStart = text.lastIndexOf("\n", start - 1) + 1;
    const newline = text.indexOf("\n", end);
    const lineEnd = newline < 0 ? text.length : newline;
    const tail = TAIL.exec(text.slice(end, lineEnd));
    if (!tail || /[\r\n]/.test(change.newText + text.slice(start, end))) return change;
    const column = end + tail[0].length - lineStart;
    const before = lineStart === 0 ? "" : text.slice(text.lastIndexOf("\n", lineStart - 2) + 1, lineStart - 1);
    const next = text.indexOf("\n", lineEnd + 1);
    const after = newline < 0 ? "" : text.slice(lineEnd + 1, next < 0 ? text.length : next);
    if (![before, after].some((line) => hasComment(line, column))) return change;
    // Other changes of the line move the comment too.
    const moved = changes
      .filter(({ span }) => span.start >= lineStart && span.end <= end)
      .reduce((sum, { span, newText }) => sum + newText.length - (span.end - span.start), 0);
    const pad = " ".repeat(Math.max(1, tail[2].length - moved));
    return { span: { start, end: end + tail[0].length }, newText: `${change.newText}${tail[1]}${pad}` };
  });
}

function hasComment(line: string, column: number): boolean {
  return /^(#|\/\/)/.test(line.slice(column)) && /\S[^#]* $/.test(line.slice(0, column));
}
