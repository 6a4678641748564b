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
}

export interface DirectoryEntry {
  readonly name: string;
  readonly kind: "file" | "directory";
}

export interface ReadOptions {
  /** First byte (default 0). */
  readonly start?: number;
  /** Byte after the last (default: the end). */
  readonly end?: number;
}

export interface Host {
  readFile(uri: string, options?: ReadOptions): Promise<Uint8Array | undefined>;
  /** The file in pieces of about `chunkSize` bytes (default 4 MiB), for files of any size. */
  readChunks(uri: string, chunkSize?: number): AsyncIterable<Uint8Array>;
  stat(uri: string): Promise<FileStat | undefined>;
  /** Entries of a directory, in no order; a link to a directory above it is not followed. */
  list(uri: string): Promise<readonly DirectoryEntry[]>;
  /** Why a directory gives no entries, where that is not because it has none: a code such as `EACCES`. */
  whyNotListed?(uri: string): Promise<string | undefined>;
  /** Absent where nothing may be written (virtual or untrusted). Used for fit files and the cache alone. */
  writeFile?(uri: string, content: Uint8Array): Promise<void>;
}
