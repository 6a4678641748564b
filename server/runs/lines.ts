/** A line beyond this many characters is left out; a file without line ends would otherwise fill the memory. */
export const LONGEST_LINE = 32 * 1024 * 1024;

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
}

/**
 * Splits bytes into lines (\n or \r\n). A piece is decoded as a whole: one decode of 2 MB is far cheaper than one per line.
 * Resolves when the bytes end; throws what the source throws, after handing over the lines before it.
 */
export async function readLines(bytes: AsyncIterable<Uint8Array>, handler: LineHandler): Promise<void> {
  let decoder: TextDecoder | undefined;
  let carry = "";
  let number = 1;
  let skipping = false;
  const give = (line: string) => {
    if (skipping) skipping = false;
    else handler.line(line.charCodeAt(line.length - 1) === 13 ? line.slice(0, -1) : line, number, true);
    number++;
  };
  const take = (text: string) => {
    let start = 0;
    // Only the line that a piece completes is joined: joining whole pieces would copy every byte once more.
    const first = text.indexOf("\n");
    if (first >= 0) {
      give(carry + text.slice(0, first));
      carry = "";
      start = first + 1;
    }
    for (;;) {
      const end = text.indexOf("\n", start);
      if (end < 0) break;
      give(text.slice(start, end));
      start = end + 1;
    }
    if (!skipping) carry += text.slice(start);
    if (carry.length > LONGEST_LINE) {
      handler.tooLong?.(number);
      skipping = true;
      carry = "";
    }
  };
  try {
    for await (const piece of bytes) {
      decoder ??= decoderFor(piece);
      take(decoder.decode(piece, { stream: true }));
    }
  } finally {
    const rest = carry + (decoder?.decode() ?? "");
    if (rest !== "" && !skipping) handler.line(rest, number, false);
  }
}
