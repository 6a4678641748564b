/** A seeded source of randomness: the only one that core may use. The same seed gives the same numbers to the bit. */
export interface Random {
  /** Uniform in [0, 1), 53 bits. */
  next(): number;
  /** Uniform whole number in [0, n). */
  below(n: number): number;
  /** Standard normal. */
  normal(): number;
  /** Gamma with the given shape and scale 1. */
  gamma(shape: number): number;
  /** Beta(a, b). */
  beta(a: number, b: number): number;
  /** Number of successes in n trials of probability p. */
  binomial(n: number, p: number): number;
}

/** FNV-1a over UTF-16 units: mixes a label into a seed, so that independent parts of a fit draw independent streams. */
export function seedOf(seed: number, label: string): number {
  let hash = (0x811c9dc5 ^ (seed | 0)) >>> 0;
  for (let i = 0; i < label.length; i++) hash = Math.imul(hash ^ label.charCodeAt(i), 0x01000193) >>> 0;
  return hash;
}

/** sfc32 (Doty-Humphrey), seeded through splitmix32 so that neighbouring seeds do not resemble one another. */
export function random(seed: number): Random {
  let state = (Math.floor(seed) ^ Math.floor(seed / 2 ** 32)) | 0;
  const mix = (): number => {
    state = (state + 0x9e3779b9) | 0;
    let z = state ^ (state >>> 16);
    z = Math.imul(z, 0x21f0aaad);
    z ^= z >>> 15;
    z = Math.imul(z, 0x735a2d97);
    return (z ^ (z >>> 15)) | 0;
  };
  let a = mix(),
    b = mix(),
    c = mix(),
    d = 1;
  const word = (): number => {
    const t = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + t) | 0;
    return t >>> 0;
  };
  for (let i = 0; i < 12; i++) word();

  let spare: number | null = null;
  const self: Random = {
    next: () => ((word() >>> 5) * 0x4000000 + (word() >>> 6)) / 2 ** 53,
    below: (n) => Math.floor(self.next() * n),
    normal() {
      if (spare !== null) {
        const kept = spare;
        spare = null;
        return kept;
      }
      for (;;) {
        const x = 2 * self.next() - 1,
          y = 2 * self.next() - 1,
          r = x * x + y * y;
        if (r >= 1 || r === 0) continue;
        const scale = Math.sqrt((-2 * Math.log(r)) / r);
        spare = y * scale;
        return x * scale;
      }
    },
    // Marsaglia and Tsang (2000); shapes below 1 through the usual power of a uniform.
    gamma(shape) {
      if (shape < 1) return self.gamma(shape + 1) * Math.pow(1 - self.next(), 1 / shape);
      const d0 = shape - 1 / 3,
        c0 = 1 / Math.sqrt(9 * d0);
      for (;;) {
        const x = self.normal(),
          v = (1 + c0 * x) ** 3;
        if (v <= 0) continue;
        if (Math.log(1 - self.next()) < 0.5 * x * x + d0 - d0 * v + d0 * Math.log(v)) return d0 * v;
      }
    },
    beta(p, q) {
      const x = self.gamma(p),
        y = self.gamma(q);
      return x + y === 0 ? 0.5 : x / (x + y);
    },
    binomial(n, p) {
      // Halve by the median order statistic until few trials are left: exact, and O(log n).
      let left = n,
        chance = p,
        hits = 0;
      while (left > 40) {
        const middle = (left + 1) >> 1;
        const cut = self.beta(middle, left + 1 - middle);
        if (cut <= chance) {
          hits += middle;
          left -= middle;
          chance = (chance - cut) / (1 - cut);
        } else {
          left = middle - 1;
          chance = chance / cut;
        }
      }
      for (let i = 0; i < left; i++) if (self.next() < chance) hits++;
      return hits;
    },
  };
  return self;
}
