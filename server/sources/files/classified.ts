import type { TableNote } from "../../core/table";
import { type Classification, classify } from "./classify";
import type { Columns } from "../../runs/columns";
import type { Host } from "../../host";
import type { FoundFile } from "../../records/files";
import { isObject, parseJson } from "../../records/json";
import { isLasting, isNote, Notes } from "../../records/notes";
import { READERS } from "./readers";
import { type ReadingCache, settled } from "../kept/readingCache";
import type { RecordFormat } from "../../records/recordTypes";

interface Known {
  readonly size: number;
  readonly modified: number;
  readonly kind: string;
  readonly notes: readonly TableNote[];
}

/** Tells what files are, and remembers it by source: of an unchanged file not even the beginning is read again. */
export class ClassifiedFiles {
  readonly #known: Map<string, Known>;
  readonly #seen = new Map<string, Known>();
  #news = false;

  private constructor(
    private readonly parts: {
      readonly host: Host;
      readonly columns: Columns;
      readonly notes: Notes;
      readonly cache: ReadingCache;
      /** Whether `facts` may give the axes of a table. */
      readonly joined?: boolean;
    },
    private readonly source: string,
    known: Map<string, Known>,
  ) {
    this.#known = known;
  }

  /** @param source URI of the folder or file that is looked through */
  static async open(
    parts: {
      readonly host: Host;
      readonly columns: Columns;
      readonly notes: Notes;
      readonly cache: ReadingCache;
      readonly joined?: boolean;
    },
    source: string,
  ): Promise<ClassifiedFiles> {
    return new ClassifiedFiles(
      parts,
      source,
      restored(await parts.cache.getAt(kindOf(parts.joined), [{ uri: source, size: 0, modified: 0 }])),
    );
  }

  async kindOf(file: FoundFile): Promise<Classification> {
    const { host, columns, notes, cache } = this.parts;
    const before = this.#known.get(file.path);
    if (before?.size === file.size && before.modified === file.modified) {
      const kind = kindNamed(before.kind, file);
      if (kind !== null) {
        notes.include(before.notes);
        this.#seen.set(file.path, before);
        return kind;
      }
    }
    const own = new Notes();
    const kind = await classify(host, file, columns, own, this.parts.joined);
    notes.include(own.list());
    if (!cache.absent && settled([file]) && isLasting(own.list())) {
      this.#seen.set(file.path, { size: file.size, modified: file.modified, kind: nameOf(kind), notes: own.list() });
      this.#news = true;
    }
    return kind;
  }

  /** Keeps what was found out, where that is more than was known. */
  async close(): Promise<void> {
    const { cache, notes } = this.parts;
    if (!this.#news) return;
    await cache.setAt(
      kindOf(this.parts.joined),
      [{ uri: this.source, size: 0, modified: 0 }],
      JSON.stringify(
        [...this.#seen].map(([path, { size, modified, kind, notes: about }]) => [path, size, modified, kind, about]),
      ),
      notes,
    );
  }
}

const kindOf = (joined = false) => `files${joined ? " joined" : ""} ${READERS.map(({ id }) => id).join(" ")}`;

function nameOf(kind: Classification): string {
  if (kind === undefined) return "none";
  if (kind === "rollouts") return kind;
  return "reader" in kind ? `reader ${kind.reader.id}` : `table ${kind.format}`;
}

/** Null where nothing of that name is known. */
function kindNamed(name: string, file: FoundFile): Classification | null {
  if (name === "none") return undefined;
  if (name === "rollouts") return name;
  const [what, id] = name.split(" ");
  if (what === "table" && /^(jsonl|csv|parquet)$/.test(id)) return { file, format: id as RecordFormat };
  const reader = READERS.find((each) => each.id === id);
  return reader ? { reader } : null;
}

function restored(text: string | undefined): Map<string, Known> {
  const known = new Map<string, Known>();
  const list = text === undefined ? undefined : parseJson(text);
  if (!Array.isArray(list)) return known;
  for (const entry of list) {
    if (!Array.isArray(entry)) continue;
    const [path, size, modified, kind, notes] = entry as unknown[];
    if (
      typeof path !== "string" ||
      typeof size !== "number" ||
      typeof modified !== "number" ||
      typeof kind !== "string"
    )
      continue;
    if (Array.isArray(notes) && notes.every((note) => isObject(note) && isNote(note)))
      known.set(path, { size, modified, kind, notes });
  }
  return known;
}
