import type { Host } from "../host";
import { checkPacking, messageOf, ReadFault } from "./fault";
import { unzstd } from "./zstd";

export { messageOf, ReadFault };

/** The text of a piece this small is collected with the young objects: larger pieces cost a tenth more time, and memory. */
const CHUNK = 128 * 1024;

/** Zero bytes on end after which nothing is looked for: no log holds so many, and a file that takes no room on the disk may be all of them. */
const MOST_ZEROS = 32 * 1024 * 1024;

function isZero(piece: Uint8Array): boolean {
  for (const byte of piece) if (byte !== 0) return false;
  return true;
}

function isGzip(head: Uint8Array): boolean {
  return head.length >= 2 && head[0] === 0x1f && head[1] === 0x8b;
}

/** Zstandard's magic number, and those of packings that are not read. */
function packingOf(head: Uint8Array): "zstd" | "xz" | "bzip2" | undefined {
  const begins = (...bytes: number[]) => bytes.every((byte, at) => head[at] === byte);
  if (begins(0x28, 0xb5, 0x2f, 0xfd)) return "zstd";
  if (begins(0xfd, 0x37, 0x7a, 0x58, 0x5a, 0)) return "xz";
  return begins(0x42, 0x5a, 0x68) && head.length > 4 && head[4] === 0x31 ? "bzip2" : undefined;
}

async function* inflate(source: AsyncIterator<Uint8Array>, first: Uint8Array): AsyncGenerator<Uint8Array> {
  let pending: Uint8Array | undefined = first;
  let packedBytes = 0;
  let unpacked = 0;
  const packed = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        const piece: Uint8Array | undefined = pending ?? (await source.next()).value;
        pending = undefined;
        packedBytes += piece?.length ?? 0;
        if (piece) controller.enqueue(piece as Uint8Array<ArrayBuffer>);
        else controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  const reader = packed.pipeThrough(new DecompressionStream("gzip")).getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      unpacked += value.length;
      checkPacking("gzip", unpacked, packedBytes);
      yield value;
    }
  } catch (error) {
    if (error instanceof ReadFault) throw error;
    throw new ReadFault(
      "log.gzip",
      `The gzip data is damaged or cut short (${messageOf(error)}); what came before it was read.`,
    );
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/**
 * A file's bytes, unpacked when it is gzip (told by its first bytes, not by its name).
 * @param onBytes bytes taken from the disk, for progress
 * @throws ReadFault, or the signal's reason
 */
export async function* openBytes(
  host: Host,
  uri: string,
  signal?: AbortSignal,
  onBytes?: (count: number) => void,
): AsyncGenerator<Uint8Array> {
  const raw = host.readChunks(uri, CHUNK)[Symbol.asyncIterator]();
  let zeros = 0;
  const counted: AsyncIterator<Uint8Array> = {
    async next() {
      signal?.throwIfAborted();
      let step: IteratorResult<Uint8Array>;
      try {
        step = await raw.next();
      } catch (error) {
        throw new ReadFault("log.unreadable", `The file could not be read to its end: ${messageOf(error)}`);
      }
      if (step.done) return step;
      onBytes?.(step.value.length);
      zeros = isZero(step.value) ? zeros + step.value.length : 0;
      if (zeros > MOST_ZEROS)
        throw new ReadFault(
          "log.zeros",
          `The file holds nothing but zero bytes over ${MOST_ZEROS / 2 ** 20} MB, as after a crash of its machine; what comes after them was left out.`,
        );
      return step;
    },
  };
  try {
    const first = await counted.next();
    if (first.done) return;
    if (isGzip(first.value)) {
      yield* inflate(counted, first.value);
      return;
    }
    if (packingOf(first.value) === "zstd") {
      yield* unzstd(counted, first.value);
      return;
    }
    yield first.value;
    for (;;) {
      const step = await counted.next();
      if (step.done) return;
      yield step.value;
    }
  } finally {
    await raw.return?.();
  }
}

/** The first bytes of a file, unpacked; fewer when the file is shorter. Empty when it cannot be read. */
export async function readHead(host: Host, uri: string, bytes = 64 * 1024): Promise<Uint8Array> {
  const head = await host.readFile(uri, { end: bytes });
  const isZstd = head !== undefined && packingOf(head) === "zstd";
  if (!head || (!isGzip(head) && !isZstd)) return head ?? new Uint8Array();
  const once: AsyncIterator<Uint8Array> = { next: () => Promise.resolve({ done: true, value: undefined }) };
  const parts: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const part of isZstd ? unzstd(once, head) : inflate(once, head)) {
      parts.push(part);
      size += part.length;
      if (size >= bytes) break;
    }
  } catch {
    // A head is cut short on purpose: what was unpacked is what is asked for.
  }
  return joined(parts, size);
}

/** A head that holds the first line whole, since by that line formats are told; rollouts have lines of megabytes. */
export async function readFirstLines(host: Host, uri: string): Promise<Uint8Array> {
  const head = await readHead(host, uri);
  return head.length === 0 || head.includes(10) ? head : readHead(host, uri, 16 * 1024 * 1024);
}

export function joined(
  parts: readonly Uint8Array[],
  size = parts.reduce((sum, part) => sum + part.length, 0),
): Uint8Array {
  if (parts.length === 1) return parts[0];
  const whole = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
