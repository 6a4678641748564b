import type { Growth, GrownBudget } from "../assessment/growth";
import type { AllocationView, ExperimentAssessment } from "../assessment/types";
import { VERDICT } from "../assessment/verdict";
import {
  BASELINES,
  computeEquivalentGain,
  disagreement,
  RECIPE_READING,
  type Baseline,
  type Levels,
} from "../core/allocation";
import { axisWord } from "../core/axes";
import { interval, list, percent } from "../core/numbers";
import { count, decimal, factor } from "./numbers";
import { axisTitle, escape, table } from "./print/markdown";
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
          `${escape(axisWord(axis))} ${fit === null ? "" : `C^${decimal(fit, 2)} by your fit, `}${published === null ? "not in the recipe" : `C^${decimal(published, 2)} published`}`,
        ],
  );
  return section(
    "As the budget grows",
    [
      table(["budget", "split by", ...axes.map(axisTitle), "success"], rows),
      paths.length === 0 ? "" : `Growth: ${paths.join("; ")}.`,
      ...reasons(budgets),
      ...unspent(growth),
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

/** Budgets that limits keep from being spent: more money that buys nothing is no law of growth. */
function unspent({ budgets, unit }: Growth): string[] {
  return budgets.flatMap(({ times, budget, best }) =>
    best && budget !== null && best.cost < 0.98 * budget
      ? [
          `At ${count(times)}× only ${count(best.cost)} of ${count(budget)} ${unit ?? ""} can be spent: the amounts stop at ${VERDICT.trust}× beyond the fitted runs or at your limits.`,
        ]
      : [],
  );
}

/** The optimal path against what people do without a law, at a stated compute. */
const MORE_COMPUTE = [1, 10] as const;

/** Beyond a hundred the number says no more than that there is no comparison. */
function times(value: number): string {
  return value > 100 || !Number.isFinite(value) ? "over 100×" : `${factor(value)}×`;
}

export function pathSection({ problem, result }: AllocationView): string | null {
  const rows = MORE_COMPUTE.flatMap((more) =>
    Object.entries(BASELINES).flatMap(([baseline, words]) => {
      const gain = computeEquivalentGain(problem, baseline as Baseline, more * result.current.cost);
      if (!gain.ok) return [];
      const text = gain.value.gain
        ? `${times(gain.value.gain.estimate)} [${times(gain.value.gain.low)}, ${times(gain.value.gain.high)}]`
        : `never gets there${gain.value.reason ? `: ${escape(gain.value.reason)}` : ""}`;
      return [[`${count(more * result.current.cost)} ${result.unit}`, words, text]];
    }),
  );
  return rows.length === 0
    ? null
    : section(
        "What the optimal path is worth",
        `For the success that the optimal path reaches, another way to grow needs so many times the compute of the path:\n\n${table(["at", "other way", "compute-equivalent gain"], rows)}`,
      );
}

export function recipeSection(law: ExperimentAssessment["law"], allocation: AllocationView | null): string | null {
  if (!law) return null;
  const compared = disagreement(law.law, allocation?.result ?? null);
  if (!compared.ok) return null;
  const { rows } = compared.value;
  const exponents = table(
    ["exponent", "published, inferred", "yours", "agree"],
    rows.map((row) => [
      axisTitle(row.axis),
      interval(row.publishedExponent, 2),
      interval(row.fittedExponent, 2),
      row.agrees ? "yes" : "**no**",
    ]),
  );
  const shares = table(
    ["share of what is spent more", "published", "your fit"],
    rows.map((row) => [
      axisTitle(row.axis),
      percent(row.publishedShare),
      row.fittedShare === null ? "—" : percent(row.fittedShare),
    ]),
  );
  const verdict = compared.value.agrees
    ? "Your fit and the recipe agree within their intervals."
    : "Your fit and the recipe disagree; both are shown, and the fit is what figures here rest on.";
  const reversed = compared.value.reversed.map(
    (pair) =>
      `- The fit puts ${escape(pair.larger)} above ${escape(pair.smaller)}, against the paper (${decimal(100 * pair.probability, 0)} % of the draws).`,
  );
  return section(
    "Beside the published recipe",
    [verdict, exponents, shares, reversed.join("\n"), ...RECIPE_READING.slice(0, 3)]
      .filter((part) => part !== "")
      .join("\n\n"),
  );
}
