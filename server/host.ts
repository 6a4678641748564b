/**
 * What the engine needs of the world. All places are URIs as strings (`file:///…`, `vscode-vfs://…`), so that the same
 * engine runs in Node, in a web worker and in tests. Nothing here throws for a missing file: absent is `undefined`.
 */
export interface FileStat {
  readonly kind: "file" | "directory";
  /** Bytes. */
  readonly size: number;
  /** Milliseconds since 1970; with the size, the key of every cache. */
  readonly modified: number;
  /** The same of its making, where the file system tells it. */
  readonly created?: number;
}

export interface DirectoryEntry {
  readonly name: string;
  readonly kind: "file" | "directory";
  /** Where a link leads: those that are followed, are followed once. */
  readonly leadsTo?: string;
}

export interface ReadOptions {
  /** First byte (default 0). */
  readonly start?: number;
  /** Byte after the last (default: the end). */
  readonly end?: number;
}

/** The largest file that is read as a whole (bytes). */
export const MOST_WHOLE = 128 * 1024 * 1024;

export interface RemoteTrouble {
  readonly reason: string;
  /** When it could last be read, in milliseconds since 1970: what is given is of then. Null: nothing is known of it. */
  readonly since: number | null;
}

export interface Host {
  /** Regular files only, and whole ones up to `MOST_WHOLE`: a pipe would never end, a device neither. */
  readFile(uri: string, options?: ReadOptions): Promise<Uint8Array | undefined>;
  /** The file in pieces of about `chunkSize` bytes (default 4 MiB), for files of any size. */
  readChunks(uri: string, chunkSize?: number): AsyncIterable<Uint8Array>;
  stat(uri: string): Promise<FileStat | undefined>;
  /** Entries of a directory, in no order; a link to a directory above it is not followed. */
  list(uri: string): Promise<readonly DirectoryEntry[]>;
  /** Where a place is once its links are followed; undefined where nothing is. Absent where there are no links. */
  realPlace?(uri: string): Promise<string | undefined>;
  /** Why a directory gives no entries, where that is not because it has none: a code such as `EACCES`. */
  whyNotListed?(uri: string): Promise<string | undefined>;
  /** Why a place elsewhere (`https:`, `s3:`), or one below it, could not be read. Absent where none may be. */
  trouble?(uri: string): RemoteTrouble | undefined;
  /** Why a file could not be written there, asked before anything is; undefined where nothing speaks against it. */
  whyNotWritten?(uri: string): Promise<string | undefined>;
  /** Whole or not at all; links are followed. Absent where nothing may be written (virtual or untrusted). */
  writeFile?(uri: string, content: Uint8Array): Promise<void>;
}

/** Whether a place is a file or folder on a server or in a bucket. */
export function isRemote(uri: string): boolean {
  return /^(https?|s3):\/\//i.test(uri);
}

/** Reads each place through the host that `pick` has for it. */
export function routed(pick: (uri: string) => Host): Omit<Host, "writeFile" | "trouble"> {
  return {
    readFile: (uri, options) => pick(uri).readFile(uri, options),
    readChunks: (uri, chunkSize) => pick(uri).readChunks(uri, chunkSize),
    stat: (uri) => pick(uri).stat(uri),
    list: (uri) => pick(uri).list(uri),
    realPlace: (uri) => pick(uri).realPlace?.(uri) ?? Promise.resolve(uri),
    whyNotListed: (uri) => pick(uri).whyNotListed?.(uri) ?? Promise.resolve(undefined),
  };
}

/** The text of a config that another names: regular files of a length that people write. Undefined for all else. */
export async function readText(host: Host, uri: string, most = 2 * 1024 * 1024): Promise<string | undefined> {
  const about = await host.stat(uri);
  if (about?.kind !== "file" || about.size > most) return undefined;
  const bytes = await host.readFile(uri, { end: about.size });
  return bytes && new TextDecoder().decode(bytes);
}

/** Names of values in an address that no one else may read. */
const SECRET_VALUE =
  /([?&;](?:password|pwd|secret|token|access_token|api_?key|sig|signature|x-amz-signature|x-amz-credential)=)[^&;#]*/gi;

/** An address as it may be shown: without who asks, and without values that are secrets. A path stays as it is. */
export function shownSource(source: string): string {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(source)
    ? source.replace(/\/\/[^/?#]*@/, "//…@").replace(SECRET_VALUE, "$1…")
    : source;
}
