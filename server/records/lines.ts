import { joined } from "./bytes";

/** A line beyond this many bytes is left out; a file without line ends would otherwise fill the memory. */
export const LONGEST_LINE = 32 * 1024 * 1024;

const NEWLINE = 10;

/** UTF-8 unless a byte order mark says UTF-16 (what a Windows shell writes when it redirects). */
export function decoderFor(first: Uint8Array): TextDecoder {
  if (first[0] === 0xff && first[1] === 0xfe) return new TextDecoder("utf-16le");
  if (first[0] === 0xfe && first[1] === 0xff) return new TextDecoder("utf-16be");
  return new TextDecoder();
}

export interface LineHandler {
  /** `line` is without its end; `number` is 1-based; `ended` is false for a last line that has no line end. */
  line(line: string, number: number, ended: boolean): void;
  /** A line longer than `LONGEST_LINE` was left out. */
  tooLong?(number: number): void;
  /** From this line on a UTF-16 file goes on in UTF-8, as where two programs append to it. */
  mixed?(number: number): void;
}

/** Decodes pieces up to their last line end and keeps what follows it. */
interface Cutter {
  /** Bytes kept of a line that has not ended yet. */
  readonly pending: number;
  /** Gives whole lines, each with its end. */
  take(piece: Uint8Array, give: (text: string) => void): void;
  /** Forgets what is kept, up to the next line end (which is given). */
  skip(): void;
  rest(): string;
}

/**
 * UTF-8 is cut as bytes, at line ends, which are never part of a character: one plain decode of a piece costs half of
 * what a streaming decoder takes, and gives one-byte strings for ASCII, which parse faster.
 */
class Utf8Cutter implements Cutter {
  pending = 0;
  #kept: Uint8Array[] = [];
  #skipping = false;
  #begun = false;
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });

  take(piece: Uint8Array, give: (text: string) => void): void {
    const last = piece.lastIndexOf(NEWLINE);
    if (last < 0) {
      this.#keep(piece);
      return;
    }
    let start = 0;
    if (this.#skipping) {
      start = piece.indexOf(NEWLINE);
      this.#skipping = false;
    } else if (this.pending > 0) {
      // Only the line that a piece completes is joined: joining whole pieces would copy every byte once more.
      start = piece.indexOf(NEWLINE) + 1;
      this.#kept.push(piece.subarray(0, start));
      give(this.#decode(joined(this.#kept)));
      this.#kept = [];
      this.pending = 0;
    }
    if (start <= last) give(this.#decode(piece.subarray(start, last + 1)));
    this.#keep(piece.subarray(last + 1));
  }

  skip(): void {
    this.#kept = [];
    this.pending = 0;
    this.#skipping = true;
  }

  rest(): string {
    return this.#decode(joined(this.#kept));
  }

  #keep(bytes: Uint8Array): void {
    if (this.#skipping || bytes.length === 0) return;
    this.#kept.push(bytes);
    this.pending += bytes.length;
  }

  #decode(bytes: Uint8Array): string {
    const text = this.#decoder.decode(bytes);
    const marked = !this.#begun && text.charCodeAt(0) === 0xfeff;
    if (text !== "") this.#begun = true;
    return marked ? text.slice(1) : text;
  }
}

class Utf16Cutter implements Cutter {
  #text = "";
  #skipping = false;
  readonly #decoder: TextDecoder;

  constructor(decoder: TextDecoder) {
    this.#decoder = decoder;
  }

  get pending(): number {
    return 2 * this.#text.length;
  }

  take(piece: Uint8Array, give: (text: string) => void): void {
    const text = this.#decoder.decode(piece, { stream: true });
    const last = text.lastIndexOf("\n");
    if (last >= 0) {
      give(this.#text + text.slice(this.#skipping ? text.indexOf("\n") : 0, last + 1));
      this.#skipping = false;
      this.#text = "";
    }
    if (!this.#skipping) this.#text += text.slice(last + 1);
  }

  skip(): void {
    this.#text = "";
    this.#skipping = true;
  }

  rest(): string {
    const text = this.#text + this.#decoder.decode();
    return this.#skipping ? "" : text;
  }
}

const RUN = 24;

/** Where bytes of UTF-16 go over to plain text: a stretch of printable ASCII without a zero byte. −1 where they do not. */
function utf8From(piece: Uint8Array): number {
  let start = 0;
  for (let at = 0; at < piece.length; at++) {
    const byte = piece[at];
    if (byte < 32 || byte > 126) start = at + 1;
    else if (at - start + 1 >= RUN) return start;
  }
  return -1;
}

/**
 * Splits bytes into lines (\n or \r\n). Resolves when the bytes end; throws what the source throws, after handing over the
 * lines before it.
 */
export async function readLines(bytes: AsyncIterable<Uint8Array>, handler: LineHandler): Promise<void> {
  let cutter: Cutter | undefined;
  let number = 1;
  let skipping = false;
  const give = (text: string) => {
    let start = 0;
    for (;;) {
      const end = text.indexOf("\n", start);
      if (end < 0) return;
      if (skipping) skipping = false;
      else
        handler.line(text.slice(start, end > start && text.charCodeAt(end - 1) === 13 ? end - 1 : end), number, true);
      number++;
      start = end + 1;
    }
  };
  try {
    for await (const piece of bytes) {
      if (!cutter) {
        const decoder = decoderFor(piece);
        cutter = decoder.encoding === "utf-8" ? new Utf8Cutter() : new Utf16Cutter(decoder);
      }
      const change = cutter instanceof Utf16Cutter ? utf8From(piece) : -1;
      if (change < 0) cutter.take(piece, give);
      else {
        cutter.take(piece.subarray(0, change), give);
        const rest = cutter.rest();
        if (rest !== "") give(`${rest}\n`);
        handler.mixed?.(number);
        cutter = new Utf8Cutter();
        cutter.take(piece.subarray(change), give);
      }
      if (cutter.pending <= LONGEST_LINE) continue;
      handler.tooLong?.(number);
      skipping = true;
      cutter.skip();
    }
  } finally {
    const rest = cutter?.rest() ?? "";
    if (rest !== "") handler.line(rest, number, false);
  }
}
