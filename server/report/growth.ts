import type { Growth, GrownBudget } from "../assessment/growth";
import type { Levels } from "../core/allocation";
import { count, decimal, list } from "../core/numbers";
import { capital, escape, table } from "./print/markdown";
import { section, share } from "./split";

/** As the budget grows: the fit's best splits beside the published recipe's. */
export function growthSection(growth: Growth): string {
  const { budgets, exponents, unit } = growth;
  const axes = exponents.map(({ axis }) => axis);
  const cells = (levels: Levels) => axes.map((axis) => (levels[axis] === undefined ? "—" : count(levels[axis])));
  const rows = budgets.flatMap(({ times, budget, best, recipe }) => {
    const name = `${count(times)}×${budget === null || unit === null ? "" : `, ${count(budget)} ${unit}`}`;
    return [
      ...(best ? [[name, "your fit", ...cells(best.levels), best.success ? share(best.success) : "unknown"]] : []),
      [name, "published recipe", ...cells(recipe), "—"],
    ];
  });
  const paths = exponents.flatMap(({ axis, fit, published }) =>
    fit === null && published === null
      ? []
      : [
          `${escape(axis)} ${fit === null ? "" : `C^${decimal(fit, 2)} by your fit, `}${published === null ? "not in the recipe" : `C^${decimal(published, 2)} published`}`,
        ],
  );
  return section(
    "As the budget grows",
    [
      table(["budget", "split by", ...axes.map(capital), "success"], rows),
      paths.length === 0 ? "" : `Growth: ${paths.join("; ")}.`,
      ...reasons(budgets),
      "The recipe (arXiv 2610.23946) starts from the present amounts and predicts no success rate.",
    ]
      .filter((part) => part !== "")
      .join("\n\n"),
  );
}

/** Why a split or a success rate is missing, once for all budgets that share the reason. */
function reasons(budgets: readonly GrownBudget[]): string[] {
  const said = new Map<string, string[]>();
  for (const { times, best, reason } of budgets) {
    const why = reason === null ? best?.reason && `no success rate: ${best.reason}` : `no split by your fit: ${reason}`;
    if (why) said.set(why, [...(said.get(why) ?? []), `${count(times)}×`]);
  }
  return [...said].map(([why, at]) => `At ${list(at)} ${escape(why.replace(/\.$/, ""))}.`);
}
