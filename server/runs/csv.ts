import { parse } from "papaparse";
import type { JsonObject } from "./json";
import { decoderFor, LONGEST_LINE } from "./lines";
import type { RecordReading } from "./recordTypes";

/**
 * Streams a CSV or TSV file with a header line. Text is handed to the parser up to a line end that is outside quotes, so
 * that memory stays bounded and a quoted line break stays one cell.
 */
export async function readCsv(bytes: AsyncIterable<Uint8Array>, reading: RecordReading): Promise<void> {
  const table = new CsvTable(reading);
  let decoder: TextDecoder | undefined;
  let carry = "";
  let quotes = 0;
  try {
    for await (const piece of bytes) {
      decoder ??= decoderFor(piece);
      const text = decoder.decode(piece, { stream: true });
      const cut = lastRecordEnd(text, quotes);
      quotes = cut.quotes;
      if (cut.end < 0) {
        carry += text;
        if (carry.length > LONGEST_LINE) {
          reading.notes.error("log.long-line", `A quoted cell that begins near line ${table.line} never ends; the rest of the file was left out.`, { file: reading.file.uri, line: table.line });
          carry = "";
          return;
        }
        continue;
      }
      table.take(carry + text.slice(0, cut.end + 1));
      carry = text.slice(cut.end + 1);
    }
  } finally {
    const rest = carry + (decoder?.decode() ?? "");
    if (rest !== "") {
      const now = await reading.host.stat(reading.file.uri);
      table.take(rest, true, now !== undefined && now.size > reading.file.size);
    }
  }
}

/** The last line end outside quotes, and the number of quotes in all of the text (odd: it ends inside a quoted cell). */
function lastRecordEnd(text: string, before: number): { end: number; quotes: number } {
  let quotes = before;
  let end = -1;
  let at = 0;
  for (;;) {
    const quote = text.indexOf('"', at);
    const stop = quote < 0 ? text.length : quote;
    if (quotes % 2 === 0 && stop > at) {
      const line = text.lastIndexOf("\n", stop - 1);
      if (line >= at) end = line;
    }
    if (quote < 0) return { end, quotes };
    quotes++;
    at = quote + 1;
  }
}

class CsvTable {
  line = 1;
  #header: string[] | undefined;
  #delimiter = ",";
  readonly #reading: RecordReading;

  constructor(reading: RecordReading) {
    this.#reading = reading;
  }

  take(written: string, last = false, growing = false): void {
    const { file, notes } = this.#reading;
    // Tools that append leave files of both line ends behind; a lone return ends a line too.
    const text = written.replace(/\r\n?/g, "\n");
    if (!this.#header) this.#delimiter = delimiterOf(text, file.name);
    const parsed = parse<string[]>(text, { delimiter: this.#delimiter, newline: "\n" });
    const rows = parsed.data;
    const openQuote = parsed.errors.find(({ code }) => code === "MissingQuotes");
    for (const [at, row] of rows.entries()) {
      // The parser gives one empty row after the last line end, which is no line of the file.
      if (at === rows.length - 1 && row.length === 1 && row[0] === "") break;
      if (openQuote && at === rows.length - 1) {
        notes.error("log.bad-line", `A quote that opens on line ${this.line} is never closed; that row was left out.`, { file: file.uri, line: this.line });
        break;
      }
      this.#row(row, last && at === rows.length - 1 && !text.endsWith("\n"), growing);
      for (const cell of row) if (cell.includes("\n")) this.line += cell.split("\n").length - 1;
      this.line++;
    }
  }

  #row(row: string[], unended: boolean, growing: boolean): void {
    const { file, notes, onRecord } = this.#reading;
    const line = this.line;
    if (!this.#header) {
      this.#header = row.map((name) => name.trim());
      const twice = this.#header.find((name, at, all) => name !== "" && all.indexOf(name) < at);
      if (twice !== undefined) notes.warn("table.column-twice", `The column ${twice} stands in the header more than once; the last one is read.`, { file: file.uri, line });
      return;
    }
    if (row.length === 1 && row[0].trim() === "") return;
    const header = this.#header;
    // Of a file that grew meanwhile the last cell may be cut short and still look whole.
    const cut = unended && (row.length < header.length || growing);
    if (cut || row.length !== header.length) {
      const message = cut
        ? `The last line (${line}) is cut short and was left out; the file may still be being written.`
        : `Line ${line} has ${row.length} cells where the header has ${header.length}, and was left out.`;
      notes.add(cut ? "warning" : "error", cut ? "log.truncated" : "log.bad-line", message, { file: file.uri, line, column: 1 });
      return;
    }
    const record: JsonObject = {};
    for (let i = 0; i < header.length; i++) record[header[i]] = row[i];
    onRecord(record, {
      line,
      flat: true,
      column: (field) => {
        const index = header.indexOf(field);
        if (index < 0) return undefined;
        return 1 + row.slice(0, index).reduce((sum, cell) => sum + cell.length + (/[",\n]/.test(cell) ? 2 : 0) + 1, 0);
      },
    });
  }
}

function delimiterOf(text: string, name: string): string {
  const end = text.indexOf("\n");
  const header = end < 0 ? text : text.slice(0, end);
  if (/\.tsv(\.gz)?$/i.test(name)) return "\t";
  const counts = [",", "\t", ";", "|"].map((mark) => ({ mark, count: header.split(mark).length }));
  return counts.reduce((best, each) => (each.count > best.count ? each : best)).mark;
}
