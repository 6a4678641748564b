import { ok, refused } from "../result";
import type { Result } from "../result";
import type { CostPart, CostTerm, Levels, Ratios } from "./types";

/** Share of an axis's raw units that a term counts at a synthetic:real ratio. */
export function partShare(term: CostTerm, ratio: number): number {
  if (term.part === "real") return 1 / (1 + ratio);
  return term.part === "synthetic" ? ratio / (1 + ratio) : 1;
}

function levelOf(axis: string, levels: Levels, defaults: Levels): Result<number> {
  const level = levels[axis] ?? defaults[axis];
  if (level === undefined) return refused("cost.level-unknown", `The cost depends on ${axis}, which are unknown.`);
  if (!Number.isFinite(level) || level < 0)
    return refused("cost.level-invalid", `${axis} = ${level} is not an amount.`);
  return ok(level);
}

/** Cost of every term, in the order of `terms`. */
export function evaluateTerms(
  terms: readonly CostTerm[],
  levels: Levels,
  defaults: Levels,
  ratios: Ratios = {},
): Result<number[]> {
  const costs: number[] = [];
  for (const term of terms) {
    let amount = 1;
    for (const [axis, exponent] of Object.entries(term.exponents)) {
      if (!exponent) continue;
      const level = levelOf(axis, levels, defaults);
      if (!level.ok) return level;
      amount *= level.value ** exponent;
    }
    if (term.axis !== null) amount *= partShare(term, Math.max(0, ratios[term.axis] ?? 0));
    costs.push(term.coefficient * Math.max(0, amount - term.owned));
  }
  return ok(costs);
}

export function total(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

export function parts(terms: readonly CostTerm[], costs: readonly number[]): CostPart[] {
  const sum = total(costs);
  return terms.flatMap((term, index) => {
    const cost = costs[index] ?? 0;
    // Nothing synthetic, nothing to show: the term is there for splits that have some.
    if (term.part === "synthetic" && cost === 0) return [];
    return [{ id: term.id, label: term.label, axis: term.axis, cost, share: sum > 0 ? cost / sum : 0 }];
  });
}
