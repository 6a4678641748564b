import type { Host } from "../../server/host";

/** A host whose files are in memory; `reads` counts the bytes that were asked for. */
export function memoryHost(
  files: Record<string, string | Uint8Array>,
  modified = 1,
): Host & { bytesRead: number; modified: number } {
  const bytes = (uri: string): Uint8Array | undefined => {
    const content = files[uri];
    return typeof content === "string" ? new TextEncoder().encode(content) : content;
  };
  const host = {
    bytesRead: 0,
    modified,
    async readFile(uri: string, options: { start?: number; end?: number } = {}) {
      const content = bytes(uri)?.slice(options.start ?? 0, options.end);
      host.bytesRead += content?.length ?? 0;
      return content;
    },
    async *readChunks(uri: string, chunkSize = 4096) {
      const content = bytes(uri) ?? new Uint8Array();
      for (let at = 0; at < content.length; at += chunkSize) {
        host.bytesRead += Math.min(chunkSize, content.length - at);
        yield content.slice(at, at + chunkSize);
      }
    },
    async stat(uri: string) {
      const content = bytes(uri);
      return content === undefined
        ? undefined
        : { kind: "file" as const, size: content.length, modified: host.modified };
    },
    async list() {
      return [];
    },
  };
  return host;
}
