import { parse, type ParseResult } from "papaparse";
import type { JsonObject } from "./json";
import { RecordEnds, recordsOf } from "./csvRecords";
import { unpackedName } from "./files";
import { decoderFor } from "./lines";
import type { RecordReading } from "./recordTypes";

/**
 * Streams a CSV or TSV file with a header line. Text is handed to the parser up to a line end that is outside quotes, so
 * that memory stays bounded and a quoted line break stays one cell.
 */
export async function readCsv(bytes: AsyncIterable<Uint8Array>, reading: RecordReading): Promise<void> {
  const table = new CsvTable(reading);
  let decoder: TextDecoder | undefined;
  let carry = "";
  const ends = new RecordEnds();
  try {
    for await (const piece of bytes) {
      decoder ??= decoderFor(piece);
      const text = decoder.decode(piece, { stream: true });
      if (table.isGivenUp) return;
      const end = ends.last(text, table.delimiter);
      if (end < 0) {
        carry += text;
        if (carry.length > LONGEST_RECORD) {
          reading.notes.error(
            "log.long-line",
            `The record that begins near line ${table.line} has no end within ${LONGEST_RECORD / 1e6} million characters, or a quote in it is not closed; the rest of the file was left out.`,
            { file: reading.file.uri, line: table.line },
          );
          carry = "";
          return;
        }
        continue;
      }
      table.take(carry + text.slice(0, end + 1));
      carry = text.slice(end + 1);
    }
  } finally {
    const rest = carry + (decoder?.decode() ?? "");
    if (rest !== "") {
      const now = await reading.host.stat(reading.file.uri);
      table.take(rest, true, now !== undefined && now.size > reading.file.size);
    }
  }
}

/** Lines with a quote out of place beyond so many are not told from a cell of many lines: each is looked for through the rest. */
const MOST_LOST = 100;

/** A record beyond this (characters), or with more cells, is no row of a table: each cell takes many times its own bytes. */
const LONGEST_RECORD = 4e6;
const MOST_COLUMNS = 20_000;

/** Cells on lines of another length, after which a file of mostly such lines is given up. */
const MOST_WASTED = 1e6;

class CsvTable {
  line = 1;
  /** Undefined before the header is known. */
  delimiter: string | undefined;
  #header: string[] | undefined;
  #lost = 0;
  #givenUp = false;
  #used = 0;
  #wasted = 0;
  readonly #reading: RecordReading;

  constructor(reading: RecordReading) {
    this.#reading = reading;
  }

  get isGivenUp(): boolean {
    return this.#givenUp;
  }

  take(written: string, last = false, growing = false): void {
    if (this.#givenUp) return;
    // Tools that append leave files of both line ends behind; a lone return ends a line too.
    const text = written.replace(/\r\n?/g, "\n");
    if (!this.#header && text.startsWith("#{")) {
      // Stable Baselines' monitor begins with a line about itself.
      this.line++;
      const end = text.indexOf("\n") + 1;
      if (end > 0) this.take(text.slice(end), last, growing);
      return;
    }
    if (!this.#header) this.delimiter = delimiterOf(text, this.#reading.file.name);
    const parsed = this.#parsed(text);
    const records = parsed.errors.some(({ type }) => type === "Quotes") ? recordsOf(text, this.delimiter) : [];
    if (records.length === 1 && this.#recovered(text, last, growing)) return;
    if (records.length < 2) this.#rows(text, parsed, last, growing);
    // A quote out of place would take all lines up to the next quote with it: each record is parsed by itself.
    else for (const [at, record] of records.entries()) this.take(record, last && at === records.length - 1, growing);
  }

  /** A quote that is never closed costs its own line, where the line after it is a row as others are. */
  #recovered(text: string, last: boolean, growing: boolean): boolean {
    const { file, notes } = this.#reading;
    const end = text.indexOf("\n") + 1;
    const rest = text.slice(end);
    if (
      !this.#header ||
      end === 0 ||
      this.#lost >= MOST_LOST ||
      this.#parsed(rest.split("\n", 1)[0]).data[0]?.length !== this.#header.length
    )
      return false;
    this.#lost++;
    notes.error(
      "log.bad-line",
      `A quote on line ${this.line} is out of place or never closed; that line was left out.`,
      { file: file.uri, line: this.line },
    );
    this.line++;
    this.take(rest, last, growing);
    return true;
  }

  #parsed(text: string): ParseResult<string[]> {
    return parse<string[]>(text, { delimiter: this.delimiter, newline: "\n" });
  }

  #rows(text: string, parsed: ParseResult<string[]>, last: boolean, growing: boolean): void {
    const { file, notes } = this.#reading;
    const next = this.line + text.split("\n").length - 1;
    const rows = parsed.data;
    const openQuote = parsed.errors.find(({ code }) => code === "MissingQuotes");
    for (const [at, row] of rows.entries()) {
      // The parser gives one empty row after the last line end, which is no line of the file.
      if (at === rows.length - 1 && row.length === 1 && row[0] === "") break;
      if (openQuote && at === rows.length - 1) {
        notes.error("log.bad-line", `A quote that opens on line ${this.line} is never closed; that row was left out.`, {
          file: file.uri,
          line: this.line,
        });
        break;
      }
      this.#row(row, last && at === rows.length - 1 && !text.endsWith("\n"), growing);
      for (const cell of row) if (cell.includes("\n")) this.line += cell.split("\n").length - 1;
      this.line++;
    }
    this.line = next;
  }

