import { embeddingDuplicates } from "./embeddings";
import { type GramVectors, gramVectors, normalised, withoutFrame } from "./grams";
import type { Pause } from "./pause";
import { ShingleIndex } from "./shingles";

export type DuplicateRule = "char-tfidf" | "exact" | "template" | "embedding";

/** Which of the items are the same task, and how that was told. */
export interface Duplicates {
  readonly rule: DuplicateRule;
  /** Cosine distance up to which two items are the same; 0 for `exact` and `template`. */
  readonly threshold: number;
  /** For each item the first one that it repeats, or itself. */
  readonly representative: Int32Array;
  /** Pairs within the threshold. */
  readonly pairs: number;
  /** False where the pairs are so many that only repeats of kept items were counted: then `pairs` is "at least". */
  readonly complete: boolean;
  /** False where candidates were sampled, so that a few in a thousand may be missed. */
  readonly exact: boolean;
}

export const THRESHOLD = 0.15;

/** Beyond this many pairs only repeats of kept items are looked for: a corpus of one template has billions of pairs. */
const MOST_PAIRS = 2_000_000;

/** What is left of a text without its numbers: `What is 12 + 3?` and `What is 45 + 6?` are instances of one template. */
export function templateOf(text: string): string {
  return normalised(text).replace(/\d+(?:[.,_]\d+)*/g, "#");
}

/** Items with one text, whatever their case and spacing; by `template`, whatever their numbers. */
export function exactDuplicates(texts: readonly string[], rule: "exact" | "template" = "exact"): Duplicates {
  const first = new Map<string, number>();
  const size = new Map<number, number>();
  const representative = new Int32Array(texts.length);
  for (const [i, text] of texts.entries()) {
    const key = rule === "exact" ? normalised(text) : templateOf(text);
    const held = first.get(key) ?? i;
    if (held === i) first.set(key, i);
    representative[i] = held;
    size.set(held, (size.get(held) ?? 0) + 1);
  }
  let pairs = 0;
  for (const count of size.values()) pairs += (count * (count - 1)) / 2;
  return { rule, threshold: 0, representative, pairs, complete: true, exact: true };
}

/** Posting entries that the exact search may visit; beyond, candidates come from shingles. */
const MOST_VISITS = 2e7;

/**
 * Items whose character 4-gram TF-IDF vectors lie within a cosine distance of `threshold`. An item repeats the first *kept*
 * item that it is close to. Where rare 4-grams are rare enough the search is exact; in a corpus of few words candidates
 * come from longer shingles, and every one of them is checked exactly.
 */
export async function textDuplicates(
  texts: readonly string[],
  threshold: number,
  pause: Pause,
  mostVisits = MOST_VISITS,
): Promise<Duplicates> {
  const exact = exactDuplicates(texts);
  const distinct: number[] = [];
  const copies = new Map<number, number>();
  exact.representative.forEach((r, i) => {
    if (r === i) distinct.push(i);
    copies.set(r, (copies.get(r) ?? 0) + 1);
  });
  const bare = withoutFrame(distinct.map((i) => normalised(texts[i])));
  const vectors = await gramVectors(bare, (share) => pause(share / 2));
  const weights = distinct.map((i) => copies.get(i) ?? 1);
  const least = 1 - threshold - 1e-6;
  const rare = new RareIndex(vectors, least);
  const search =
    rare.visits <= mostVisits
      ? rare
      : new Shingled(await ShingleIndex.of(bare, (share) => pause(0.5 + share / 5)), vectors, least);
  const found = await collect(search, weights, (share) => pause(0.7 + 0.3 * share));
  const of = new Map(distinct.map((i, d) => [i, distinct[found.representative[d]]]));
  const representative = exact.representative.map((r) => of.get(r) ?? r);
  return {
    rule: "char-tfidf",
    threshold,
    representative,
    pairs: exact.pairs + found.pairs,
    complete: found.complete,
    exact: search === rare,
  };
}

interface Search {
  /** Calls `visit` with each vector added so far that is close to `d`; those for which `skip` is true may be left out. */
  close(d: number, skip: (other: number) => boolean, visit: (other: number) => void): void;
  add(d: number): void;
}

/** @param copies how many items each vector stands for: a pair of vectors is that many pairs of items */
async function collect(
  search: Search,
  copies: readonly number[],
  pause: Pause,
): Promise<{ representative: Int32Array; pairs: number; complete: boolean }> {
  const n = copies.length;
  const representative = Int32Array.from({ length: n }, (_, d) => d);
  let pairs = 0;
  let complete = true;
  for (let d = 0; d < n; d++) {
    let first = d;
    search.close(
      d,
      (other) => !complete && (representative[other] !== other || other > first),
      (other) => {
        pairs += copies[d] * copies[other];
        if (representative[other] === other && other < first) first = other;
      },
    );
    representative[d] = first;
    if (pairs > MOST_PAIRS) complete = false;
    // While pairs are counted everything is indexed; later only what is kept, which is all that a repeat needs.
    if (complete || first === d) search.add(d);
    if (d % 256 === 0) await pause(d / n);
  }
  return { representative, pairs, complete };
}

/** Candidates from shingles, each checked in full. */
class Shingled implements Search {
  constructor(
    readonly index: ShingleIndex,
    readonly vectors: GramVectors,
    readonly least: number,
  ) {}

  add(d: number): void {
    this.index.add(d);
  }

