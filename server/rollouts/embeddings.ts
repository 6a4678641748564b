import type { Pause } from "./pause";

/** Up to here every pair is compared; above, only pairs that agree in one of many random projections. */
const EXACT_UP_TO = 6000;
const TABLES = 64;
const BITS = 12;

/**
 * Items whose given embeddings lie within a cosine distance of `threshold`. Above 6,000 items candidates come from 64 tables
 * of 12 random hyperplanes: at a distance of 0.15 a pair agrees in one of them with probability 0.998.
 */
export async function embeddingDuplicates(
  vectors: readonly (Float32Array | undefined)[],
  threshold: number,
  pause: Pause,
): Promise<{ representative: Int32Array; pairs: number; complete: boolean; exact: boolean }> {
  const n = vectors.length;
  const least = 1 - threshold;
  const unit = vectors.map(normalise);
  const representative = Int32Array.from({ length: n }, (_, i) => i);
  let pairs = 0;
  const consider = (d: number, other: number) => {
    const a = unit[d];
    const b = unit[other];
    if (!a || !b || a.length !== b.length) return;
    let dot = 0;
    for (let k = 0; k < a.length; k++) dot += a[k] * b[k];
    if (dot < least - 1e-6) return;
    pairs++;
    if (representative[other] === other && other < representative[d]) representative[d] = other;
  };
  if (n <= EXACT_UP_TO) {
    for (let d = 0; d < n; d++) {
      for (let other = 0; other < d; other++) consider(d, other);
      if (d % 64 === 0) await pause(d / n);
    }
    return { representative, pairs, complete: true, exact: true };
  }
  const planes = hyperplanes(unit.find((vector) => vector !== undefined)?.length ?? 0);
  const tables = Array.from({ length: TABLES }, () => new Map<number, number[]>());
  const seen = new Int32Array(n).fill(-1);
  for (let d = 0; d < n; d++) {
    const vector = unit[d];
    if (vector) {
      for (const [t, table] of tables.entries()) {
        const key = signs(vector, planes, t * BITS);
        const bucket = table.get(key);
        if (!bucket) table.set(key, [d]);
        else {
          for (const other of bucket) {
            if (seen[other] === d) continue;
            seen[other] = d;
            consider(d, other);
          }
          bucket.push(d);
        }
      }
    }
    if (d % 16 === 0) await pause(d / n);
  }
  return { representative, pairs, complete: true, exact: false };
}

function normalise(vector: Float32Array | undefined): Float32Array | undefined {
  if (!vector) return undefined;
  const norm = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return norm > 0 && Number.isFinite(norm) ? vector.map((value) => value / norm) : undefined;
}

/** The same planes every time, so that a measure is repeatable (a 32-bit xorshift, sums of uniforms for normals). */
function hyperplanes(dimensions: number): Float32Array[] {
  let state = 0x9e3779b9;
  const uniform = () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32 - 0.5;
  };
  return Array.from({ length: TABLES * BITS }, () =>
    Float32Array.from({ length: dimensions }, () => uniform() + uniform() + uniform() + uniform()),
  );
}

function signs(vector: Float32Array, planes: readonly Float32Array[], from: number): number {
  let key = 0;
  for (let b = 0; b < BITS; b++) {
    const plane = planes[from + b];
    let dot = 0;
    for (let k = 0; k < vector.length; k++) dot += vector[k] * plane[k];
    key = (key << 1) | (dot >= 0 ? 1 : 0);
  }
  return key;
}