  #row(row: string[], unended: boolean, growing: boolean): void {
    const { file, notes, onRecord } = this.#reading;
    const line = this.line;
    if (!this.#header) {
      this.#header = row.map((name) => name.trim());
      if (row.length > MOST_COLUMNS) {
        this.#givenUp = true;
        notes.error(
          "table.too-wide",
          `The table has ${row.length} columns; none of more than ${MOST_COLUMNS} is read.`,
          { file: file.uri, line },
        );
        return;
      }
      const seen = new Set<string>();
      const twice = this.#header.find((name) => name !== "" && seen.size === seen.add(name).size);
      if (twice !== undefined)
        notes.warn(
          "table.column-twice",
          `The column ${twice} stands in the header more than once; the last one is read.`,
          { file: file.uri, line },
        );
      return;
    }
    if (this.#givenUp || (row.length === 1 && row[0].trim() === "")) return;
    const header = this.#header;
    // Of a file that grew meanwhile the last cell may be cut short and still look whole.
    const cut = unended && (row.length < header.length || growing);
    if (cut || row.length !== header.length) {
      const message = cut
        ? `The last line (${line}) is cut short and was left out; the file may still be being written.`
        : `Line ${line} has ${row.length} cells where the header has ${header.length}, and was left out.`;
      notes.add(cut ? "warning" : "error", cut ? "log.truncated" : "log.bad-line", message, {
        file: file.uri,
        line,
        column: 1,
      });
      this.#wasted += row.length;
      if (this.#wasted > MOST_WASTED && this.#wasted > this.#used) {
        this.#givenUp = true;
        notes.error(
          "table.bad-lines",
          `Most of the first ${line} lines have another number of cells than the header; the rest of the file was left out.`,
          { file: file.uri, line },
        );
      }
      return;
    }
    this.#used += row.length;
    const record: JsonObject = {};
    for (let i = 0; i < header.length; i++) record[header[i]] = row[i];
    // Where this throws, the table is given up.
    this.#givenUp = true;
    onRecord(record, {
      line,
      flat: true,
      column: (field) => {
        const index = header.indexOf(field);
        if (index < 0) return undefined;
        return 1 + row.slice(0, index).reduce((sum, cell) => sum + cell.length + (/[",\n]/.test(cell) ? 2 : 0) + 1, 0);
      },
    });
    this.#givenUp = false;
  }
}

function delimiterOf(text: string, name: string): string {
  const end = text.indexOf("\n");
  const header = end < 0 ? text : text.slice(0, end);
  if (/\.tsv$/i.test(unpackedName(name))) return "\t";
  return mostOf([",", "\t", ";", "|"], header);
}

/** The mark that a text has most often; the first where none comes before. */
export function mostOf(marks: readonly string[], text: string): string {
  const counts = marks.map((mark) => {
    let count = 0;
    for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + 1)) count++;
    return { mark, count };
  });
  return counts.reduce((best, each) => (each.count > best.count ? each : best)).mark;
}
