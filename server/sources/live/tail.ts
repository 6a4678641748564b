import type { Host } from "../../host";

/** What has come since the last look. */
export type Growth =
  | { readonly kind: "same" }
  | { readonly kind: "grown"; readonly lines: readonly string[]; readonly modified: number }
  /** What was read before is no longer there: truncated, rotated or written anew. */
  | { readonly kind: "restarted"; readonly why: string };

/** Read at once at most; a burst beyond it is taken in pieces. */
const PIECE = 4 * 1024 * 1024;
/** These last bytes are read again, to see that the file is still the one that was read. */
const OVERLAP = 64;
/** A line that never ends is no line of a log. */
const LONGEST_LINE = 8 * 1024 * 1024;

/** The end of a growing text file, read from a mark: only what was appended, and whole lines. */
export class Tail {
  readonly #host: Host;
  readonly #uri: string;
  #offset: number;
  #modified = -1;
  #last: Uint8Array = new Uint8Array();
  #rest: Uint8Array = new Uint8Array();
  /** Bytes read so far. */
  bytes = 0;

  /** Whether the line at the mark has begun before it, and is left out. */
  #isCut: boolean;

  /** @param offset where to begin, in bytes: with the first whole line after it */
  constructor(host: Host, uri: string, offset: number) {
    this.#host = host;
    this.#uri = uri;
    this.#offset = offset;
    this.#isCut = offset > 0;
  }

  async look(): Promise<Growth> {
    const about = await this.#host.stat(this.#uri);
    if (!about) return { kind: "restarted", why: "the file is gone" };
    if (about.size < this.#offset) return { kind: "restarted", why: "the file was truncated" };
    if (about.size === this.#offset && about.modified === this.#modified) return { kind: "same" };
    const first = this.#modified < 0;
    const rewritten = !first && about.size === this.#offset;
    this.#modified = about.modified;
    const lines: string[] = [];
    while (this.#offset < about.size) {
      const end = Math.min(about.size, this.#offset + PIECE);
      const from = this.#offset - this.#last.length;
      const bytes = await this.#host.readFile(this.#uri, { start: from, end });
      if (!bytes || bytes.length < this.#last.length) return { kind: "restarted", why: "the file was truncated" };
      this.bytes += bytes.length;
      if (!startsWith(bytes, this.#last)) return { kind: "restarted", why: "the file was written anew" };
      this.#take(bytes.subarray(this.#last.length), lines);
      this.#offset = from + bytes.length;
      this.#last = bytes.slice(-OVERLAP);
      if (bytes.length < end - from) break;
    }
    if (rewritten && !(await this.#isSame())) return { kind: "restarted", why: "the file was written anew" };
    return lines.length > 0 || !rewritten ? { kind: "grown", lines, modified: about.modified } : { kind: "same" };
  }

  async #isSame(): Promise<boolean> {
    const bytes = await this.#host.readFile(this.#uri, { start: this.#offset - this.#last.length, end: this.#offset });
    this.bytes += bytes?.length ?? 0;
    return bytes !== undefined && bytes.length === this.#last.length && startsWith(bytes, this.#last);
  }

  #take(bytes: Uint8Array, lines: string[]): void {
    const end = bytes.lastIndexOf(10);
    if (end < 0) {
      this.#rest = this.#rest.length + bytes.length > LONGEST_LINE ? new Uint8Array() : joined(this.#rest, bytes);
      return;
    }
    const whole = new TextDecoder().decode(joined(this.#rest, bytes.subarray(0, end))).split("\n");
    this.#rest = bytes.slice(end + 1);
    for (const line of this.#isCut ? whole.slice(1) : whole) lines.push(line.endsWith("\r") ? line.slice(0, -1) : line);
    this.#isCut = false;
  }
}

function startsWith(bytes: Uint8Array, start: Uint8Array): boolean {
  for (let i = 0; i < start.length; i++) if (bytes[i] !== start[i]) return false;
  return true;
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  if (a.length === 0) return b;
  const all = new Uint8Array(a.length + b.length);
  all.set(a);
  all.set(b, a.length);
  return all;
}
