import { cholesky } from "../numerics/linear";
import { random, seedOf, type Random } from "../numerics/random";
import { logPosterior, type Mode, type PosteriorProblem } from "./posteriorMode";

export interface Posterior {
  /** Draws of θ. */
  readonly draws: Float64Array[];
  /** Draws of z, ln σ last. */
  readonly coordinates: Float64Array[];
  /** Largest split-chain R̂ over coordinates: above 1.05 the chains disagree. */
  readonly disagreement: number;
}

/** Burn-in and the sweeps from one draw to the next, started wide about the mode and from points of the posterior. */
const WIDE = { rounds: 3, sweeps: 120, thin: 25 } as const;
const SETTLED = { rounds: 2, sweeps: 60, thin: 12 } as const;

/**
 * A population of Metropolis chains over z (differential evolution, ter Braak 2006, mixed with random-walk steps in the
 * mode's covariance), started wide around the mode; after burn-in, `count` thinned draws. Seeded. Null when cancelled.
 */
export function samplePosterior(
  problem: PosteriorProblem,
  mode: Mode,
  count: number,
  seed: number,
  progress: (share: number) => boolean,
  /** Points of the posterior to start from; without them, wide around the mode. */
  from: readonly Float64Array[] = [],
): Posterior | null {
  const stream = random(seedOf(seed, "posterior"));
  const target = logPosterior(problem);
  const d = mode.z.length,
    p = d - 1,
    chains = 24;
  let factor: readonly (readonly number[])[] =
    cholesky(mode.covariance) ??
    mode.covariance.map((row, i) => row.map((_, j) => (i === j ? Math.sqrt(Math.max(row[i], 1e-6)) : 0)));
  const states = Array.from({ length: chains }, (_, c) => {
    if (from.length > 0) {
      const z = Float64Array.from(from[Math.floor(((c + 0.5) * from.length) / chains)]);
      return { z, value: target(z) };
    }
    for (let attempt = 0; attempt < 50; attempt++) {
      const z = walk(new Float64Array(d), mode.z, factor, 1.3, stream),
        value = target(z);
      if (value > -Infinity) return { z, value };
    }
    return { z: Float64Array.from(mode.z), value: target(mode.z) };
  });
  // One buffer for every proposal: only those that are taken are kept.
  const z = new Float64Array(d);
  const sweep = (): void => {
    for (let c = 0; c < chains; c++) {
      const state = states[c];
      const kind = stream.next();
      if (kind < 0.6) {
        const a = states[(c + 1 + stream.below(chains - 1)) % chains].z,
          b = states[(c + 1 + stream.below(chains - 1)) % chains].z;
        // γ = 1 jumps between modes; 2.38/√(2d) suits one mode.
        const gamma = kind < 0.06 ? 1 : (2.38 / Math.sqrt(2 * d)) * (0.5 + stream.next());
        for (let j = 0; j < d; j++) z[j] = state.z[j] + gamma * (a[j] - b[j]) + 1e-4 * stream.normal();
      } else walk(z, state.z, factor, (kind < 0.7 ? 2.5 : kind > 0.9 ? 0.2 : 1) * (2.38 / Math.sqrt(d)), stream);
      const value = target(z);
      if (Math.log(1 - stream.next()) >= value - state.value) continue;
      state.z = z.slice();
      state.value = value;
    }
  };
  // Chains that start within the posterior forget their start sooner.
  const { rounds, sweeps, thin } = from.length > 0 ? SETTLED : WIDE;
  for (let round = 0; round < rounds; round++) {
    const kept: Float64Array[] = [];
    for (let i = 0; i < sweeps; i++) {
      sweep();
      if (i >= sweeps / 3) for (const state of states) kept.push(state.z);
    }
    factor = cholesky(covarianceOf(kept, 1e-8)) ?? factor;
    if (!progress((0.24 * (round + 1)) / rounds)) return null;
  }
  const perChain = Math.ceil(count / chains);
  const runs: Float64Array[][] = states.map(() => []);
  for (let i = 0; i < perChain; i++) {
    for (let t = 0; t < thin; t++) sweep();
    states.forEach((state, c) => runs[c].push(state.z));
    if (!progress(0.25 + (0.75 * (i + 1)) / perChain)) return null;
  }
  const zs = runs.flat().slice(0, count);
  return {
    coordinates: zs,
    draws: zs.map((z) => Float64Array.from({ length: p }, (_, j) => problem.coordinates[j].theta(z[j]))),
    disagreement: splitRhat(runs, d),
  };
}

const NORMAL = new Float64Array(64);

/** `to` becomes `from` and a normal step of covariance `factor`·`factor`ᵀ times `scale`². */
function walk(
  to: Float64Array,
  from: Float64Array,
  factor: readonly (readonly number[])[],
  scale: number,
  stream: Random,
): Float64Array {
  const d = from.length;
  for (let j = 0; j < d; j++) NORMAL[j] = stream.normal();
  for (let i = 0; i < d; i++) {
    const row = factor[i];
    let sum = 0;
    for (let j = 0; j <= i; j++) sum += row[j] * NORMAL[j];
    to[i] = from[i] + scale * sum;
  }
  return to;
}

function covarianceOf(rows: readonly Float64Array[], ridge: number): number[][] {
  const d = rows[0].length;
  const centre = Array.from({ length: d }, (_, j) => rows.reduce((sum, row) => sum + row[j], 0) / rows.length);
  return centre.map((_, a) =>
    centre.map(
      (_, b) =>
        rows.reduce((sum, row) => sum + (row[a] - centre[a]) * (row[b] - centre[b]), 0) / (rows.length - 1) +
        (a === b ? ridge : 0),
    ),
  );
}

/** Gelman and Rubin's R̂ over half-chains; chains are pooled by sixes, since each alone is short. */
function splitRhat(chains: readonly (readonly Float64Array[])[], d: number): number {
  const pooled = [0, 1, 2, 3].map((g) => chains.filter((_, c) => c % 4 === g).flat());
  const halves = pooled
    .flatMap((chain) => [chain.slice(0, chain.length >> 1), chain.slice(chain.length >> 1)])
    .filter((half) => half.length > 3);
  let worst = 1;
  for (let j = 0; j < d && halves.length > 1; j++) {
    const n = Math.min(...halves.map((half) => half.length));
    const means = halves.map((half) => half.reduce((sum, z) => sum + z[j], 0) / half.length);
    const within =
      halves.reduce(
        (sum, half, h) => sum + half.reduce((s, z) => s + (z[j] - means[h]) ** 2, 0) / (half.length - 1),
        0,
      ) / halves.length;
    const grand = means.reduce((a, b) => a + b, 0) / means.length;
    const between = (n * means.reduce((sum, one) => sum + (one - grand) ** 2, 0)) / (means.length - 1);
    if (within > 0) worst = Math.max(worst, Math.sqrt((((n - 1) / n) * within + between / n) / within));
  }
  return worst;
}
