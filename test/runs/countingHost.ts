import type { Host } from "../../server/host";

/** A host that counts the bytes it gives, by the last part of each URI. */
export function countingHost(inner: Host): { readonly host: Host; readonly bytes: Map<string, number> } {
  const bytes = new Map<string, number>();
  const count = (uri: string, size: number) => {
    const name = decodeURIComponent(uri.replace(/^.*\//, ""));
    if (size > 0) bytes.set(name, (bytes.get(name) ?? 0) + size);
  };
  return {
    bytes,
    host: {
      ...inner,
      async readFile(uri, options) {
        const read = await inner.readFile(uri, options);
        count(uri, read?.length ?? 0);
        return read;
      },
      async *readChunks(uri, size) {
        for await (const piece of inner.readChunks(uri, size)) {
          count(uri, piece.length);
          yield piece;
        }
      },
    },
  };
}
