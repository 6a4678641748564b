import { logSum, monomials, plainSum } from "./convex";
import type { Convex, Monomials } from "./convex";

/** coefficient · max(0, exp(Σ exponents·z) − owned), coefficient > 0. */
export interface ProgramTerm {
  readonly logCoefficient: number;
  readonly exponents: readonly number[];
  readonly owned: number;
}

/**
 * A geometric program in z = ln x over a box: an error floor + Σ exp(…) with exponents that make it fall, and a cost
 * constant + Σ terms. Both are convex in z.
 */
export interface Program {
  readonly size: number;
  readonly low: Float64Array;
  readonly high: Float64Array;
  readonly floor: number;
  readonly error: Monomials;
  readonly constant: number;
  readonly terms: readonly ProgramTerm[];
}

/** ln(error − floor) at z. */
export function logError(program: Program, z: Float64Array): number {
  return logSum(program.error).value(z);
}

export function errorAt(program: Program, z: Float64Array): number {
  return program.floor + Math.exp(logError(program, z));
}

export function amountOf(term: ProgramTerm, z: ArrayLike<number>): number {
  let log = 0;
  for (let i = 0; i < term.exponents.length; i++) log += term.exponents[i] * z[i];
  return Math.exp(log);
}

export function costAt(program: Program, z: ArrayLike<number>): number {
  let total = program.constant;
  for (const term of program.terms)
    total += Math.exp(term.logCoefficient) * Math.max(0, amountOf(term, z) - term.owned);
  return total;
}

/** A kinked term is free below its owned amount; exactly at it, its slope is any share of the slope above. */
export type KinkState = "free" | "paid" | "at";

export function kinkStates(program: Program, z: Float64Array, tolerance: number): KinkState[] {
  return program.terms.map((term) => {
    if (term.owned <= 0) return "paid";
    const distance = Math.log(amountOf(term, z) / term.owned);
    return Math.abs(distance) <= tolerance ? "at" : distance < 0 ? "free" : "paid";
  });
}

export function hasKinks(program: Program): boolean {
  return program.terms.some((term) => term.owned > 0);
}

/**
 * The cost against a scale, as a smooth convex function that is ≤ 0 where the cost is ≤ scale: ln(cost/scale) where no
 * term is kinked, cost/scale − 1 with the kinks decided by `states` otherwise. Terms "at" their kink count nothing.
 */
export function smoothCost(program: Program, scale: number, states: readonly KinkState[]): Convex {
  const logScale = Math.log(scale);
  if (!hasKinks(program)) {
    const terms = program.terms.map((term) => ({ log: term.logCoefficient, exponents: term.exponents }));
    if (program.constant > 0)
      terms.push({ log: Math.log(program.constant), exponents: new Array<number>(program.size).fill(0) });
    return logSum(monomials(program.size, terms), logScale);
  }
  let constant = program.constant / scale - 1;
  const terms: { log: number; exponents: readonly number[] }[] = [];
  program.terms.forEach((term, index) => {
    if (states[index] !== "paid") return;
    terms.push({ log: term.logCoefficient - logScale, exponents: term.exponents });
    constant -= Math.exp(term.logCoefficient - logScale) * term.owned;
  });
  return plainSum(monomials(program.size, terms), null, constant);
}

/**
 * exponents·z − ln(u/price + owned) ≤ 0, which says u ≥ price·(amount − owned). Convex, and nearly flat in z, where the
 * same constraint in plain amounts bends so strongly that interior steps shrink to nothing.
 */
function epigraph(exponents: readonly number[], at: number, price: number, owned: number): Convex {
  const size = exponents.length;
  const value = (y: Float64Array): number => {
    let log = 0;
    for (let i = 0; i < size; i++) log += exponents[i] * y[i];
    return log - Math.log(y[at] / price + owned);
  };
  return {
    size,
    value,
    evaluate(y, gradient, hessian) {
      hessian.fill(0);
      for (let i = 0; i < size; i++) gradient[i] = exponents[i];
      const inner = y[at] + price * owned;
      gradient[at] -= 1 / inner;
      hessian[at * size + at] = 1 / (inner * inner);
      return value(y);
    },
  };
}

/** The program with one epigraph variable u per kinked term: u ≥ 0, u ≥ coefficient/scale·(amount − owned). */
export interface Lifted {
  readonly size: number;
  readonly low: Float64Array;
  readonly high: Float64Array;
  readonly error: Convex;
  /** cost/scale − 1 (or its logarithm where nothing is kinked). */
  readonly cost: Convex;
  readonly epigraphs: readonly Convex[];
  /** A point of the lifted program above z, with `slack` to spare in every epigraph. */
  lift(z: Float64Array, slack: number): Float64Array;
}

export function lifted(program: Program, scale: number): Lifted {
  const kinked = program.terms.filter((term) => term.owned > 0);
  const size = program.size + kinked.length;
  const pad = (exponents: ArrayLike<number>): number[] =>
    Array.from({ length: size }, (_, i) => (i < program.size ? (exponents[i] ?? 0) : 0));
  const low = new Float64Array(size);
  const high = new Float64Array(size).fill(Infinity);
  low.set(program.low);
  high.set(program.high);
  const rows = Array.from({ length: program.error.count }, (_, t) => ({
    log: program.error.logs[t],
    exponents: pad(program.error.exponents.subarray(t * program.size, (t + 1) * program.size)),
  }));
  const logScale = Math.log(scale);
  const smooth = program.terms
    .filter((term) => term.owned <= 0)
    .map((term) => ({ log: term.logCoefficient - logScale, exponents: pad(term.exponents) }));
  const linear = Float64Array.from({ length: size }, (_, i) => (i < program.size ? 0 : 1));
  const epigraphs = kinked.map((term, k) =>
    epigraph(pad(term.exponents), program.size + k, Math.exp(term.logCoefficient - logScale), term.owned),
  );
  const cost =
    kinked.length === 0
      ? smoothCost(program, scale, [])
      : plainSum(monomials(size, smooth), linear, program.constant / scale - 1);
  return {
    size,
    low,
    high,
    cost,
    epigraphs,
    error: logSum(monomials(size, rows)),
    lift(z, slack) {
      const y = new Float64Array(size);
      y.set(z);
      kinked.forEach((term, k) => {
        const paid = Math.exp(term.logCoefficient - logScale) * Math.max(0, amountOf(term, z) - term.owned);
        y[program.size + k] = paid + slack;
      });
      return y;
    },
  };
}
