import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rename, stat, unlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { RunCache } from "../runs/options";

const MOST_BYTES = 256 * 1024 * 1024;
const PRUNE_EVERY = 200;

/**
 * What was read of run logs, kept in a folder of its own across sessions. Entries that were not used for longest go first
 * once the folder holds more than `mostBytes`. A folder that cannot be written rejects, which readers turn into a note.
 */
export function createFileCache(folder: string, mostBytes = MOST_BYTES): RunCache {
  const pathOf = (key: string) => join(folder, `${createHash("sha256").update(key).digest("hex")}.json`);
  let writes = 0;
  return {
    async get(key) {
      const path = pathOf(key);
      let text: string;
      try {
        text = await readFile(path, "utf8");
      } catch (error) {
        if ((error as { code?: unknown }).code === "ENOENT") return undefined;
        throw error;
      }
      const now = new Date();
      await utimes(path, now, now).catch(() => undefined);
      // The key stands before the reading: a hash alone would trust a file that someone else put there.
      return text.startsWith(`${JSON.stringify(key)}\n`) ? text.slice(JSON.stringify(key).length + 1) : undefined;
    },
    async set(key, value) {
      await mkdir(folder, { recursive: true });
      const temporary = join(folder, `${process.pid}-${writes}.tmp`);
      try {
        await writeFile(temporary, `${JSON.stringify(key)}\n${value}`);
        await rename(temporary, pathOf(key));
      } catch (error) {
        await unlink(temporary).catch(() => undefined);
        throw error;
      }
      if (writes++ % PRUNE_EVERY === 0) await prune(folder, mostBytes);
    },
  };
}

async function prune(folder: string, mostBytes: number): Promise<void> {
  const entries: { path: string; size: number; used: number }[] = [];
  for (const name of await readdir(folder).catch(() => [])) {
    if (!/^[0-9a-f]{64}\.json$/.test(name)) continue;
    const about = await stat(join(folder, name)).catch(() => undefined);
    if (about) entries.push({ path: join(folder, name), size: about.size, used: about.mtimeMs });
  }
  let total = entries.reduce((sum, { size }) => sum + size, 0);
  for (const { path, size } of entries.sort((a, b) => a.used - b.used)) {
    if (total <= mostBytes) return;
    await unlink(path).catch(() => undefined);
    total -= size;
  }
}
