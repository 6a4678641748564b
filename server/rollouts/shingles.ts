/** Characters of a shingle: a word and a half, long enough to be rare in a corpus of few words. */
const LENGTH = 10;
/** Shingles kept of a text: those with the least hashes, so that two texts keep the same ones of what they share. */
const KEPT = 24;
/** More frequent shingles are template, and unique ones find nothing. */
const COMMONEST = 64;
const COUNTERS = 1 << 26;
const HEADS = 1 << 22;

/**
 * Candidates for near-duplicates where rare 4-grams do not narrow the search: texts that share two of their least-hashed
 * shingles (one, for short texts). Two texts that keep a fifth of their shingles in common share two of 24 with
 * probability 0.97, half of them 1 − 10⁻⁵.
 */
export class ShingleIndex {
  readonly #sketches: Int32Array;
  readonly #sizes: Uint8Array;
  readonly #head = new Int32Array(HEADS).fill(-1);
  readonly #next: Int32Array;
  readonly #counts: Uint8Array;
  readonly #touched: Int32Array;

  private constructor(sketches: Int32Array, sizes: Uint8Array) {
    this.#sketches = sketches;
    this.#sizes = sizes;
    this.#next = new Int32Array(sketches.length);
    this.#counts = new Uint8Array(sizes.length);
    this.#touched = new Int32Array(sizes.length);
  }

  static async of(texts: readonly string[], pause: (share: number) => Promise<void>): Promise<ShingleIndex> {
    const counts = new Uint8Array(COUNTERS);
    const scratch = new Int32Array(20_100);
    for (const [d, text] of texts.entries()) {
      const n = hashes(text, scratch);
      for (let i = 0; i < n; i++) {
        const at = scratch[i] & (COUNTERS - 1);
        if (counts[at] < 255) counts[at]++;
      }
      if (d % 2048 === 0) await pause((0.5 * d) / texts.length);
    }
    const sketches = new Int32Array(texts.length * KEPT);
    const sizes = new Uint8Array(texts.length);
    for (const [d, text] of texts.entries()) {
      const n = hashes(text, scratch);
      let kept = 0;
      for (let i = 0; i < n; i++) {
        const count = counts[scratch[i] & (COUNTERS - 1)];
        if (count >= 2 && count <= COMMONEST) scratch[kept++] = scratch[i];
      }
      const sorted = scratch.subarray(0, kept).sort();
      let size = 0;
      for (let i = 0; i < kept && size < KEPT; i++)
        if (i === 0 || sorted[i] !== sorted[i - 1]) sketches[d * KEPT + size++] = sorted[i];
      sizes[d] = size;
      if (d % 2048 === 0) await pause(0.5 + (0.5 * d) / texts.length);
    }
    return new ShingleIndex(sketches, sizes);
  }

  add(d: number): void {
    for (let k = d * KEPT; k < d * KEPT + this.#sizes[d]; k++) {
      const bucket = this.#sketches[k] & (HEADS - 1);
      this.#next[k] = this.#head[bucket];
      this.#head[bucket] = k;
    }
  }

  /** Calls `visit` with each text added so far that may be close to `d`. */
  candidates(d: number, visit: (other: number) => void): void {
    let found = 0;
    for (let k = d * KEPT; k < d * KEPT + this.#sizes[d]; k++) {
      const hash = this.#sketches[k];
      for (let at = this.#head[hash & (HEADS - 1)]; at >= 0; at = this.#next[at]) {
        if (this.#sketches[at] !== hash) continue;
        const other = Math.floor(at / KEPT);
        if (this.#counts[other]++ === 0) this.#touched[found++] = other;
      }
    }
    for (let i = 0; i < found; i++) {
      const other = this.#touched[i];
      const least = Math.min(this.#sizes[d], this.#sizes[other]) >= 12 ? 2 : 1;
      if (this.#counts[other] >= least) visit(other);
      this.#counts[other] = 0;
    }
  }
}

function hashes(text: string, out: Int32Array): number {
  const end = Math.min(text.length, 20_000);
  const count = Math.max(1, end - LENGTH + 1);
  for (let i = 0; i < count; i++) {
    let hash = 0x811c9dc5;
    for (let k = i; k < i + LENGTH && k < end; k++) hash = Math.imul(hash ^ text.charCodeAt(k), 0x01000193);
    hash ^= hash >>> 16;
    hash = Math.imul(hash, 0x7feb352d);
    hash ^= hash >>> 15;
    hash = Math.imul(hash, 0x846ca68b);
    out[i] = hash ^ (hash >>> 16);
  }
  return count;
}
