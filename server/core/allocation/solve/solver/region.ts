import type { Convex } from "./convex";
import { costAt, lifted } from "./program";
import type { Program } from "./program";

/** Splits that several budgets allow together, each with a cost of its own. Variables beyond z are of kinked terms (program.ts). */
export interface Region {
  /** Of z. */
  readonly size: number;
  /** Of z and what is lifted. */
  readonly all: number;
  readonly low: Float64Array;
  readonly high: Float64Array;
  /** ≤ 0 within every budget: one cost per budget first, then the epigraphs. */
  readonly constraints: readonly Convex[];
  readonly budgets: number;
  /** A point near `start`, strictly inside everything. */
  inside(start: Float64Array): Float64Array;
  lift(z: Float64Array): Float64Array;
  /** Cost over budget, of each. */
  shares(z: Float64Array): number[];
}

/** Null: the lower bounds alone cost more than one of the budgets. */
export function regionOf(programs: readonly Program[], budgets: readonly number[]): Region | null {
  const n = programs[0].size;
  const low = programs[0].low;
  if (programs.some((program, c) => costAt(program, low) > budgets[c] * (1 + 1e-9))) return null;
  const top = Float64Array.from(low, (_, i) => Math.min(...programs.map((program) => program.high[i])));
  const boxed = programs.map((program) => ({ ...program, low, high: top }));
  const lifts = boxed.map((program, c) => lifted(program, budgets[c]));
  const all = n + lifts.reduce((sum, lift) => sum + lift.size - n, 0);
  const places: number[][] = [];
  let next = n;
  for (const lift of lifts) places.push(Array.from({ length: lift.size }, (_, i) => (i < n ? i : next++)));
  const widest = new Float64Array(all).fill(Infinity);
  widest.set(top);
  const least = new Float64Array(all);
  least.set(low);
  const costs = lifts.map((lift, c) => embedded(lift.cost, places[c], all));
  const epigraphs = lifts.flatMap((lift, c) => lift.epigraphs.map((one) => embedded(one, places[c], all)));
  const shares = (z: Float64Array): number[] => boxed.map((program, c) => costAt(program, z) / budgets[c]);
  return {
    size: n,
    all,
    low: least,
    high: widest,
    constraints: [...costs, ...epigraphs],
    budgets: budgets.length,
    shares,
    inside: (start) => insideOf(boxed[0], shares, start),
    lift(z) {
      const room = Math.max(1e-9, 1 - Math.max(...shares(z)));
      const y = new Float64Array(all);
      y.set(z);
      lifts.forEach((lift, c) => {
        const own = lift.lift(z, room / (4 * (lift.epigraphs.length + 1)));
        for (let i = n; i < lift.size; i++) y[places[c][i]] = own[i];
      });
      return y;
    },
  };
}

function insideOf(box: Program, shares: (z: Float64Array) => number[], start: Float64Array): Float64Array {
  const n = box.size;
  const corner = new Float64Array(n);
  for (let share = 1e-2; share > 1e-14; share /= 10) {
    for (let i = 0; i < n; i++) corner[i] = box.low[i] + share * Math.min(1, box.high[i] - box.low[i]);
    if (Math.max(...shares(corner)) < 1 - 1e-12) break;
  }
  const atCorner = Math.max(...shares(corner));
  const limit = Math.max(0.9, (1 + atCorner) / 2);
  const point = new Float64Array(n);
  for (let share = 1; share > 1e-6; share *= 0.8) {
    for (let i = 0; i < n; i++) {
      const margin = 1e-3 * (box.high[i] - box.low[i]);
      const wanted = Math.min(box.high[i] - margin, Math.max(box.low[i] + margin, start[i]));
      point[i] = corner[i] + share * (wanted - corner[i]);
    }
    if (Math.max(...shares(point)) < limit) return point;
  }
  return corner;
}

/** A function of some coordinates of a larger space. */
function embedded(inner: Convex, at: readonly number[], size: number): Convex {
  if (inner.size === size && at.every((place, i) => place === i)) return inner;
  const k = inner.size;
  const seen = new Float64Array(k);
  const gradient = new Float64Array(k);
  const hessian = new Float64Array(k * k);
  const take = (y: Float64Array): Float64Array => {
    for (let i = 0; i < k; i++) seen[i] = y[at[i]];
    return seen;
  };
  return {
    size,
    value: (y) => inner.value(take(y)),
    evaluate(y, g, h) {
      const value = inner.evaluate(take(y), gradient, hessian);
      g.fill(0);
      h.fill(0);
      for (let i = 0; i < k; i++) {
        g[at[i]] = gradient[i];
        for (let j = 0; j < k; j++) h[at[i] * size + at[j]] = hessian[i * k + j];
      }
      return value;
    },
  };
}

/** The same function over the first coordinates of a larger space. */
export function widened(inner: Convex, size: number): Convex {
  return embedded(
    inner,
    Array.from({ length: inner.size }, (_, i) => i),
    size,
  );
}
