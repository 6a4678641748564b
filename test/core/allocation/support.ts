import { posynomialCost } from "../../../server/core/cost";
import type { CostModel, CostTerm } from "../../../server/core/cost";
import type { FittedLaw, LawInstance, Posynomial } from "../../../server/core/laws/law";
import type { Result } from "../../../server/core/result";

/** A law built by hand from its posynomial, so that allocation is tested against nothing but arithmetic. */
export function instance(axes: readonly string[], posynomial: Posynomial, opaque = false): LawInstance {
  const value = (term: Posynomial["terms"][number], x: readonly number[]): number =>
    Math.exp(term.logCoefficient + term.exponents.reduce((sum, exponent, i) => sum + exponent * Math.log(x[i]), 0));
  return {
    axes,
    error: (x) => posynomial.floor + posynomial.terms.reduce((sum, term) => sum + value(term, x), 0),
    gradient: (x) =>
      axes.map((_, i) => posynomial.terms.reduce((sum, term) => sum + term.exponents[i] * value(term, x), 0)),
    posynomial: () => (opaque ? null : posynomial),
  };
}

export function additive(floor: number, coefficients: readonly number[], exponents: readonly number[]): Posynomial {
  return {
    floor,
    terms: coefficients.map((coefficient, t) => ({
      logCoefficient: Math.log(coefficient),
      exponents: exponents.map((exponent, i) => (i === t ? -exponent : 0)),
    })),
  };
}

export function multiplicative(floor: number, coefficient: number, exponents: readonly number[]): Posynomial {
  return {
    floor,
    terms: [{ logCoefficient: Math.log(coefficient), exponents: exponents.map((exponent) => -exponent) }],
  };
}

export function fitted(axes: readonly string[], point: LawInstance, extra: Partial<FittedLaw> = {}): FittedLaw {
  return {
    law: "test",
    response: "success",
    axes,
    point,
    draws: [],
    drawKind: "posterior",
    ranges: Object.fromEntries(
      axes.map((axis) => [axis, { min: 1, max: 1e6, centre: 30 }]),
    ) as unknown as FittedLaw["ranges"],
    refused: [],
    priorOnly: [],
    ...extra,
  };
}

export function linearCost(
  prices: Readonly<Record<string, number>>,
  owned: Readonly<Record<string, number>> = {},
): CostModel {
  return posynomialCost(
    Object.entries(prices).map(([axis, coefficient]) => ({
      id: axis,
      label: axis,
      axis,
      part: "all",
      coefficient,
      exponents: { [axis]: 1 },
      owned: owned[axis] ?? 0,
    })),
  );
}

export function productCost(coefficient: number, exponents: Readonly<Record<string, number>>): CostModel {
  const term: CostTerm = {
    id: "rollouts",
    label: "rollouts",
    axis: null,
    part: "all",
    coefficient,
    exponents,
    owned: 0,
  };
  return posynomialCost([term]);
}

export function value<Value>(result: Result<Value>): Value {
  if (!result.ok) throw new Error(`${result.problem.code}: ${result.problem.message}`);
  return result.value;
}

/** Uniform numbers from a seed. */
export function random(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** Standard normal numbers from uniform ones. */
export function normal(uniform: () => number): () => number {
  return () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
}
