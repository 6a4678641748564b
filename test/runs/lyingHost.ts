import type { Host } from "../../server/host";

/** From this size on a file is read as a large one. */
export const LARGE = 64 * 1024 * 1024;

/**
 * A host that calls every file 64 MB larger than it is, with nothing between its end and the last bytes that are asked for: small
 * files are then read as large ones are. What is asked from beyond the end is taken from the end, as a Parquet footer is.
 * @param sample bytes that are given at most of a file's beginning, as samples of a really large file see a part of it only
 */
export function lyingHost(host: Host, sample = Infinity): Host {
  return {
    ...host,
    async stat(uri) {
      const about = await host.stat(uri);
      return about?.kind === "file" ? { ...about, size: about.size + LARGE } : about;
    },
    readFile(uri, { start = 0, end } = {}) {
      if (start >= LARGE)
        return host.readFile(uri, { start: start - LARGE, ...(end !== undefined && { end: end - LARGE }) });
      const cut = start === 0 && end !== undefined && end > 64 * 1024 ? Math.min(end, sample) : end;
      return host.readFile(uri, { start, ...(cut !== undefined && { end: cut }) });
    },
  };
}
