import type { DatasetRows } from "../frameworks/reading/derive";
import type { Host } from "../host";
import type { FoundFile } from "../records/files";
import { isObject, type JsonObject } from "../records/json";
import { Notes } from "../records/notes";
import { parquetColumns } from "../records/parquet";
import { readRecords } from "../records/records";
import { columnOf, ROLLOUT_NAMES, RolloutFields, type RolloutField } from "../rollouts/fields";
import { makePause } from "../rollouts/pause";
import { measured } from "../rollouts/summary";
import { Tally } from "../rollouts/tally";
import { nameOf } from "../syntax/uris";

/** Text files above this are not read through for a count (bytes). */
const MAX_TEXT = 256 * 1024 * 1024;
/** Up to this, the rows themselves are looked at for environments and repeated tasks (bytes; of Parquet, as it stands). */
const MAX_VALUES = 16 * 1024 * 1024;
const MAX_ROWS = 250_000;
/** Characters of those rows that are looked at: Parquet writes a text once that a million rows repeat. */
const MAX_CHARACTERS = 64e6;
/** Tasks above this are told apart by their exact text: near repeats would take seconds to find. */
const MAX_COMPARED = 50_000;
const CACHED = 200;

/** What tells a task and its environment, in rollouts and in the data of a training alike. */
const FIELDS: readonly RolloutField[] = [
  "task_id",
  "task",
  "environment",
  "world",
  "tools",
  "state",
  "transitions",
  "verifier",
];
const COLUMNS = [...FIELDS.flatMap((field) => ROLLOUT_NAMES[field]), "info"];

const caches = new WeakMap<Host, Map<string, Promise<DatasetRows | undefined>>>();

/** A training file as a config names it. */
export interface WantedFile {
  /** Where it may be; the first of these that is there is meant. */
  readonly places: readonly string[];
  /** Rows that are taken of it at most. */
  readonly limit?: number;
}

/**
 * Rows of training files in the workspace, together: from a Parquet footer, the lines of JSONL, the records of CSV or TSV, or the
 * items of a JSON list. Distinct tasks and environments are told as `measure` tells them. Undefined for what is absent, of another
 * kind, damaged, or too large to count. Kept until a file's size or time changes.
 */
export async function datasetRows(host: Host, wanted: readonly WantedFile[]): Promise<DatasetRows | undefined> {
  const files: (FoundFile & Pick<WantedFile, "limit">)[] = [];
  for (const { places, limit } of wanted) {
    const file = await firstOf(host, places);
    if (file === undefined) return undefined;
    files.push({ ...file, limit });
  }
  let cache = caches.get(host);
  if (cache === undefined) caches.set(host, (cache = new Map()));
  const key = files.map(({ uri, size, modified, limit }) => `${uri}\n${size}\n${modified}\n${limit}`).join("\n");
  let counted = cache.get(key);
  if (counted === undefined) {
    counted = together(host, files).catch(() => undefined);
    if (cache.size >= CACHED)
      for (const oldest of cache.keys()) {
        cache.delete(oldest);
        break;
      }
    cache.set(key, counted);
  }
  return counted;
}

async function firstOf(host: Host, places: readonly string[]): Promise<FoundFile | undefined> {
  for (const uri of places) {
    const stat = await host.stat(uri);
    if (stat?.kind !== "file") continue;
    const name = decoded(nameOf(uri));
    return { uri, name, path: name, size: stat.size, modified: stat.modified };
  }
  return undefined;
}

async function together(
  host: Host,
  files: readonly (FoundFile & Pick<WantedFile, "limit">)[],
): Promise<DatasetRows | undefined> {
  const data = new Data();
  const counts: string[] = [];
  let rows = 0;
  for (const { limit = Infinity, ...file } of files) {
    const own = await count(file.size <= MAX_VALUES ? await held(host, file) : host, file, data);
    if (own === undefined) return undefined;
    // What a limit leaves out is not told by number: tasks and environments are known of whole files alone.
    if (own > limit) data.skip();
    rows += Math.min(own, limit);
    counts.push(`${plural(own, "row")} in ${file.name}`);
  }
  return data.result(rows, counts);
}

/** A host that has read a small file, for all who look at it. */
async function held(host: Host, { uri }: FoundFile): Promise<Host> {
  const bytes = (await host.readFile(uri)) ?? new Uint8Array();
  return {
    stat: (at) => host.stat(at),
    list: (at) => host.list(at),
    readFile: (_, { start = 0, end } = {}) => Promise.resolve(bytes.subarray(start, end)),
    async *readChunks() {
      yield bytes;
    },
  };
}

