import type { DirectoryEntry, Host } from "../../server/host";

export interface MemoryHost extends Host {
  /** The files themselves: change one to have it change under a reader. */
  readonly files: Map<string, Uint8Array>;
  uri(path: string): string;
}

/** A host over files in memory, by relative path. */
export function memoryHost(contents: Readonly<Record<string, string | Uint8Array>>): MemoryHost {
  const files = new Map<string, Uint8Array>();
  const uri = (path: string) => `memory:///${path.split("/").map(encodeURIComponent).join("/")}`;
  for (const [path, content] of Object.entries(contents))
    files.set(uri(path), typeof content === "string" ? new TextEncoder().encode(content) : content);
  return {
    files,
    uri,
    readFile: async (at, { start = 0, end } = {}) => files.get(at)?.subarray(start, end),
    async *readChunks(at, size = 4096) {
      const bytes = files.get(at) ?? new Uint8Array();
      for (let i = 0; i < bytes.length; i += size) yield bytes.subarray(i, i + size);
    },
    async stat(at) {
      const bytes = files.get(at);
      if (bytes) return { kind: "file", size: bytes.length, modified: 1 };
      return [...files.keys()].some((key) => key.startsWith(`${at}/`))
        ? { kind: "directory", size: 0, modified: 1 }
        : undefined;
    },
    async list(at) {
      const found = new Map<string, DirectoryEntry>();
      for (const key of files.keys()) {
        if (!key.startsWith(`${at}/`)) continue;
        const [name, ...more] = key.slice(at.length + 1).split("/");
        found.set(name, { name: decodeURIComponent(name), kind: more.length > 0 ? "directory" : "file" });
      }
      return [...found.values()];
    },
  };
}
