import type { Host } from "../../../host";
import type { Columns } from "../../../runs/columns";
import { mostOf } from "../../../records/csv";
import { type FoundFile, unpackedName } from "../../../records/files";
import { isObject, type JsonObject, parseJson } from "../../../records/json";
import { decoderFor } from "../../../records/lines";
import type { Notes } from "../../../records/notes";
import type { Interest, RunMetrics } from "../../../runs/series";
import type { TableAccelerator } from "../../../runs/options";

/** The beginning of a file, by which readers tell their own. */
export class Probe {
  #text: string | undefined;
  #columns: ReadonlySet<string> | undefined;

  constructor(
    readonly file: FoundFile,
    readonly head: Uint8Array,
    /** Column names, where they are no text (Parquet). */
    columns?: readonly string[],
  ) {
    this.#columns = columns && new Set(columns);
  }

  /** The name in lower case without what packed it. */
  get name(): string {
    return unpackedName(this.file.name.toLowerCase());
  }

  text(): string {
    return (this.#text ??= decoderFor(this.head).decode(this.head));
  }

  /** Names in the first line as of a table, whatever the file is called. */
  header(): ReadonlySet<string> {
    return new Set(headerOf(this.text().replace(/^\uFEFF?#\{.*\n/, "")));
  }

  isText(): boolean {
    return !this.text().slice(0, 4096).includes("\0");
  }

  /** The first lines that are JSON objects (at most `count`). */
  objects(count = 4): JsonObject[] {
    const found: JsonObject[] = [];
    for (const line of this.text().split("\n", 200)) {
      const value = line.trimStart().startsWith("{") ? parseJson(line) : undefined;
      if (isObject(value)) found.push(value);
      if (found.length >= count) break;
    }
    return found;
  }

  /** Column names of a CSV header, a Parquet schema, or the first JSON objects. */
  columns(): ReadonlySet<string> {
    return (this.#columns ??= new Set(
      /\.(csv|tsv)$/.test(this.name) ? headerOf(this.text()) : this.objects().flatMap((object) => Object.keys(object)),
    ));
  }
}

/** Of a longer first line the cells are no names of columns. */
const LONGEST_HEADER = 2e6;

export function headerOf(text: string): string[] {
  const line = text.split(/\r\n?|\n/, 1)[0].replace(/^\uFEFF/, "");
  if (line.length > LONGEST_HEADER) return [];
  const mark = mostOf([",", "\t", ";", "|"], line);
  const names: string[] = [];
  const cell = new RegExp(`(?:^|[${mark}])(?:"((?:[^"]|"")*)"|([^${mark}]*))`, "g");
  for (const match of line.matchAll(cell)) names.push((match[1]?.replace(/""/g, '"') ?? match[2] ?? "").trim());
  return names;
}

/** What a reader gets besides its files. */
export interface ReadContext {
  readonly host: Host;
  readonly notes: Notes;
  readonly columns: Columns;
  /** The metrics worth keeping. */
  readonly wants: (key: string) => Interest;
  /** Only rows with a wanted metric count: a large file's other rows may not be looked at. */
  readonly sparse?: boolean;
  readonly accelerator?: TableAccelerator;
  readonly signal?: AbortSignal;
  readonly onBytes?: (count: number) => void;
}

/** One log format. Adding one is a file that exports this, one line in `readers/index.ts`, and a fixture. */
export interface LogReader {
  /** Stable; part of the cache's key. Raise its number when what is read changes. */
  readonly id: string;
  /** For notes: `a TensorBoard event file`. */
  readonly title: string;
  recognises(probe: Probe): boolean;
  /** Endings of its files, such as `.tally`, where they are not those that logs mostly have: others are not looked at. */
  readonly endings?: readonly string[];
  /** Whether several of these files in one folder are parts of one run. */
  readonly parts: boolean;
  /** All files that a reading rests on, where they are more than those that it is found by. */
  rests?(files: readonly FoundFile[], context: ReadContext): Promise<readonly FoundFile[]>;
  /**
   * The runs in these files (several only where one file holds several). Never throws but for the signal's reason:
   * damage becomes notes, and what came before it is returned.
   */
  read(files: readonly FoundFile[], context: ReadContext): Promise<RunMetrics[]>;
}
