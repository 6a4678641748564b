import type { CostModel } from "../cost";
import type { Estimate } from "../estimate";
import { amount, count, decimal, list, percent, times } from "../figures/words";
import type { FittedLaw } from "../laws/law";
import { paragraph, table } from "./document";
import type { Block, Section } from "./document";
import type { EquivalentGain, GrowthPath } from "./growth";
import { BASELINES } from "./paths";
import { PUBLISHED_GROWTH, RECIPE_READING } from "./recipe";
import type { Disagreement } from "./recipe";
import type { Allocation, AxisValue, Split } from "./types";

export interface ExplainInput {
  readonly allocation: Allocation;
  readonly cost: CostModel;
  readonly law: FittedLaw;
  /** The fit's name, its number of runs, and whether those were simulated. */
  readonly fit?: { readonly name: string; readonly runs?: number; readonly simulated?: boolean };
  readonly gains?: readonly EquivalentGain[];
  readonly growth?: GrowthPath;
  readonly disagreement?: Disagreement;
}

/** An allocation in words and numbers: what is recommended, why, on which assumptions, and how sure it is. */
export function explainSections(input: ExplainInput): Section[] {
  const { allocation } = input;
  return [
    { id: "recommendation", title: "In short", blocks: recommendation(input) },
    { id: "split", title: "The split", blocks: splitBlocks(allocation) },
    { id: "cost", title: "Where the money goes", blocks: costBlocks(allocation, input.cost) },
    { id: "values", title: "What one more is worth", blocks: valueBlocks(allocation) },
    { id: "method", title: "How the optimum was found", blocks: methodBlocks(allocation, input.law) },
    { id: "sensitivity", title: "What would move it", blocks: sensitivityBlocks(allocation) },
    { id: "gains", title: "Against other ways to grow", blocks: gainBlocks(input.gains ?? [], allocation) },
    { id: "growth", title: "When the budget grows", blocks: input.growth ? growthBlocks(input.growth, allocation) : [] },
    { id: "recipe", title: "The published recipe", blocks: recipeBlocks(input.disagreement) },
    { id: "assumptions", title: "Assumptions and their sources", blocks: assumptionBlocks(input.cost, allocation) },
    { id: "limits", title: "What limits this answer", blocks: limitBlocks(allocation) },
  ].filter((section) => section.blocks.length > 0);
}

function shown(value: Estimate, allocation: Pick<Allocation, "response">): string {
  const one = (x: number): string => (allocation.response === "success" ? percent(x) : decimal(x, 4));
  return Number.isFinite(value.low) ? `${one(value.estimate)} [${one(value.low)}, ${one(value.high)}]` : `${one(value.estimate)} (no interval)`;
}

function points(value: Estimate, allocation: Pick<Allocation, "response">): string {
  const digits = allocation.response === "success" ? 1 : 4;
  const unit = allocation.response === "success" ? " points" : "";
  const interval = Number.isFinite(value.low) ? ` [${decimal(value.low, digits)}, ${decimal(value.high, digits)}]` : " (no interval)";
  return `${decimal(value.estimate, digits)}${unit}${interval}`;
}

function recommendedSplit(allocation: Allocation): Split {
  return allocation.recommended === "robust" && allocation.robust ? allocation.robust : allocation.optimum;
}

function recommendation({ allocation, fit }: ExplainInput): Block[] {
  const best = recommendedSplit(allocation);
  const blocks: Block[] = [];
  const what = allocation.response === "success" ? "success" : "loss";
  if (allocation.regret.withinNoise) {
    blocks.push(paragraph(`The current split is within noise of the best one at its cost: ${points(allocation.regret, allocation)} from it. Predicted ${what}: ${shown(allocation.current.predicted, allocation)}.`));
  } else {
    const moves = Object.keys(best.levels).filter((axis) => Math.abs(Math.log((best.levels[axis] ?? 1) / (allocation.current.levels[axis] ?? 1))) > 0.01)
      .map((axis) => `${axis} ${amount(axis, allocation.current.levels[axis] ?? NaN)} → ${amount(axis, best.levels[axis] ?? NaN)}`);
    blocks.push(paragraph(`The current split is ${points(allocation.regret, allocation)} below the best one of the same cost. Predicted ${what} now: ${shown(allocation.current.predicted, allocation)}; recommended: ${shown(best.predicted, allocation)}.`));
    if (moves.length > 0) blocks.push(paragraph(`Change ${list(moves)}.`));
    if (Number.isFinite(allocation.computeMultiplier.estimate)) {
      blocks.push(paragraph(`The same ${what} could be had for less: ${times(allocation.computeMultiplier)} the needed cost is spent, so that ${percent(allocation.wastedShare.estimate)} of it is wasted.`));
    }
  }
  if (allocation.mode !== "same-compute") {
    const how = allocation.mode === "same-success" ? `at equal ${what}` : `for ${count(allocation.budget)} ${allocation.unit}`;
    blocks.push(paragraph(`Asked for: the best split ${how}, which costs ${count(best.cost)} ${allocation.unit} (now ${count(allocation.current.cost)}) and changes the prediction by ${points(allocation.change, allocation)}.`));
  }
  if (fit) blocks.push(paragraph(`Source: ${fit.name}${fit.runs === undefined ? "" : `, ${fit.runs} runs`}${fit.simulated ? ", simulated" : ""}.`));
  return blocks;
}

