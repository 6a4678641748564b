import { hashOf } from "../../core/numerics/hash";
import { messageOf } from "../../records/bytes";
import type { FoundFile } from "../../records/files";
import type { Notes } from "../../records/notes";
import type { RunCache } from "../../runs/options";
import { COMPANION_KEYS, SUCCESS_KEYS } from "../../runs/successKeys";

/** Raise it when what an entry holds, or what is kept of a log, changes. */
const VERSION = 5;

/** A reading may take an eighth of its files' size, and these characters in any case: a larger one is cheaper to read again. */
const ALWAYS_KEPT = 4 * 1024 * 1024;
const NEVER_KEPT = 64 * 1024 * 1024;

/** A file written this shortly ago may be written again within the same tick of its file system's clock, and look the same. */
const SETTLED_AFTER = 2000;

type Place = Pick<FoundFile, "uri" | "size" | "modified">;

/**
 * The readings of earlier times. A store that fails costs only time: what it cannot give is read again, and the first thing
 * that it cannot keep makes one note.
 */
export class ReadingCache {
  #told = false;
  readonly #store: RunCache | undefined;
  readonly #asked: string;

  /** @param asked what readings depend on besides their files: the metric and the mapping of columns */
  constructor(store: RunCache | undefined, asked: string) {
    this.#store = store;
    this.#asked = `${VERSION} ${KEYS} ${asked}`;
  }

  get absent(): boolean {
    return this.#store === undefined;
  }

  /** What was kept of these files, as they are now; undefined where nothing was, or where they have changed since. */
  async get(kind: string, files: readonly FoundFile[]): Promise<string | undefined> {
    if (!settled(files)) return undefined;
    return this.getAt(kind, files);
  }

  /** An entry that holds the state of its files itself, and is found by its place alone. */
  async getAt(kind: string, files: readonly Place[]): Promise<string | undefined> {
    try {
      return await this.#store?.get(this.#key(kind, files));
    } catch {
      return undefined;
    }
  }

  async set(kind: string, files: readonly FoundFile[], value: string, notes: Notes): Promise<void> {
    if (settled(files)) await this.setAt(kind, files, value, notes);
  }

  async setAt(kind: string, files: readonly Place[], value: string, notes: Notes): Promise<void> {
    const size = files.reduce((sum, file) => sum + file.size, 0);
    if (!this.#store || value.length > Math.min(NEVER_KEPT, Math.max(ALWAYS_KEPT, size / 8))) return;
    try {
      await this.#store.set(this.#key(kind, files), value);
    } catch (error) {
      if (this.#told) return;
      this.#told = true;
      notes.warn(
        "run.cache",
        `What was read cannot be kept for the next time: ${messageOf(error)}. The figures are not affected.`,
      );
    }
  }

  #key(kind: string, files: readonly Place[]): string {
    return [kind, this.#asked, ...files.map(({ uri, size, modified }) => `${uri}|${size}|${modified}`)].join("\n");
  }
}

/** Where the files of an entry are, by its key. */
export function placesOf(key: string): string[] {
  return key
    .split("\n")
    .slice(2)
    .map((place) => place.split("|", 1)[0]);
}

/** Whether the state of files tells them from what they may be next. A time of 0 stands for an unknown one. */
export function settled(files: readonly FoundFile[]): boolean {
  const until = Date.now() - SETTLED_AFTER;
  return files.every(({ modified }) => modified > 0 && modified <= until);
}

/** Which metrics are kept of a log depends on the lists of their names. */
const KEYS = hashOf(JSON.stringify([SUCCESS_KEYS.map(({ glob, on }) => [glob, on]), [...COMPANION_KEYS]]));

/** A fast store before a lasting one: what the lasting one cannot keep is still there until the process ends. */
export function layered(fast: RunCache, lasting: RunCache): RunCache {
  return {
    async get(key) {
      const near = await fast.get(key);
      if (near !== undefined) return near;
      const far = await lasting.get(key);
      if (far !== undefined) await fast.set(key, far);
      return far;
    },
    async set(key, value) {
      await fast.set(key, value);
      await lasting.set(key, value);
    },
  };
}
