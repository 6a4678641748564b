import type { Span } from "../text";

export interface TabsExpanded {
  readonly text: string;
  /** The offset in the original text. */
  origin(offset: number): number;
  /** The indents that hold tabs, in the original text. */
  readonly lines: readonly Span[];
}

const MAX_WIDTH = 8;

/** Replaces tabs in the indents of YAML keys and items by spaces, as many as one level of indent takes; null where there are none. */
export function indentTabs(text: string): TabsExpanded | null {
  if (!/^ *\t/m.test(text)) return null;
  const width = indentWidth(text);
  const lines: Span[] = [];
  const starts: number[] = [];
  const shifts: number[] = [];
  let result = "";
  let from = 0;
  // Only lines that look like a key or an item: tabs in a block of text are its own.
  for (const match of text.matchAll(/^( *\t[ \t]*)(?=(?:- |-$|["'\w][^\n]*:(?:\s|$)))/gm)) {
    const indent = match[1];
    const start = match.index;
    const end = start + indent.length;
    const spaces = indent.replaceAll("\t", " ".repeat(width));
    result += text.slice(from, start) + spaces;
    from = end;
    lines.push({ start, end });
    starts.push(result.length);
    shifts.push(result.length - end);
  }
  if (lines.length === 0) return null;
  return {
    text: result + text.slice(from),
    lines,
    origin(offset) {
      let low = 0;
      let high = starts.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (starts[middle] <= offset) low = middle + 1;
        else high = middle;
      }
      const shift = low === 0 ? 0 : shifts[low - 1];
      // Inside a widened indent there is no such place: its end is the nearest.
      return low < lines.length ? Math.min(offset - shift, lines[low].end) : offset - shift;
    },
  };
}

/** The narrowest indent by spaces in the file; 2 where there is none. */
function indentWidth(text: string): number {
  let width = MAX_WIDTH + 1;
  for (const match of text.matchAll(/^( +)(?=[\w"'])/gm)) width = Math.min(width, match[1].length);
  return width > MAX_WIDTH ? 2 : width;
}