function splitBlocks(allocation: Allocation): Block[] {
  const axes = Object.keys(allocation.current.levels);
  const columns: [string, Split][] = [["now", allocation.current], ["optimum", allocation.optimum]];
  if (allocation.rounding) columns.push(["before rounding", allocation.continuous]);
  if (allocation.robust) columns.push(["robust", allocation.robust]);
  const rows = axes.map((axis) => [
    axis, ...columns.map(([, split]) => amount(axis, split.levels[axis] ?? NaN)),
    allocation.pinned.find((pin) => pin.axis === axis)?.reason ?? allocation.corners.filter((corner) => corner.axis === axis).map(cornerText).join("; "),
  ]);
  for (const axis of Object.keys(allocation.current.ratios)) {
    rows.push([`synthetic : real ${axis}`, ...columns.map(([, split]) => decimal(split.ratios[axis] ?? 0, 2)), ""]);
    rows.push([`${axis}, worth in real ones`, ...columns.map(([, split]) => amount(axis, split.effective[axis] ?? NaN)), ""]);
  }
  rows.push(
    [`cost, ${allocation.unit}`, ...columns.map(([, split]) => count(split.cost)), ""],
    [allocation.response === "success" ? "predicted success" : "predicted loss", ...columns.map(([, split]) => `${shown(split.predicted, allocation)}${split.outOfRange ? " (out of range)" : ""}`), ""],
  );
  return [table(["axis", ...columns.map(([name]) => name), "why it stays"], rows)];
}

function cornerText(corner: Allocation["corners"][number]): string {
  switch (corner.bound) {
    case "lower": return "at its lower limit";
    case "upper": return "at its upper limit";
    case "pool": return "at the end of the real pool";
    case "owned": return "stops at what is already made";
    case "ratio": return corner.value === 0 ? "nothing synthetic" : `at the ratio ${decimal(corner.value, 2)}`;
  }
}

function costBlocks(allocation: Allocation, cost: CostModel): Block[] {
  const best = recommendedSplit(allocation);
  const rows = allocation.current.parts.map((part) => {
    const then = best.parts.find((other) => other.id === part.id);
    return [part.label, count(part.cost), percent(part.share), count(then?.cost ?? 0), percent(then?.share ?? 0)];
  });
  const terms = cost.terms.map((term) => {
    const product = Object.entries(term.exponents).filter(([, exponent]) => exponent).map(([axis, exponent]) => (exponent === 1 ? axis : `${axis}^${exponent}`)).join("·");
    const made = term.part === "all" ? product : `${term.part} ${product}`;
    return `${term.coefficient.toPrecision(3)}·${term.owned > 0 ? `max(0, ${made} − ${count(term.owned)})` : made}`;
  });
  return [
    paragraph(`Design: ${cost.design}.`),
    table(["", `now, ${allocation.unit}`, "share", `recommended, ${allocation.unit}`, "share"], rows),
    { kind: "formula", text: `cost = ${terms.join(" + ")} ${cost.unit}` },
  ];
}

function valueBlocks(allocation: Allocation): Block[] {
  const best = (axis: string): AxisValue | undefined => allocation.values.optimum.find((value) => value.axis === axis);
  const worth = (value: number | null | undefined): string => (value === null ? "costs nothing" : value === undefined ? "—" : decimal(value, 3));
  const rows = allocation.values.current.map((value) => [
    value.axis, points(value.doubling, allocation), decimal(value.elasticity, 3), worth(value.pointsPerPercent), worth(best(value.axis)?.pointsPerPercent),
  ]);
  return rows.length === 0 ? [] : [
    table(["axis", "twice as much", "elasticity of the error", "per 1 % of the cost, now", "per 1 %, at the optimum"], rows),
    paragraph("At an optimum between its bounds the last column is equal for every free axis: no money is better spent elsewhere."),
  ];
}

function methodBlocks(allocation: Allocation, law: FittedLaw): Block[] {
  const { certificate } = allocation;
  const proof = certificate.kind === "global"
    ? `In ln x this problem is convex, so that the optimum is the only one; nothing can be lower by more than ${certificate.gap === null ? "an unknown amount" : certificate.gap.toExponential(0)} in ln e (duality gap).`
    : `The optimum is local: ${certificate.reason ?? "the problem is not known to be convex"}. A better split elsewhere cannot be excluded.`;
  return [
    { kind: "formula", text: allocation.mode === "same-success" ? "minimise cost(x) subject to e(x) ≤ e(now), limits and pins" : "minimise e(x) subject to cost(x) ≤ budget, limits and pins" },
    paragraph(`Law: ${law.law}, over ${list(law.axes)}. ${proof} ${percent(certificate.agreement)} of ${certificate.starts} starts agree.`),
    ...(allocation.rounding ? [paragraph(`Whole numbers and rules cost ${decimal(allocation.rounding.cost, 2)} ${allocation.response === "success" ? "points" : "in the loss"}.${allocation.rounding.rules.map((rule) => ` ${rule.message}: ${rule.holds === null ? "cannot be judged" : rule.holds ? "holds" : "broken"}.`).join("")}`)] : []),
    ...(allocation.robust ? [paragraph("The robust split has the least expected regret over the draws: it gives up a little under the fitted law to lose less where that law is wrong.")] : []),
  ];
}

