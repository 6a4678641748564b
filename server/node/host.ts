import {
  access,
  chmod,
  constants,
  mkdir,
  open,
  readdir,
  realpath,
  rename,
  stat,
  unlink,
  writeFile,
} from "node:fs/promises";
import { type Dirent, readdirSync, type Stats, statSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { MOST_WHOLE, type DirectoryEntry, type FileStat, type Host, type ReadOptions } from "../host";
import { isMissing, placeFor } from "./place";
import { AT_ONCE, breathe, readSmall, readWhole } from "./smallFiles";

/** Files from which on memory matters more than haste. */
const MANY = 2_000;

const DEFAULT_CHUNK = 4 * 1024 * 1024;

/** Path of a `file:` URI; undefined for any other scheme, which this host cannot reach. */
function pathOf(uri: string): string | undefined {
  try {
    return uri.startsWith("file:") ? fileURLToPath(uri) : undefined;
  } catch {
    return undefined;
  }
}

/** The URI of a path; relative paths are taken from the working directory. */
export function toUri(path: string): string {
  return pathToFileURL(path).href;
}

async function readFile(uri: string, options: ReadOptions = {}): Promise<Uint8Array | undefined> {
  const path = pathOf(uri);
  if (path === undefined) return undefined;
  let handle;
  try {
    handle = await open(path, AT_ONCE);
    const about = await handle.stat();
    if (!about.isFile() || (options.end === undefined && about.size > MOST_WHOLE)) return undefined;
    const start = Math.max(0, options.start ?? 0);
    const end = Math.min(about.size, options.end ?? about.size);
    const bytes = new Uint8Array(Math.max(0, end - start));
    let filled = 0;
    while (filled < bytes.length) {
      const { bytesRead } = await handle.read(bytes, filled, bytes.length - filled, start + filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return filled === bytes.length ? bytes : bytes.subarray(0, filled);
  } catch {
    return undefined;
  } finally {
    await handle?.close().catch(() => undefined);
  }
}

/**
 * Reads ahead by one piece while the last one is used. Nothing is given for a missing file; a fault in the middle (a disk
 * error, no permission) throws, since a shortened file would read as a wrong answer.
 */
async function* readChunks(uri: string, chunkSize = DEFAULT_CHUNK): AsyncGenerator<Uint8Array> {
  const path = pathOf(uri);
  if (path === undefined) return;
  let handle;
  try {
    handle = await open(path, AT_ONCE);
  } catch (error) {
    if (isMissing(error)) return;
    throw error;
  }
  const file = handle;
  if (!(await file.stat()).isFile()) {
    await file.close().catch(() => undefined);
    throw new Error("it is no regular file");
  }
  const size = Math.max(1, chunkSize);
  const readInto = async () => {
    const buffer = Buffer.allocUnsafeSlow(size);
    const { bytesRead } = await file.read(buffer, 0, size, null);
    return bytesRead === size ? buffer : buffer.subarray(0, bytesRead);
  };
  let next: Promise<Buffer> | undefined;
  try {
    next = readInto();
    for (;;) {
      const piece: Buffer = await next;
      if (piece.length === 0) return;
      next = readInto();
      yield piece;
    }
  } finally {
    await next?.catch(() => undefined);
    await file.close().catch(() => undefined);
  }
}

async function statOf(uri: string, at: (path: string) => Stats | Promise<Stats> = stat): Promise<FileStat | undefined> {
  const path = pathOf(uri);
  if (path === undefined) return undefined;
  try {
    const about = await at(path);
    const kind = about.isDirectory() ? "directory" : about.isFile() ? "file" : undefined;
    const created = about.birthtimeMs > 0 ? { created: about.birthtimeMs } : {};
    return kind && { kind, size: about.size, modified: about.mtimeMs, ...created };
  } catch {
    return undefined;
  }
}

type Entries = (path: string, options: { withFileTypes: true }) => Dirent[] | Promise<Dirent[]>;

async function list(uri: string, entries: Entries = readdir): Promise<readonly DirectoryEntry[]> {
  const path = pathOf(uri);
  if (path === undefined) return [];
  try {
    const found: DirectoryEntry[] = [];
    for (const entry of await entries(path, { withFileTypes: true })) {
      if (entry.isFile()) found.push({ name: entry.name, kind: "file" });
      else if (entry.isDirectory()) found.push({ name: entry.name, kind: "directory" });
      else if (entry.isSymbolicLink()) {
        const link = await behindLink(path, join(path, entry.name));
        if (link) found.push({ name: entry.name, ...link });
      }
    }
    return found;
  } catch {
    return [];
  }
}

async function realPlace(uri: string): Promise<string | undefined> {
  const path = pathOf(uri);
  try {
    return path === undefined ? undefined : toUri(await realpath(path));
  } catch {
    return undefined;
  }
}

async function whyNotListed(uri: string): Promise<string | undefined> {
  const path = pathOf(uri);
  if (path === undefined) return undefined;
  try {
    await access(path, constants.R_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    return String((error as { code?: unknown }).code ?? "unknown");
  }
}

/** Undefined for a dangling link, and for a link to the directory itself or one above it, which would never end. */
async function behindLink(
  directory: string,
  link: string,
): Promise<{ readonly kind: "file" | "directory"; readonly leadsTo?: string } | undefined> {
  try {
    const about = await stat(link);
    if (about.isFile()) return { kind: "file", leadsTo: toUri(await realpath(link)) };
    if (!about.isDirectory()) return undefined;
    const [target, here] = await Promise.all([realpath(link), realpath(directory)]);
    if ((here + sep).startsWith(target.endsWith(sep) ? target : target + sep)) return undefined;
    return { kind: "directory", leadsTo: toUri(target) };
  } catch {
    return undefined;
  }
}

async function whyNotWritten(uri: string): Promise<string | undefined> {
  const path = pathOf(uri);
  if (path === undefined) return "it is no file of this machine";
  const place = await placeFor(path);
  return typeof place === "string" ? place : undefined;
}

/**
 * Writes beside the target and renames, so that a full disk or a crash never leaves half a file under the name. A link stays one, and what is
 * there keeps its mode.
 */
async function write(uri: string, content: Uint8Array): Promise<void> {
  const named = pathOf(uri);
  if (named === undefined) throw new Error(`Only file: URIs can be written here, not ${uri}`);
  const place = await placeFor(named);
  if (typeof place === "string") throw new Error(place);
  const { path, mode } = place;
  await mkdir(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}.${Date.now().toString(36)}.tmp`;
  try {
    await writeFile(temporary, content);
    if (mode !== undefined) await chmod(temporary, mode);
    await rename(temporary, path);
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw error;
  }
}

/** The machine's own files, for the server and the CLI in Node. */
export function createNodeHost(): Host {
  return {
    readFile,
    readChunks,
    stat: (uri) => statOf(uri),
    list: (uri) => list(uri),
    realPlace,
    whyNotListed,
    whyNotWritten,
    writeFile: write,
  };
}

/**
 * The same for a thread that does nothing but the work at hand: small files are read in place, so that a folder of a hundred
 * thousand of them takes seconds. Other work of the thread still has its turn.
 * @param onMany told once, when very many files were asked for
 */
export function createWorkerHost(onMany: () => void = () => undefined): Host {
  let asked = 0;
  // A folder is looked through before the first of its files is read.
  const asks = () => {
    if (++asked === MANY) onMany();
    return breathe();
  };
  return {
    ...createNodeHost(),
    async readFile(uri, options) {
      await asks();
      const path = pathOf(uri);
      if (path === undefined) return undefined;
      const small = readSmall(path, options);
      return small === "none" ? undefined : (small ?? readFile(uri, options));
    },
    async *readChunks(uri, chunkSize = DEFAULT_CHUNK) {
      await breathe();
      const path = pathOf(uri);
      if (path === undefined) return;
      let small: Uint8Array | undefined;
      try {
        small = readWhole(path);
      } catch (error) {
        if (isMissing(error)) return;
        throw error;
      }
      if (small === undefined) yield* readChunks(uri, chunkSize);
      else for (let at = 0; at < small.length; at += chunkSize) yield small.subarray(at, at + chunkSize);
    },
    async stat(uri) {
      await asks();
      return statOf(uri, statSync);
    },
    async list(uri) {
      await asks();
      return list(uri, readdirSync);
    },
  };
}