/** Rows of one file; what they say goes into the data, where they are few enough to look at. */
async function count(host: Host, file: FoundFile, data: Data): Promise<number | undefined> {
  const { name, size } = file;
  switch (/\.(parquet|jsonl|ndjson|csv|tsv|json)$/i.exec(name)?.[1].toLowerCase()) {
    case "parquet": {
      const found = await parquetColumns(host, file);
      if (!found) return undefined;
      if (size <= MAX_VALUES && found.rows <= MAX_ROWS) await data.read(host, file, "parquet");
      else data.skip();
      return found.rows;
    }
    case "jsonl":
    case "ndjson":
      if (size > MAX_TEXT) return undefined;
      if (size <= MAX_VALUES) await data.read(host, file, "jsonl");
      else data.skip();
      return lines(host, file, false);
    case "csv":
    case "tsv": {
      if (size > MAX_TEXT) return undefined;
      if (size <= MAX_VALUES) await data.read(host, file, "csv");
      else data.skip();
      return Math.max(0, (await lines(host, file, true)) - 1);
    }
    case "json":
      return size > MAX_VALUES ? undefined : data.list(await host.readFile(file.uri));
    default:
      return undefined;
  }
}

/** Lines that are not blank; the last one need not end. Line ends within quotes belong to a field where there are fields. */
async function lines(host: Host, { uri }: FoundFile, quotes: boolean): Promise<number> {
  let found = 0;
  let quoted = false;
  let blank = true;
  for await (const piece of host.readChunks(uri)) {
    for (const byte of piece) {
      if (byte === 34 && quotes) quoted = !quoted;
      if (byte === 10 && !quoted) {
        if (!blank) found++;
        blank = true;
      } else if (byte !== 13 && byte !== 32 && byte !== 9) blank = false;
    }
  }
  return blank ? found : found + 1;
}

/** What the rows of training files say of tasks and environments. */
class Data {
  readonly #tally = new Tally(1, false);
  readonly #fields = new RolloutFields();
  readonly #columns = new Map<RolloutField, string>();
  #whole = true;
  #characters = 0;

  /** A file whose rows are too many to look at: what the others say is not the whole. */
  skip(): void {
    this.#whole = false;
  }

  async read(host: Host, file: FoundFile, format: "parquet" | "jsonl" | "csv"): Promise<void> {
    try {
      const only = format === "parquet" ? COLUMNS : undefined;
      await readRecords(format, { host, file, notes: new Notes(), only, onRecord: (row) => this.#see(row) });
    } catch {
      // The rows are counted all the same.
      this.skip();
    }
  }

  /** The items of a JSON list, and their number. */
  list(bytes: Uint8Array | undefined): number | undefined {
    const list: unknown = bytes && JSON.parse(new TextDecoder().decode(bytes));
    if (!Array.isArray(list)) return undefined;
    for (const row of list) this.#see(isObject(row) ? row : {});
    return list.length;
  }

  #see(row: JsonObject): void {
    this.#characters += charactersOf(row);
    if (this.#characters > MAX_CHARACTERS) throw new Error("more text than is looked at");
    this.#tally.add(this.#fields.read(row));
    for (const field of ["task_id", "task", "world", "environment"] as const) {
      const column = this.#columns.has(field) ? undefined : columnOf(row, field);
      if (column !== undefined) this.#columns.set(field, column);
    }
  }

  async result(rows: number, notes: string[]): Promise<DatasetRows> {
    const tally = this.#tally;
    if (!this.#whole || tally.cells.length !== rows) return { rows, note: notes.join("; ") };
    const duplicates = tally.taskTexts.length <= MAX_COMPARED ? "char-tfidf" : "exact";
    const pause = makePause(() => undefined);
    const { tasks, templates, environments } = await measured(tally, pause, { duplicates });
    const columns = this.#columns;
    const by = (...fields: readonly RolloutField[]) => {
      const column = fields.map((field) => columns.get(field)).find((one) => one !== undefined);
      return column === undefined ? "" : ` by \`${column}\``;
    };
    const fewer = tasks !== null && tasks < rows;
    const more = [
      ...(fewer ? [`${plural(tasks, "distinct task")}${by("task_id", "task")}`] : []),
      ...(tasks !== null && templates !== null && templates < tasks
        ? [`instances of ${plural(templates, "template")}: texts that differ in numbers alone`]
        : []),
      ...(environments !== null ? [`${plural(environments, "environment")}${by("world", "environment")}`] : []),
      ...(environments !== null && environments > 1 ? this.#uneven(environments) : []),
    ];
    return {
      rows,
      note: [notes.join("; "), ...more].join(", "),
      ...(environments === null ? {} : { environments }),
      ...(fewer ? { tasks } : {}),
    };
  }

  /** Environments by their share of the rows, 1/Σp²: a small source is less than a whole one. */
  #uneven(environments: number): string[] {
    const shares = new Map<number, number>();
    for (const { environment } of this.#tally.cells) shares.set(environment, (shares.get(environment) ?? 0) + 1);
    const all = this.#tally.cells.length;
    const effective = 1 / [...shares.values()].reduce((sum, rows) => sum + (rows / all) ** 2, 0);
    return effective < 0.95 * environments ? [`effectively ${effective.toFixed(1)} by their share of the rows`] : [];
  }
}

function charactersOf(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 1;
  let sum = 1;
  for (const part of Object.values(value)) sum += charactersOf(part);
  return sum;
}

function plural(value: number, noun: string): string {
  return `${value.toLocaleString("en-GB")} ${noun}${value === 1 ? "" : "s"}`;
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