  close(d: number, skip: (other: number) => boolean, visit: (other: number) => void): void {
    const { start } = this.vectors;
    this.index.candidates(d, (other) => {
      if (!skip(other) && reaches(this.vectors, d, start[d + 1], other, start[other + 1], 0, this.least)) visit(other);
    });
  }
}

/**
 * The exact search. By Cauchy–Schwarz two vectors of unit length with a cosine of at least `least` share a feature of
 * their rare parts — what remains after their commonest features up to a norm of `least` — so only those are indexed.
 */
class RareIndex implements Search {
  /** Posting entries that finding all pairs visits. */
  readonly visits: number;
  readonly #rare: Int32Array;
  readonly #listStart: Int32Array;
  #filled:
    | { listEnd: Int32Array; posting: Int32Array; weight: Float32Array; shared: Float32Array; touched: Int32Array }
    | undefined;

  constructor(
    readonly vectors: GramVectors,
    readonly least: number,
  ) {
    const { start, feature, weight, features } = vectors;
    const n = start.length - 1;
    this.#rare = new Int32Array(n);
    const listLength = new Int32Array(features);
    for (let d = 0; d < n; d++) {
      let norm = 0;
      let at = start[d];
      while (at < start[d + 1] && norm + weight[at] * weight[at] < least * least) norm += weight[at] * weight[at++];
      this.#rare[d] = at;
      for (let k = at; k < start[d + 1]; k++) listLength[feature[k]]++;
    }
    this.#listStart = new Int32Array(features + 1);
    let visits = 0;
    for (let f = 0; f < features; f++) {
      this.#listStart[f + 1] = this.#listStart[f] + listLength[f];
      visits += (listLength[f] * listLength[f]) / 2;
    }
    this.visits = visits;
  }

  #lists() {
    const n = this.#rare.length;
    const total = this.#listStart[this.#listStart.length - 1];
    return (this.#filled ??= {
      listEnd: this.#listStart.slice(0, -1),
      posting: new Int32Array(total),
      weight: new Float32Array(total),
      shared: new Float32Array(n),
      touched: new Int32Array(n),
    });
  }

  add(d: number): void {
    const { start, feature, weight } = this.vectors;
    const lists = this.#lists();
    for (let k = this.#rare[d]; k < start[d + 1]; k++) {
      const at = lists.listEnd[feature[k]]++;
      lists.posting[at] = d;
      lists.weight[at] = weight[k];
    }
  }

  close(d: number, skip: (other: number) => boolean, visit: (other: number) => void): void {
    const { start, feature, weight } = this.vectors;
    const { listEnd, posting, weight: postingWeight, shared, touched } = this.#lists();
    let count = 0;
    for (let k = this.#rare[d]; k < start[d + 1]; k++) {
      const w = weight[k];
      for (let p = this.#listStart[feature[k]], end = listEnd[feature[k]]; p < end; p++) {
        const other = posting[p];
        if (shared[other] === 0) touched[count++] = other;
        shared[other] += w * postingWeight[p];
      }
    }
    for (let i = 0; i < count; i++) {
      const other = touched[i];
      const part = shared[other];
      shared[other] = 0;
      if (!skip(other) && this.#reaches(d, other, part)) visit(other);
    }
  }

  /** `part` is the cosine's share from the features that are in both rare parts; the rest lies before the later split. */
  #reaches(a: number, b: number, part: number): boolean {
    const { start, feature } = this.vectors;
    let i = this.#rare[a];
    let j = this.#rare[b];
    const split = Math.max(i < start[a + 1] ? feature[i] : 0, j < start[b + 1] ? feature[j] : 0);
    while (i < start[a + 1] && feature[i] < split) i++;
    while (j < start[b + 1] && feature[j] < split) j++;
    return reaches(this.vectors, a, i, b, j, part, this.least);
  }
}

/**
 * Whether the cosine of two vectors reaches `least`: `part` is known already, entries before `endA` and `endB` remain.
 * Vectors are of unit length, so the norm of what remains follows from what does not.
 */
function reaches(
  vectors: GramVectors,
  a: number,
  endA: number,
  b: number,
  endB: number,
  part: number,
  least: number,
): boolean {
  const { start, feature, weight } = vectors;
  let left = 1;
  let right = 1;
  for (let k = endA; k < start[a + 1]; k++) left -= weight[k] * weight[k];
  for (let k = endB; k < start[b + 1]; k++) right -= weight[k] * weight[k];
  let dot = part;
  let x = endA - 1;
  let y = endB - 1;
  for (let steps = 0; x >= start[a] && y >= start[b]; steps++) {
    if ((steps & 15) === 0 && dot + Math.sqrt(Math.max(0, left) * Math.max(0, right)) < least - 1e-6) return false;
    if (feature[x] === feature[y]) {
      left -= weight[x] * weight[x];
      right -= weight[y] * weight[y];
      dot += weight[x--] * weight[y--];
    } else if (feature[x] > feature[y]) left -= weight[x] * weight[x--];
    else right -= weight[y] * weight[y--];
  }
  return dot >= least;
}

/** Duplicates by the rule asked for. `embeddings[i]` is undefined where an item has none. */
export async function findDuplicates(
  rule: DuplicateRule,
  threshold: number,
  texts: readonly string[],
  embeddings: readonly (Float32Array | undefined)[],
  pause: Pause,
): Promise<Duplicates> {
  if (rule === "exact" || rule === "template") return exactDuplicates(texts, rule);
  if (rule === "embedding") return { rule, threshold, ...(await embeddingDuplicates(embeddings, threshold, pause)) };
  return textDuplicates(texts, threshold, pause);
}
