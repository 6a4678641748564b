import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LONGEST_LINE, readLines } from "../../server/records/lines";

async function* pieces(bytes: Uint8Array, cuts: readonly number[]): AsyncGenerator<Uint8Array> {
  const at = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  let start = 0;
  for (const end of [...at, bytes.length]) {
    // The encoding is told by the first bytes of the first piece.
    if (end === start || (start === 0 && end < 3 && end < bytes.length)) continue;
    yield bytes.slice(start, end);
    start = end;
  }
}

async function linesOf(bytes: AsyncIterable<Uint8Array>) {
  const lines: { line: string; number: number; ended: boolean }[] = [];
  await readLines(bytes, { line: (line, number, ended) => lines.push({ line, number, ended }) });
  return lines;
}

/** The lines by a split of the whole text, which is what pieces must come to. */
function expected(text: string) {
  const parts = text.split("\n");
  const last = parts.pop();
  const lines = parts.map((line, i) => ({ line: line.replace(/\r$/, ""), number: i + 1, ended: true }));
  return last ? [...lines, { line: last, number: parts.length + 1, ended: false }] : lines;
}

const text = fc
  .array(fc.oneof(fc.constantFrom("\n", "\r\n", "\r", "\uFEFF", "é", "任务", "🚀", "a"), fc.string({ maxLength: 6 })), {
    maxLength: 40,
  })
  .map((parts) => parts.join(""));
const cuts = fc.array(fc.nat(), { maxLength: 12 });

function utf16(text: string, bigEndian: boolean): Uint8Array {
  const marked = `\uFEFF${text}`;
  const view = new DataView(new ArrayBuffer(2 * marked.length));
  for (let i = 0; i < marked.length; i++) view.setUint16(2 * i, marked.charCodeAt(i), !bigEndian);
  return new Uint8Array(view.buffer);
}

describe("lines of a file read in pieces", () => {
  it("are those of the whole text, wherever UTF-8 is cut", async () => {
    await fc.assert(
      fc.asyncProperty(text, cuts, fc.boolean(), async (content, at, marked) => {
        const bytes = new TextEncoder().encode((marked ? "\uFEFF" : "") + content);
        const whole = new TextDecoder().decode(bytes);
        expect(await linesOf(pieces(bytes, at))).toEqual(expected(whole));
      }),
      { numRuns: 400 },
    );
  });

  it("are those of the whole text in UTF-16 of either byte order", async () => {
    await fc.assert(
      fc.asyncProperty(text, cuts, fc.boolean(), async (content, at, bigEndian) => {
        expect(await linesOf(pieces(utf16(content, bigEndian), at))).toEqual(expected(content));
      }),
      { numRuns: 200 },
    );
  });

  it.each(["utf-8", "utf-16"])("leaves out a line beyond the limit and reads on after it (%s)", async (encoding) => {
    const long = "x".repeat(1024 * 1024);
    const encode = (part: string) =>
      encoding === "utf-8" ? new TextEncoder().encode(part) : utf16(part, false).subarray(2);
    async function* source() {
      yield encoding === "utf-8" ? encode("first\n") : utf16("first\n", false);
      for (let written = 0; written <= LONGEST_LINE; written += encode(long).length) yield encode(long);
      yield encode("the rest of it");
      yield encode("its end\nthird\nfour");
      yield encode("th");
    }
    const seen: string[] = [];
    await readLines(source(), {
      line: (line, number) => seen.push(`${number} ${line}`),
      tooLong: (number) => seen.push(`${number} too long`),
    });
    expect(seen).toEqual(["1 first", "2 too long", "3 third", "4 fourth"]);
  });

  it("hands over what was read before a fault", async () => {
    async function* source() {
      yield new TextEncoder().encode("one\ntw");
      throw new Error("disk");
    }
    const seen: string[] = [];
    await expect(
      readLines(source(), { line: (line, _number, ended) => seen.push(`${line} ${ended}`) }),
    ).rejects.toThrow("disk");
    expect(seen).toEqual(["one true", "tw false"]);
  });
});
