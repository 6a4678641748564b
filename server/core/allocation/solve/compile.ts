import type { FittedLaw, LawInstance, Posynomial } from "../../laws/law";
import { thin } from "../../numerics/quantiles";
import { partShare } from "../../cost/evaluate";
import { bounds, worth } from "../problem/prepare";
import type { Prepared } from "../problem/prepare";
import { monomials } from "./solver/convex";
import { costAt } from "./solver/program";
import type { Program, ProgramTerm } from "./solver/program";
import type { Ratios } from "../problem/types";

/** What is minimised: a law, or the mean of several. Levels are effective ones, in the law's axis order. */
export interface Goal {
  /** The error itself, or what it rises with (then `exact` is false). */
  readonly posynomial: Posynomial | null;
  /** Whether the posynomial is the error. */
  readonly exact: boolean;
  /** Goals whose optima are good places to start from, where this one is not convex. */
  readonly parts?: readonly Goal[];
  error(x: readonly number[]): number;
  gradient(x: readonly number[]): number[];
}

export function goalOf(instance: LawInstance): Goal {
  const own = instance.posynomial();
  return {
    posynomial: own ?? instance.increasingIn?.() ?? null,
    exact: own !== null,
    error: (x) => instance.error(x),
    gradient: (x) => instance.gradient(x),
  };
}

/** The law as it predicts: of a mixture, with its members to start from. */
export function lawGoal({ point, members }: Pick<FittedLaw, "point" | "members">): Goal {
  const goal = goalOf(point);
  const parts = (members ?? []).map((member) => goalOf(member.point)).filter((part) => part.posynomial !== null);
  return goal.posynomial === null && parts.length > 0 ? { ...goal, parts } : goal;
}

/** The mean error over draws: a posynomial where every draw is one, so that the least expected regret is convex too. */
export function meanGoal(draws: readonly LawInstance[]): Goal {
  const each = draws.map((draw) => draw.posynomial());
  const all = each.every((posynomial) => posynomial !== null) ? each.filter((posynomial) => posynomial !== null) : null;
  const weight = Math.log(draws.length);
  return {
    posynomial:
      all === null
        ? null
        : {
            floor: all.reduce((sum, posynomial) => sum + posynomial.floor, 0) / draws.length,
            terms: all.flatMap((posynomial) =>
              posynomial.terms.map((term) => ({
                logCoefficient: term.logCoefficient - weight,
                exponents: term.exponents,
              })),
            ),
          },
    exact: all !== null,
    error: (x) => draws.reduce((sum, draw) => sum + draw.error(x), 0) / draws.length,
    gradient: (x) => {
      const total = x.map(() => 0);
      for (const draw of draws)
        draw.gradient(x).forEach((slope, i) => {
          total[i] += slope / draws.length;
        });
      return total;
    },
  };
}

/** Draws that a mean is taken over: convex means are cheap. */
const MEAN_DRAWS = { convex: 200, local: 100 } as const;

/** The draws that stand for all of them in a mean. */
export function meanDraws(draws: readonly LawInstance[], count?: number): readonly LawInstance[] {
  const convex = draws.length > 0 && draws.every((draw) => draw.posynomial() !== null);
  return thin(draws, count ?? (convex ? MEAN_DRAWS.convex : MEAN_DRAWS.local));
}

/** A law that is the mean over laws and draws, without draws of its own: what the recommended split maximises. */
export function meanLaw(law: FittedLaw): FittedLaw {
  if (law.draws.length < 2) return { ...law, draws: [] };
  const { posynomial, exact, error, gradient } = meanGoal(meanDraws(law.draws));
  return {
    ...law,
    draws: [],
    point: { axes: law.axes, error, gradient, posynomial: () => (exact ? posynomial : null) },
  };
}

