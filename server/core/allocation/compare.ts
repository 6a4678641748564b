import type { Estimate } from "../estimate";
import { amount, count, decimal, percent } from "../figures/words";
import { ok, refused } from "../result";
import type { Problem, Result } from "../result";
import { allocate } from "./allocate";
import { compareSplits } from "./difference";
import type { Difference } from "./difference";
import { paragraph, table } from "./document";
import type { Section } from "./document";
import type { Allocation, AllocationProblem } from "./types";

export interface Compared {
  readonly name: string;
  readonly allocation: Allocation;
  /** Against the first; null for the first itself, or with the reason where the two cannot be paired. */
  readonly difference: Difference | null;
  readonly reason?: string;
}

export interface Comparison {
  readonly items: readonly Compared[];
  readonly skipped: readonly { readonly name: string; readonly problem: Problem }[];
}

/** Two or more configs side by side, each against the first. Code `compare.too-few`: fewer than two can be judged. */
export function compareAllocations(given: readonly { readonly name: string; readonly problem: AllocationProblem }[]): Result<Comparison> {
  const items: Compared[] = [];
  const skipped: { name: string; problem: Problem }[] = [];
  let first: AllocationProblem | null = null;
  for (const { name, problem } of given) {
    const allocation = allocate({ ...problem, options: { ...problem.options, sensitivity: false, robustDraws: 0 } });
    if (!allocation.ok) { skipped.push({ name, problem: allocation.problem }); continue; }
    if (first === null) {
      first = problem;
      items.push({ name, allocation: allocation.value, difference: null });
      continue;
    }
    const difference = compareSplits(first, problem);
    items.push({ name, allocation: allocation.value, difference: difference.ok ? difference.value : null, ...(difference.ok ? {} : { reason: difference.problem.message }) });
  }
  if (items.length < 2) {
    const why = skipped.map(({ name, problem }) => `${name}: ${problem.message}`).join(" ");
    return refused("compare.too-few", `Two splits are needed to compare. ${why}`.trim());
  }
  return ok({ items, skipped });
}

export function compareSections({ items, skipped }: Comparison): Section[] {
  const axes = [...new Set(items.flatMap((item) => Object.keys(item.allocation.current.levels)))];
  const success = items[0].allocation.response === "success";
  const one = (value: number): string => (success ? percent(value) : decimal(value, 4));
  const rate = (value: Estimate): string => `${one(value.estimate)}${Number.isFinite(value.low) ? ` [${one(value.low)}, ${one(value.high)}]` : ""}`;
  const points = (value: Estimate): string => `${decimal(value.estimate, success ? 1 : 4)}${Number.isFinite(value.low) ? ` [${decimal(value.low, success ? 1 : 4)}, ${decimal(value.high, success ? 1 : 4)}]` : ""}`;
  const row = (label: string, cell: (item: Compared) => string): string[] => [label, ...items.map(cell)];
  const split = table(["", ...items.map((item) => item.name)], [
    ...axes.map((axis) => row(axis, ({ allocation }) => `${amount(axis, allocation.current.levels[axis] ?? NaN)} (best ${amount(axis, allocation.optimum.levels[axis] ?? NaN)})`)),
    row("cost", ({ allocation }) => `${count(allocation.current.cost)} ${allocation.unit}`),
    row(success ? "predicted success" : "predicted loss", ({ allocation }) => rate(allocation.current.predicted)),
    row("points below its own optimum", ({ allocation }) => (allocation.regret.withinNoise ? `within noise (${points(allocation.regret)})` : points(allocation.regret))),
    row("spent ÷ needed", ({ allocation }) => `${decimal(allocation.computeMultiplier.estimate, 2)}×`),
  ]);
  const shares = [...new Set(items.flatMap((item) => item.allocation.current.parts.map((part) => part.id)))];
  const spend = table(["share of the cost", ...items.map((item) => item.name)], shares.map((id) => row(
    items.flatMap((item) => item.allocation.current.parts).find((part) => part.id === id)?.label ?? id,
    ({ allocation }) => percent(allocation.current.parts.find((part) => part.id === id)?.share ?? 0),
  )));
  const differences = items.filter((item) => item !== items[0]).map((item) => {
    if (!item.difference) return paragraph(`${item.name} against ${items[0].name}: ${item.reason ?? "cannot be compared"}`);
    const { points: gain, costRatio, probability, withinNoise } = item.difference;
    const chance = probability === null ? "" : ` It is better in ${percent(probability)} of the draws.`;
    const cost = Number.isFinite(costRatio) ? ` at ${decimal(costRatio, 2)}× its cost` : "";
    return paragraph(`${item.name} against ${items[0].name}: ${points(gain)}${success ? " points" : ""}${cost}${withinNoise ? ", within noise" : ""}.${chance}`);
  });
  return [
    { id: "differences", title: "Difference", blocks: differences },
    { id: "splits", title: "The splits", blocks: [split] },
    { id: "spend", title: "Where the money goes", blocks: [spend] },
    { id: "skipped", title: "Left out", blocks: skipped.length === 0 ? [] : [{ kind: "list" as const, items: skipped.map(({ name, problem }) => `${name}: ${problem.message}`) }] },
  ].filter((section) => section.blocks.length > 0);
}
