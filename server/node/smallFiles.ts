import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import type { ReadOptions } from "../host";

/** To open a pipe waits for whoever writes to it, unless it is told not to. */
export const AT_ONCE = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** What is read in one go: to hand a small file to the thread pool and back takes seven times as long as to read it. */
const SMALL = 256 * 1024;

/** Milliseconds of work after which timers, messages and cancellation have their turn. */
const BREATH = 25;

let last = performance.now();

/** Lets other work of this thread have its turn, where none was had for a while. */
export async function breathe(): Promise<void> {
  if (performance.now() - last < BREATH) return;
  await new Promise((resolve) => setImmediate(resolve));
  last = performance.now();
}

/** A small file, or a small part of one; undefined where it is larger, "none" where it is no regular file or cannot be read. */
export function readSmall(path: string, options: ReadOptions = {}): Uint8Array | "none" | undefined {
  let handle: number | undefined;
  try {
    handle = openSync(path, AT_ONCE);
    const about = fstatSync(handle);
    if (!about.isFile()) return "none";
    const start = Math.max(0, options.start ?? 0);
    const size = Math.max(0, Math.min(about.size, options.end ?? about.size) - start);
    return size > SMALL ? undefined : filled(handle, size, start);
  } catch {
    return "none";
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}

/**
 * A small file to its end; undefined for a larger one.
 * @throws where it cannot be opened or read
 */
export function readWhole(path: string): Uint8Array | undefined {
  const handle = openSync(path, AT_ONCE);
  try {
    const about = fstatSync(handle);
    if (!about.isFile()) throw new Error("it is no regular file");
    if (about.size > SMALL) return undefined;
    const bytes = filled(handle, about.size, 0);
    // One that grows meanwhile is read as any other.
    return readSync(handle, new Uint8Array(1), 0, 1, bytes.length) === 0 ? bytes : undefined;
  } finally {
    closeSync(handle);
  }
}

function filled(handle: number, size: number, start: number): Uint8Array {
  const bytes = new Uint8Array(size);
  let at = 0;
  while (at < size) {
    const count = readSync(handle, bytes, at, size - at, start + at);
    if (count === 0) break;
    at += count;
  }
  return at === size ? bytes : bytes.subarray(0, at);
}
