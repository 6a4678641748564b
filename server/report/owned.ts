import { recommendedSplit } from "../assessment/edits/target";
import type { AllocationView } from "../assessment/types";
import { list } from "../core/numbers";

/**
 * Where the optimum has fewer units of something that has a price and of which none is said to be made: they may well exist, and
 * would then be free. Empty where that is no question.
 */
export function ownedHint({ result, cost }: AllocationView): string {
  const best = recommendedSplit(result).levels;
  const fewer = Object.entries(result.current.levels).flatMap(([axis, now]) => {
    const then = best[axis];
    const priced = cost.terms.some(
      (term) => term.axis === axis && term.part !== "synthetic" && term.coefficient > 0 && term.owned === 0,
    );
    return priced && now !== undefined && then !== undefined && then < now * (1 - 1e-3) ? [{ axis, now }] : [];
  });
  if (fewer.length === 0) return "";
  const axes = list(fewer.map(({ axis }) => axis));
  const owned = fewer.map(({ axis, now }) => `${axis}: ${Math.round(now)}`).join(", ");
  return `Fewer ${axes}, because each has a price. Already have them? Add \`owned: { ${owned} }\` to the budget, or to \`facts\` in scaling.yaml.`;
}
