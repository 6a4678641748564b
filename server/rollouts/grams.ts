/** Characters of a gram. Four keeps a word's end and the next word's beginning together, which tells texts apart. */
const GRAM = 4;
/** Buckets of the hash: enough that few grams share one, few enough that a small corpus is measured at once. */
function bucketsFor(characters: number): number {
  let bits = 16;
  while (bits < 24 && 1 << bits < characters * 8) bits++;
  return 1 << bits;
}

/**
 * TF-IDF vectors of character 4-grams, of unit length: raw counts times ln((1 + N)/(1 + df)) + 1. Document `d` holds entries
 * `start[d]…start[d + 1]`; features are numbered from the commonest to the rarest and rise within a document.
 */
export interface GramVectors {
  readonly start: Int32Array;
  readonly feature: Int32Array;
  readonly weight: Float32Array;
  readonly features: number;
}

/** Lower case, white space as single spaces: what two texts must share to be the same task. */
export function normalised(text: string): string {
  return text.normalize("NFKC").toLowerCase().replace(/\s+/g, " ").trim();
}

/**
 * Texts without the beginning and end that all of them share — a system prompt, a chat template — which would make every
 * pair look alike. Only for 20 texts or more: of a few near-duplicates the shared part is the task itself.
 */
export function withoutFrame(texts: readonly string[]): readonly string[] {
  if (texts.length < 20) return texts;
  let prefix = texts[0].length;
  let suffix = texts[0].length;
  const first = texts[0];
  for (const text of texts) {
    let i = 0;
    while (i < prefix && i < text.length && text.charCodeAt(i) === first.charCodeAt(i)) i++;
    prefix = i;
    let j = 0;
    while (
      j < suffix &&
      j < text.length &&
      text.charCodeAt(text.length - 1 - j) === first.charCodeAt(first.length - 1 - j)
    )
      j++;
    suffix = j;
  }
  // Cut between words only, so that no task loses half of its first or last word.
  while (prefix > 0 && first.charCodeAt(prefix - 1) !== 32) prefix--;
  while (suffix > 0 && first.charCodeAt(first.length - suffix) !== 32) suffix--;
  if (prefix + suffix === 0) return texts;
  return texts.map((text) => (text.length > prefix + suffix ? text.slice(prefix, text.length - suffix) : text));
}

/** Longer texts count by their first characters. */
const LONGEST = 20_000;

/** Hashes of a text's grams into `out`; returns how many. A short text is one gram. */
function hashes(text: string, out: Int32Array, buckets: number): number {
  const padded = ` ${text.length > LONGEST ? text.slice(0, LONGEST) : text} `;
  const count = Math.max(1, padded.length - GRAM + 1);
  for (let i = 0; i < count; i++) {
    let hash = 0x811c9dc5;
    for (let k = i; k < i + GRAM; k++)
      hash = Math.imul(hash ^ (k < padded.length ? padded.charCodeAt(k) : 0), 0x01000193);
    hash ^= hash >>> 15;
    hash = Math.imul(hash, 0x2c1b3c6d);
    out[i] = (hash ^ (hash >>> 13)) & (buckets - 1);
  }
  return count;
}

/** @param pause awaited now and then, so that a long run can be watched and stopped */
export async function gramVectors(
  texts: readonly string[],
  pause: (share: number) => Promise<void>,
): Promise<GramVectors> {
  const n = texts.length;
  const scratch = new Int32Array(LONGEST + 2);
  const buckets = bucketsFor(texts.reduce((sum, text) => sum + text.length, 0));
  const df = new Int32Array(buckets);
  let total = 0;
  for (let d = 0; d < n; d++) {
    const count = hashes(texts[d], scratch, buckets);
    const grams = scratch.subarray(0, count).sort();
    for (let i = 0; i < count; i++) {
      if (i > 0 && grams[i] === grams[i - 1]) continue;
      df[grams[i]]++;
      total++;
    }
    if (d % 2048 === 0) await pause(0.4 * (d / n));
  }
  const { rank, frequency } = ranked(df, n);
  const start = new Int32Array(n + 1);
  const feature = new Int32Array(total);
  const weight = new Float32Array(total);
  let at = 0;
  for (let d = 0; d < n; d++) {
    const count = hashes(texts[d], scratch, buckets);
    const grams = scratch.subarray(0, count);
    for (let i = 0; i < count; i++) grams[i] = rank[grams[i]];
    grams.sort();
    let norm = 0;
    const from = at;
    for (let i = 0; i < count;) {
      let j = i + 1;
      while (j < count && grams[j] === grams[i]) j++;
      const value = (j - i) * (Math.log((1 + n) / (1 + frequency[grams[i]])) + 1);
      feature[at] = grams[i];
      weight[at++] = value;
      norm += value * value;
      i = j;
    }
    const scale = 1 / Math.sqrt(norm);
    for (let k = from; k < at; k++) weight[k] *= scale;
    start[d + 1] = at;
    if (d % 2048 === 0) await pause(0.4 + 0.4 * (d / n));
  }
  return { start, feature, weight, features: frequency.length };
}

/** Buckets in use, numbered from the most to the least frequent (a counting sort). */
function ranked(df: Int32Array, most: number): { rank: Int32Array; frequency: Int32Array } {
  const perCount = new Int32Array(most + 2);
  let used = 0;
  for (let b = 0; b < df.length; b++) {
    if (df[b] === 0) continue;
    used++;
    perCount[df[b]]++;
  }
  let at = 0;
  const next = new Int32Array(most + 2);
  for (let c = most; c > 0; c--) {
    next[c] = at;
    at += perCount[c];
  }
  const frequency = new Int32Array(used);
  for (let b = 0; b < df.length; b++) {
    if (df[b] === 0) continue;
    const place = next[df[b]]++;
    frequency[place] = df[b];
    df[b] = place;
  }
  return { rank: df, frequency };
}
