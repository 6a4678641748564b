import { checkPacking, messageOf, ReadFault } from "./fault";

/** Packers ask for a window (bytes) of eight megabytes at most unless they are told to; the library holds one in memory. */
const LARGEST_WINDOW = 128 * 1024 * 1024;
/** Bytes that the library may move: it moves its window for each block, and a hostile file has a block for each byte. */
const MOST_MOVED = 2e9;
const MOVED_A_BYTE = 200;
const LARGEST_HEADER = 18;
const LARGEST_BLOCK = 128 * 1024;
/** A frame that is no longer than this (bytes) is looked through for what it can hold: it needs no larger window. */
const LOOKED_AHEAD = 512 * 1024;

/** Unpacks Zstandard frame by frame and block by block; its library is loaded when the first such file is read. */
export async function* unzstd(source: AsyncIterator<Uint8Array>, first: Uint8Array): AsyncGenerator<Uint8Array> {
  const { Decompress } = await import("fzstd");
  let held = first;
  let packed = first.length;
  let unpacked = 0;
  let moved = 0;
  const ensure = async (count: number): Promise<boolean> => {
    while (held.length < count) {
      const next = await source.next();
      if (next.done === true) return false;
      packed += next.value.length;
      const both = new Uint8Array(held.length + next.value.length);
      both.set(held);
      both.set(next.value, held.length);
      held = both;
    }
    return true;
  };
  const take = (count: number) => {
    const taken = held.subarray(0, count);
    held = held.subarray(count);
    return taken;
  };
  let ready: Uint8Array[] = [];
  try {
    while (await ensure(4)) {
      await ensure(LARGEST_HEADER);
      const view = new DataView(held.buffer, held.byteOffset, held.length);
      const magic = view.getUint32(0, true);
      if (magic >>> 4 === 0x184d2a5) {
        if (held.length < 8) throw new Error("unexpected EOF");
        let left = 8 + view.getUint32(4, true);
        while (left > 0 && (await ensure(1))) left -= take(Math.min(left, held.length)).length;
        continue;
      }
      const { size, checksum, ...asked } = headerOf(view);
      const content = await mostHeld(size, ensure, () => held);
      const { header: start, window } =
        content < asked.window ? smallHeader(content, checksum) : { ...asked, header: held.subarray(0, size) };
      take(size);
      const stream = new Decompress((piece) => {
        unpacked += piece.length;
        moved += window;
        if (piece.length > 0) ready.push(piece);
      });
      moved += window;
      stream.push(start);
      for (let last = false; !last;) {
        if (!(await ensure(3))) throw new Error("unexpected EOF");
        const header = held[0] | (held[1] << 8) | (held[2] << 16);
        last = (header & 1) === 1;
        const length = 3 + (((header >> 1) & 3) === 1 ? 1 : header >> 3) + (last ? checksum : 0);
        if (!(await ensure(length))) throw new Error("unexpected EOF");
        stream.push(take(length), last);
        yield* ready;
        ready = [];
        checkPacking("zstd", unpacked, packed);
        if (moved > MOST_MOVED && moved > MOVED_A_BYTE * unpacked)
          throw new ReadFault(
            "log.zstd",
            "The zstd data are in tiny pieces, as no packer writes them; the rest was left out.",
          );
      }
    }
  } catch (error) {
    yield* ready;
    if (error instanceof ReadFault) throw error;
    throw new ReadFault(
      "log.zstd",
      `The zstd data is damaged or cut short (${messageOf(error)}); what came before it was read.`,
    );
  }
}

/** Bytes that a frame unpacks to at most, by its blocks after a header of `size` bytes; Infinity for a long frame, or one cut short. */
async function mostHeld(size: number, ensure: (count: number) => Promise<boolean>, held: () => Uint8Array) {
  let content = 0;
  for (let at = size; at < LOOKED_AHEAD && (await ensure(at + 3));) {
    const [low, middle, high] = held().subarray(at, at + 3);
    const length = (low | (middle << 8) | (high << 16)) >> 3;
    const kind = (low >> 1) & 3;
    content += kind === 2 ? LARGEST_BLOCK : length;
    if (low & 1) return content;
    at += 3 + (kind === 1 ? 1 : length);
  }
  return Infinity;
}

/** The header of a frame that holds this much at most: its window is no larger. */
function smallHeader(content: number, checksum: number) {
  const exponent = Math.max(0, Math.ceil(Math.log2(content)) - 10);
  const header = Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, checksum ? 4 : 0, exponent << 3);
  return { header, window: 2 ** (10 + exponent) };
}

/** A frame's header (RFC 8878, 3.1.1.1): its bytes, the window it asks for, and the bytes of the checksum at its end. */
function headerOf(view: DataView): { readonly size: number; readonly window: number; readonly checksum: number } {
  if (view.getUint32(0, true) !== 0xfd2fb528 || view.byteLength < 6) throw new Error("no frame begins here");
  const flags = view.getUint8(4);
  const single = (flags >> 5) & 1;
  const dictionary = [0, 1, 2, 4][flags & 3];
  const contentBytes = flags >> 6 === 0 ? single : 1 << (flags >> 6);
  const size = 6 - single + dictionary + contentBytes;
  if (view.byteLength < size) throw new Error("unexpected EOF");
  const base = 2 ** (10 + (view.getUint8(5) >> 3));
  const window = single
    ? contentSize(view, size - contentBytes, contentBytes)
    : base + (base / 8) * (view.getUint8(5) & 7);
  if (window > LARGEST_WINDOW)
    throw new ReadFault(
      "log.zstd",
      `The zstd data ask for a window of ${Math.round(window / 2 ** 20)} MB, and up to ${LARGEST_WINDOW / 2 ** 20} are read; packed without --ultra and --long they can be.`,
    );
  return { size, window, checksum: (flags >> 2) & 1 ? 4 : 0 };
}

function contentSize(view: DataView, at: number, bytes: number): number {
  if (bytes === 1) return view.getUint8(at);
  if (bytes === 2) return view.getUint16(at, true) + 256;
  return view.getUint32(at, true) + (bytes === 8 ? view.getUint32(at + 4, true) * 2 ** 32 : 0);
}
