import { messageOf, openBytes, ReadFault } from "./bytes";
import { readCsv } from "./csv";
import { isObject, parseJson } from "./json";
import { readLines } from "./lines";
import type { Notes } from "./notes";
import { readParquet } from "./parquet";
import type { RecordFormat, RecordPlace, RecordReading } from "./recordTypes";

/** Lines that are no records, after which a file of mostly such lines is given up. */
const MOST_BAD = 20_000;

/** Hands over the rows of a file; what cannot be read becomes a note with its line, and the rest is still read. */
export async function readRecords(format: RecordFormat, reading: RecordReading): Promise<void> {
  const { host, file, notes, signal } = reading;
  try {
    if (format === "parquet") await readParquet(reading);
    else {
      const bytes = openBytes(host, file.uri, signal, reading.onBytes);
      if (format === "csv") await readCsv(bytes, reading);
      else await readJsonl(bytes, reading);
    }
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof ReadFault) notes.error(error.code, error.message, { file: file.uri });
    else notes.error("log.unreadable", `This file could not be read: ${messageOf(error)}`, { file: file.uri });
  }
}

async function readJsonl(bytes: AsyncIterable<Uint8Array>, { file, notes, onRecord }: RecordReading): Promise<void> {
  let text = "";
  let number = 0;
  let good = 0;
  let bad = 0;
  const place: RecordPlace = {
    get line() {
      return number;
    },
    get flat() {
      return !text.includes("{", 1);
    },
    column(field) {
      const at = text.indexOf(JSON.stringify(field));
      return at < 0 ? undefined : at + 1;
    },
  };
  await readLines(bytes, {
    line(line, at, ended) {
      if (line === "" || line.trim() === "") return;
      const value = parseJson(line);
      if (isObject(value)) {
        good++;
        text = line;
        number = at;
        try {
          onRecord(value, place);
        } catch (error) {
          if (error instanceof ReadFault) throw error;
          // One row of odd shape (nested ten thousand deep, say) must not cost the rest of the file.
          notes.error("log.bad-line", `Line ${at} could not be used and was left out: ${messageOf(error)}`, {
            file: file.uri,
            line: at,
          });
        }
      } else {
        badLine(notes, file.uri, line, at, ended);
        // To find a line bad takes many times longer than to read a good one.
        if (++bad > MOST_BAD && bad > good)
          throw new ReadFault(
            "log.bad-line",
            `Most of the first ${at} lines are no JSON objects; the rest of the file was left out.`,
          );
      }
    },
    mixed: (at) => mixedEncoding(notes, file.uri, at),
    tooLong: (at) =>
      notes.error("log.long-line", `Line ${at} is longer than 32 MiB and was left out.`, { file: file.uri, line: at }),
  });
}

export function mixedEncoding(notes: Notes, file: string, line: number): void {
  notes.warn(
    "log.encoding",
    `The file begins as UTF-16 and goes on as UTF-8 from line ${line}; both parts were read.`,
    {
      file,
      line,
    },
  );
}

/** Says what is wrong with a line that is no JSON object. */
function badLine(notes: Notes, file: string, line: string, at: number, ended: boolean): void {
  if (!ended && /^\s*\{/.test(line)) {
    notes.warn(
      "log.truncated",
      `The last line (${at}) is cut short and was left out; the file may still be being written.`,
      { file, line: at, column: line.length },
    );
  } else
    notes.error("log.bad-line", `Line ${at} is not a JSON object and was left out.`, {
      file,
      line: at,
      ...(notes.isFull("log.bad-line", file) ? {} : { column: jsonErrorColumn(line) }),
    });
}

function jsonErrorColumn(line: string): number {
  if (line.length > 1e6) return 1;
  try {
    JSON.parse(line);
    return 1;
  } catch (error) {
    const at = /position (\d+)/.exec(messageOf(error));
    return at ? Number(at[1]) + 1 : 1;
  }
}
