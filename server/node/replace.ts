import { randomUUID } from "node:crypto";
import { open, readFile, realpath, rename, stat, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/** Why a file was not written. It is then as it was, byte for byte. */
export class NotWritten extends Error {}

/**
 * Puts new bytes in a file's place, whole or not at all: they are written beside it, brought to the disk, and renamed over it, after one more look
 * whether it still holds what it was read with. Links are followed, and the mode is kept.
 * @throws NotWritten, with a message for people
 */
export async function replaceFile(path: string, before: Uint8Array, after: Uint8Array): Promise<void> {
  // Past a limit on file sizes the system ends the program, unless it is told that this is looked after.
  const onLimit = () => undefined;
  process.on("SIGXFSZ", onLimit);
  let temporary: string | undefined;
  try {
    const target = await realpath(path);
    const about = await stat(target);
    if (!about.isFile()) throw new NotWritten("it is no regular file");
    temporary = join(dirname(target), `.${basename(target).slice(0, 100)}.${randomUUID().slice(0, 8)}.tmp`);
    const handle = await open(temporary, "wx", about.mode & 0o7777);
    try {
      await handle.writeFile(after);
      await handle.chmod(about.mode & 0o7777);
      // Another owner stays the owner where that is allowed.
      await handle.chown(about.uid, about.gid).catch(() => undefined);
      await handle.sync();
    } finally {
      await handle.close();
    }
    if (!sameBytes(await readFile(target), before))
      throw new NotWritten("it has been changed since it was read: read it again");
    await rename(temporary, target);
    temporary = undefined;
    await syncFolder(dirname(target));
  } catch (error) {
    if (error instanceof NotWritten) throw error;
    throw new NotWritten(reasonOf(error));
  } finally {
    if (temporary !== undefined) await unlink(temporary).catch(() => undefined);
    process.off("SIGXFSZ", onLimit);
  }
}

/** The name is on the disk too; not every system can do this, and the file is whole in any case. */
async function syncFolder(path: string): Promise<void> {
  try {
    const folder = await open(path, "r");
    await folder.sync().finally(() => folder.close());
  } catch {
    // See above.
  }
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && Buffer.compare(a, b) === 0;
}

/** What the system says of a file that cannot be written, for people. */
export function reasonOf(error: unknown): string {
  const { code, message } = error as { code?: string; message?: string };
  switch (code) {
    case "ENOSPC":
    case "EDQUOT":
      return `there is no space left on the disk (${code})`;
    case "EFBIG":
      return `it would be larger than this shell's limit on files (${code})`;
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return `its folder cannot be written (${code})`;
    default:
      return message ?? String(error);
  }
}