function sensitivityBlocks(allocation: Allocation): Block[] {
  const rows = [...allocation.sensitivity].sort((a, b) => Math.abs(b.points) - Math.abs(a.points)).map((one) => [
    one.parameter, `${decimal(10 * one.points, allocation.response === "success" ? 2 : 5)}`,
    Object.entries(one.levels).filter(([, slope]) => Math.abs(slope ?? 0) >= 0.005).map(([axis, slope]) => `${axis} ${decimal(10 * (slope ?? 0), 1)} %`).join(", ") || "unchanged",
  ]);
  return rows.length === 0 ? [] : [table(["10 % more of", allocation.response === "success" ? "points at the optimum" : "loss at the optimum", "moves"], rows)];
}

function gainBlocks(gains: readonly EquivalentGain[], allocation: Allocation): Block[] {
  const rows = gains.map((gain) => [
    BASELINES[gain.baseline], `${count(gain.compute)} ${gain.unit}`, gain.same ? shown(gain.same.predicted, allocation) : "cannot spend it",
    shown(gain.optimum.predicted, allocation), gain.gain ? times(gain.gain) : gain.reason ?? "unknown",
  ]);
  return rows.length === 0 ? [] : [
    table(["instead", "at", "it reaches", "the optimal split reaches", "compute it needs for that"], rows),
    paragraph("The gain holds at the compute stated: it grows with it where the two paths improve at different rates."),
  ];
}

function growthBlocks(growth: GrowthPath, allocation: Allocation): Block[] {
  const axes = Object.keys(growth.points[0]?.exponents ?? {});
  return [
    table([growth.unit, ...axes, "predicted"], growth.points.map((point) => [count(point.budget), ...axes.map((axis) => amount(axis, point.optimum.levels[axis] ?? NaN)), shown(point.optimum.predicted, allocation)])),
    table(["grows as budget to the", ...axes], growth.points.map((point) => [`at ${count(point.budget)}`, ...axes.map((axis) => decimal(point.exponents[axis] ?? NaN, 3))])),
  ];
}

function recipeBlocks(view: Disagreement | undefined): Block[] {
  if (!view) return [];
  const interval = (value: Estimate): string => `${decimal(value.estimate, 3)} [${decimal(value.low, 3)}, ${decimal(value.high, 3)}]`;
  const verdict = view.agrees
    ? "Your fit does not contradict the published recipe."
    : `Your fit disagrees with the published recipe on ${list([...new Set([...view.rows.filter((row) => !row.agrees).map((row) => row.axis), ...view.reversed.map((pair) => `${pair.larger} above ${pair.smaller} (${percent(pair.probability)} of the draws)`)])])}. Both are shown; the optimum above follows your fit.`;
  return [
    paragraph(verdict),
    table(["axis", "published growth", "exponent it implies [inferred]", "exponent of your fit", "share of spend: recipe", "share of spend: your optimum"], view.rows.map((row) => [
      row.axis, decimal(PUBLISHED_GROWTH[row.axis] ?? NaN, 2), interval(row.publishedExponent), interval(row.fittedExponent), percent(row.publishedShare), row.fittedShare === null ? "—" : percent(row.fittedShare),
    ])),
    ...RECIPE_READING.map(paragraph),
  ];
}

function assumptionBlocks(cost: CostModel, allocation: Allocation): Block[] {
  const rows = cost.assumptions.map((one) => [one.name, typeof one.value === "number" ? amount(one.unit, one.value) : one.value, one.unit, one.source]);
  for (const mix of Object.keys(allocation.current.ratios)) rows.push([`synthetic : real ${mix}`, decimal(allocation.current.ratios[mix] ?? 0, 2), "ratio", "config"]);
  return rows.length === 0 ? [] : [table(["assumption", "value", "unit", "source"], rows)];
}

function limitBlocks(allocation: Allocation): Block[] {
  const items = allocation.notes.map((note) => note.message);
  if (allocation.priorOnly.length > 0) items.push(`The exponent of ${list(allocation.priorOnly)} rests on the prior alone: the runs say little about it.`);
  items.push(allocation.intervals === "none" ? "No interval can be shown." : `Intervals are the central 95 % of ${allocation.intervals === "posterior" ? "posterior draws" : "bootstrap refits"}; the recommendation is held fixed, so that a gain may turn out negative.`);
  return [{ kind: "list", items }];
}
