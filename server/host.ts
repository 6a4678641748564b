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

/** What is an address and no path (a store's needs no slashes): what leads to it, and the rest. */
const ADDRESS = /^((?:postgres(?:ql)?|clickhouses?|sqlite):\/*|[a-z][a-z0-9+.-]*:\/\/)([^]*)$/i;

/** Names of values in an address that no one else may read, in lower case and without what joins their words. */
const SECRET_NAME =
  /^(ssl)?(password|passwd|passphrase|pass|pwd)$|^auth(orization)?$|^(aws|x|private|account|shared)?(access|api|auth)?key(id)?$|^(x(amz|goog))?(sig|credentials?)$|signature$|secret|^token|token$/;

/** Where the first value that is a secret starts; -1: nowhere. The path of a file of this machine is looked into by nobody. */
function secretAt(address: string): number {
  const start = /^(sqlite|file):/i.test(address) ? address.indexOf("?") : 0;
  for (const found of start < 0 ? [] : address.slice(start).matchAll(/[?&;#]([^=?&;#]*)=/g)) {
    const name = decoded(found[1])
      .toLowerCase()
      .replace(/[-_.\s]/g, "");
    if (SECRET_NAME.test(name)) return start + found.index + found[0].length;
  }
  return -1;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Whether `user:password@` begins what follows the scheme. A password may hold `/`, `?` and `#`: it ends before the last `@`. */
function hasPassword(scheme: string, rest: string): boolean {
  if (/^sqlite:/i.test(scheme)) return false;
  const whole = /^[^/?#]*/.exec(rest)![0];
  const head = whole.replace(/\[[\da-f:.]*\]/i, "").replace(/%3a/gi, ":");
  const tail = rest.slice(whole.length);
  if (/:[^]*@/.test(head)) return true;
  // Behind a port, a path on a server may hold an `@`; the name of a database does not.
  if (/^[^:]*:\d+$/.test(head)) return /^(postgres|clickhouse|s3)/i.test(scheme) && /^[^?#]*@/.test(tail);
  return head.includes(":") && tail.includes("@");
}

/** Whether a password, a token or a signature stands in an address. */
export function holdsSecret(source: string): boolean {
  const parts = ADDRESS.exec(source);
  return parts !== null && (secretAt(source) >= 0 || hasPassword(parts[1], parts[2]));
}

/** An address as it may be shown: without who asks, and from the first value on that is a secret, which may hold anything. A path stays. */
export function shownSource(source: string): string {
  const parts = ADDRESS.exec(source);
  if (!parts) return source;
  const [, scheme, rest] = parts;
  const secret = secretAt(source);
  const user = hasPassword(scheme, rest)
    ? source.lastIndexOf("@")
    : scheme.length + /^[^/?#]*/.exec(rest)![0].lastIndexOf("@");
  if (user >= scheme.length && secret >= 0 && secret < user) return `${scheme}…`;
  const end = secret < 0 ? "" : "…";
  const shown = source.slice(0, secret < 0 ? undefined : secret);
  return (user < scheme.length ? shown : `${scheme}…${shown.slice(user)}`) + end;
}
