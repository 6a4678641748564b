/** A half-open range of UTF-16 offsets in a document. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** One splice. A set of changes never overlaps; what is outside them stays byte for byte. */
export interface TextChange {
  readonly span: Span;
  readonly newText: string;
}

/** Where something stands, for people and programs: 0-based line and UTF-16 character, and the offset. */
export interface Position {
  readonly line: number;
  readonly character: number;
  readonly offset: number;
}

/** Turns offsets into positions for one text. Lines end with \n, \r\n or \r. */
export class LineIndex {
  readonly #starts: number[] = [0];
  readonly #length: number;

  constructor(text: string) {
    this.#length = text.length;
    let newline = text.indexOf("\n");
    let carriage = text.indexOf("\r");
    while (newline >= 0 || carriage >= 0) {
      const first = newline < 0 || (carriage >= 0 && carriage < newline) ? carriage : newline;
      if (first === newline) newline = text.indexOf("\n", first + 1);
      else carriage = text.indexOf("\r", first + 1);
      if (newline !== first + 1 || text[first] === "\n") this.#starts.push(first + 1);
    }
  }

  get lineCount(): number {
    return this.#starts.length;
  }

  /** The position of an offset; offsets outside the text are moved to its ends. */
  at(offset: number): Position {
    const clamped = Math.max(0, Math.min(this.#length, offset));
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#starts[middle] <= clamped) low = middle;
      else high = middle - 1;
    }
    return { line: low, character: clamped - this.#starts[low], offset: clamped };
  }
}

/** Applies changes that do not overlap; the order given does not matter. */
export function splice(text: string, changes: readonly TextChange[]): string {
  let result = text;
  for (const change of [...changes].sort((a, b) => b.span.start - a.span.start)) {
    result = result.slice(0, change.span.start) + change.newText + result.slice(change.span.end);
  }
  return result;
}

/** Where the line of an offset ends, before its break. */
export function lineEnd(text: string, from: number): number {
  // A block value's span may end after its line break.
  const at = from > 0 && text[from - 1] === "\n" ? from - 1 : from;
  const found = text.slice(at).search(/\r?\n/);
  return found < 0 ? text.length : at + found;
}

/** How lines end in a text. */
export function newlineOf(text: string): "\n" | "\r\n" {
  return text.includes("\r\n") ? "\r\n" : "\n";
}
