import { joined } from "../../../../records/bytes";

/** Bytes of a stream, taken in exact amounts; what is taken is let go. */
export class ByteQueue {
  #buffer: Uint8Array = new Uint8Array();
  /** Bytes taken so far: the offset in the file of what comes next. */
  offset = 0;
  #ended = false;
  readonly #source: AsyncIterator<Uint8Array>;

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** How many bytes are at hand, after asking for up to `count`. */
  async ensure(count: number): Promise<number> {
    if (this.#buffer.length >= count || this.#ended) return this.#buffer.length;
    const parts = this.#buffer.length > 0 ? [this.#buffer] : [];
    let size = this.#buffer.length;
    while (size < count && !this.#ended) {
      const next = await this.#source.next();
      if (next.done) this.#ended = true;
      else {
        parts.push(next.value);
        size += next.value.length;
      }
    }
    // Once for all pieces: a record of hundreds of megabytes comes in thousands of them.
    this.#buffer = joined(parts, size);
    return size;
  }

  /** The bytes at hand, from the next one on. Valid until the next `ensure`. */
  get view(): Uint8Array {
    return this.#buffer;
  }

  take(count: number): Uint8Array {
    const taken = this.#buffer.subarray(0, count);
    this.#buffer = this.#buffer.subarray(count);
    this.offset += taken.length;
    return taken;
  }

  /** Lets bytes go without ever holding them together; false where there are not as many. */
  async skip(count: number): Promise<boolean> {
    for (let left = count; left > 0;) {
      if ((await this.ensure(1)) === 0) return false;
      left -= this.take(left).length;
    }
    return true;
  }

  async close(): Promise<void> {
    await this.#source.return?.();
  }
}
