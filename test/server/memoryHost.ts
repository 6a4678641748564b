import type { DirectoryEntry, FileStat, Host } from "../../server/host";

/** Files in memory under `file:///w/`; absent is undefined, as everywhere. */
export class MemoryHost implements Host {
  readonly files = new Map<string, Uint8Array>();
  readonly written: string[] = [];
  #clock = 1;
  readonly #modified = new Map<string, number>();

  set(uri: string, content: string | Uint8Array): void {
    this.files.set(uri, typeof content === "string" ? new TextEncoder().encode(content) : content);
    this.#modified.set(uri, this.#clock++);
  }

  readFile(uri: string, options: { start?: number; end?: number } = {}): Promise<Uint8Array | undefined> {
    return Promise.resolve(this.files.get(uri)?.slice(options.start ?? 0, options.end));
  }

  async *readChunks(uri: string): AsyncIterable<Uint8Array> {
    const bytes = this.files.get(uri);
    if (bytes) yield bytes;
  }

  stat(uri: string): Promise<FileStat | undefined> {
    const bytes = this.files.get(uri);
    if (bytes)
      return Promise.resolve({ kind: "file" as const, size: bytes.length, modified: this.#modified.get(uri) ?? 0 });
    const folder = `${uri.replace(/\/$/, "")}/`;
    return Promise.resolve(
      [...this.files.keys()].some((key) => key.startsWith(folder))
        ? { kind: "directory" as const, size: 0, modified: 0 }
        : undefined,
    );
  }

  list(uri: string): Promise<readonly DirectoryEntry[]> {
    const folder = `${uri.replace(/\/$/, "")}/`;
    const entries = new Map<string, "file" | "directory">();
    for (const key of this.files.keys()) {
      if (!key.startsWith(folder)) continue;
      const rest = key.slice(folder.length);
      const slash = rest.indexOf("/");
      entries.set(decodeURIComponent(slash < 0 ? rest : rest.slice(0, slash)), slash < 0 ? "file" : "directory");
    }
    return Promise.resolve([...entries].map(([name, kind]) => ({ name, kind })));
  }

  writeFile(uri: string, content: Uint8Array): Promise<void> {
    this.written.push(uri);
    this.set(uri, content);
    return Promise.resolve();
  }
}