/** Cost terms over the free axes in z = ln(effective), with every held axis folded into the coefficients. */
function costTerms(prepared: Prepared, ratios: Ratios): { constant: number; terms: ProgramTerm[] } {
  let constant = 0;
  const terms: ProgramTerm[] = [];
  for (const term of prepared.cost.terms) {
    let logFactor = 0;
    const exponents = new Array<number>(prepared.free.length).fill(0);
    for (const [axis, exponent] of Object.entries(term.exponents)) {
      if (!exponent) continue;
      const index = prepared.free.indexOf(axis);
      if (index >= 0) {
        exponents[index] = exponent;
        logFactor -= exponent * Math.log(worth(prepared, axis, ratios));
      } else logFactor += exponent * Math.log(prepared.base[axis] ?? 1);
    }
    if (term.axis !== null) logFactor += Math.log(partShare(term, ratios[term.axis] ?? 0));
    if (term.coefficient <= 0 || logFactor === -Infinity) continue;
    if (exponents.every((exponent) => exponent === 0))
      constant += term.coefficient * Math.max(0, Math.exp(logFactor) - term.owned);
    else
      terms.push({
        logCoefficient: Math.log(term.coefficient) + logFactor,
        exponents,
        owned: term.owned / Math.exp(logFactor),
      });
  }
  return { constant, terms };
}

/** Room above the largest amount that the budget can buy on an axis, so that this bound is never the binding one. */
const HEADROOM = 0.5;

/**
 * The program at fixed ratios, in a box that holds every split of at most `budget`. The error is left empty for laws that
 * are no posynomial. Null: the lower bounds alone cost more.
 */
export function compile(prepared: Prepared, goal: Goal, budget: number, ratios: Ratios): Program | null {
  const { constant, terms } = costTerms(prepared, ratios);
  const size = prepared.free.length;
  const low = new Float64Array(size);
  const high = new Float64Array(size).fill(Infinity);
  prepared.free.forEach((axis, i) => {
    const range = bounds(prepared, axis, ratios);
    low[i] = Math.log(range.low);
    high[i] = Math.log(range.high);
  });
  const bare = { size, low, high, floor: 0, error: monomials(size, []), constant, terms };
  if (costAt(bare, low) > budget * (1 + 1e-9)) return null;
  for (let i = 0; i < size; i++) high[i] = Math.min(high[i], affordable(bare, i, budget) + HEADROOM);
  // A range of no width has no inside; widen it by less than anyone can see.
  for (let i = 0; i < size; i++) if (high[i] - low[i] < 1e-9) high[i] = low[i] + 1e-9;
  const { posynomial } = goal;
  if (!posynomial) return bare;
  const rows = posynomial.terms.map((term) => {
    let log = term.logCoefficient;
    const exponents = new Array<number>(size).fill(0);
    prepared.problem.law.axes.forEach((axis, a) => {
      const index = prepared.free.indexOf(axis);
      if (index >= 0) exponents[index] = term.exponents[a];
      else if (term.exponents[a] !== 0) log += term.exponents[a] * Math.log(prepared.held[axis] ?? 1);
    });
    return { log, exponents };
  });
  return { ...bare, floor: posynomial.floor, error: monomials(size, gather(rows)) };
}

/** Terms that no free axis moves are one constant; many draws would carry it many times. */
function gather(rows: readonly { log: number; exponents: number[] }[]): { log: number; exponents: number[] }[] {
  const moving = rows.filter((row) => row.exponents.some((exponent) => exponent !== 0));
  const still = rows.filter((row) => row.exponents.every((exponent) => exponent === 0));
  const sum = still.reduce((total, row) => total + Math.exp(row.log), 0);
  return sum > 0 ? [...moving, { log: Math.log(sum), exponents: still[0].exponents }] : moving;
}

/** ln of the amount at which axis i alone, the others at their lower bounds, uses up the budget. */
function affordable(program: Program, axis: number, budget: number): number {
  const z = Float64Array.from(program.low);
  let from = program.low[axis];
  let to = from + 1;
  const over = (at: number): boolean => {
    z[axis] = at;
    return costAt(program, z) > budget;
  };
  while (!over(to) && to - program.low[axis] < 500) {
    from = to;
    to += 2 * (to - program.low[axis]);
  }
  for (let i = 0; i < 40; i++) {
    const middle = (from + to) / 2;
    if (over(middle)) to = middle;
    else from = middle;
  }
  return to;
}
