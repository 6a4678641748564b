import { createHash, randomUUID } from "node:crypto";
import { statSync } from "node:fs";
import * as fs from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { memoryCache } from "../operations/runJob";
import { layered, placesOf, type RunCache } from "../sources/read";

const MOST_BYTES = 256 * 1024 * 1024;
const ENTRY = /^[0-9a-f]{64}\.reading$/;
const TEMPORARY = /\.reading\.tmp$/;

/** A temporary file of this age was left behind by a process that died. */
const ABANDONED_AFTER = 60 * 60 * 1000;

/** After a failure no writing is tried for this long: a full disk must not be met once per file. */
const TRY_AGAIN_AFTER = 30_000;

/** What the cache needs of the file system; tests give one that fails. */
export type CacheFiles = Readonly<
  Pick<typeof fs, "mkdir" | "readdir" | "readFile" | "rename" | "stat" | "unlink" | "utimes" | "writeFile">
>;

export interface FileCacheOptions {
  /** Bytes from which the entries that were not used for longest are let go (default 256 MiB). */
  readonly mostBytes?: number;
  /** Of the program: readings of another version count as absent. */
  readonly version?: string;
  readonly files?: CacheFiles;
}

/**
 * What was read of run logs, kept in a folder of its own across sessions and shared by whatever sessions run at once.
 * An entry is one file: a line with the SHA-256 of all that follows, the key, the value. One that is cut short, altered or
 * not ours counts as absent. A value that cannot be kept rejects with a message for people.
 */
export function createFileCache(
  folder: string,
  { mostBytes = MOST_BYTES, version = codeVersion(), files = fs }: FileCacheOptions = {},
): RunCache {
  const pathOf = (key: string) => join(folder, `${sha256(key)}.reading`);
  const headOf = (body: string) => `scaling-lens ${version} ${sha256(body)}\n`;
  /** Written since the folder was last looked over; the first writing looks it over in any case. */
  let written = Infinity;
  let failed: { readonly error: Error; readonly until: number } | undefined;
  return {
    async get(key) {
      const path = pathOf(key);
      let text: string;
      try {
        // A pipe of that name would be waited for.
        const about = await files.stat(path);
        if (!about.isFile() || about.size > mostBytes) return undefined;
        text = await files.readFile(path, "utf8");
      } catch {
        return undefined;
      }
      const start = `${JSON.stringify(key)}\n`;
      const cut = text.indexOf("\n") + 1;
      const body = text.slice(cut);
      if (!body.startsWith(start) || text.slice(0, cut) !== headOf(body)) return undefined;
      const now = new Date();
      await files.utimes(path, now, now).catch(() => undefined);
      return body.slice(start.length);
    },
    async set(key, value) {
      if (failed && Date.now() < failed.until) throw failed.error;
      const body = `${JSON.stringify(key)}\n${value}`;
      const path = pathOf(key);
      const temporary = join(folder, `${randomUUID()}.reading.tmp`);
      try {
        await makeFolder(files, folder);
        await files.writeFile(temporary, headOf(body) + body, { flag: "wx" });
        await files.rename(temporary, path);
      } catch (error) {
        await files.unlink(temporary).catch(() => undefined);
        // Windows does not replace a file that another session has open, and that session's entry is as good.
        if (
          isTaken(error) &&
          (await files.stat(path).then(
            (about) => about.isFile(),
            () => false,
          ))
        )
          return;
        failed = { error: new Error(reasonOf(error, folder), { cause: error }), until: Date.now() + TRY_AGAIN_AFTER };
        throw failed.error;
      }
      written += body.length;
      if (written > mostBytes / 16) {
        written = 0;
        await prune(files, folder, mostBytes);
      }
    },
  };
}

/**
 * The cache of an editor's session: in memory, and in a folder where one is given as a `file:` URI.
 * @param uri absent, or of another scheme: nothing outlasts the session
 */
export function sessionCache(uri: string | undefined): RunCache {
  const memory = memoryCache();
  if (!uri?.startsWith("file:")) return memory;
  return layered(memory, ofDisks(createFileCache(fileURLToPath(uri))));
}

/** The version, and when this code was written: while it is being worked on, what another build has kept is none of its own. */
function codeVersion(): string {
  const version = process.env.SCALING_LENS_VERSION ?? "";
  try {
    return `${version}.${statSync(__filename).mtimeMs}`;
  } catch {
    return version;
  }
}

/** Virtual file systems may state any time at all; only the times of disks are trusted in the next session. */
function ofDisks(cache: RunCache): RunCache {
  const isOnDisk = (key: string) => placesOf(key).every((place) => place.startsWith("file:"));
  return {
    get: (key) => (isOnDisk(key) ? cache.get(key) : Promise.resolve(undefined)),
    set: (key, value) => (isOnDisk(key) ? cache.set(key, value) : Promise.resolve()),
  };
}

/** Step by step: where no folder can ever be, as in `/proc`, Node's recursive way tries without end. */
async function makeFolder(files: CacheFiles, folder: string): Promise<void> {
  try {
    await files.mkdir(folder);
  } catch (error) {
    if (codeOf(error) === "EEXIST" && (await files.stat(folder)).isDirectory()) return;
    if (codeOf(error) !== "ENOENT" || dirname(folder) === folder) throw error;
    await makeFolder(files, dirname(folder));
    await files.mkdir(folder).catch((again: unknown) => {
      if (codeOf(again) !== "EEXIST") throw again;
    });
  }
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function codeOf(error: unknown): string {
  const { code } = error as { code?: unknown };
  return typeof code === "string" ? code : "";
}

function isTaken(error: unknown): boolean {
  return ["EPERM", "EACCES", "EBUSY", "EEXIST"].includes(codeOf(error));
}

function reasonOf(error: unknown, folder: string): string {
  const code = codeOf(error);
  switch (code) {
    case "ENOSPC":
    case "EDQUOT":
      return `there is no space left for the cache in ${folder} (${code})`;
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return `the cache's folder ${folder} cannot be written (${code})`;
    case "EEXIST":
    case "ENOTDIR":
      return `the cache's folder ${folder} cannot be made, since a file is in its place (${code})`;
    default:
      return `the cache in ${folder} failed (${error instanceof Error ? error.message : String(error)})`;
  }
}

/** Leaves three quarters, so that not every writing after it has to look again. Whatever fails here is left to the next time. */
async function prune(files: CacheFiles, folder: string, mostBytes: number): Promise<void> {
  const entries: { path: string; size: number; used: number }[] = [];
  for (const name of await files.readdir(folder).catch(() => [])) {
    const path = join(folder, name);
    const about = ENTRY.test(name) || TEMPORARY.test(name) ? await files.stat(path).catch(() => undefined) : undefined;
    if (!about?.isFile()) continue;
    if (ENTRY.test(name)) entries.push({ path, size: about.size, used: about.mtimeMs });
    else if (about.mtimeMs < Date.now() - ABANDONED_AFTER) await files.unlink(path).catch(() => undefined);
  }
  let total = entries.reduce((sum, { size }) => sum + size, 0);
  if (total <= mostBytes) return;
  for (const { path, size } of entries.sort((a, b) => a.used - b.used)) {
    if (total <= 0.75 * mostBytes) return;
    await files.unlink(path).catch(() => undefined);
    total -= size;
  }
}
