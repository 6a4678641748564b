import { isKnown, type Fact } from "../budget/budget";
import { costIn } from "../assessment/caps";
import { levelsOf } from "../assessment/costs";
import { isAllocated, type ExperimentAssessment } from "../assessment/types";
import type { Split } from "../core/allocation";
import { count, spend } from "../core/numbers";
import { numberText } from "./print/rows";
import { quantity } from "./row";

/** What making data takes of a split's cost. */
export function dataSpend({ parts }: Split): number {
  return parts.reduce((sum, { axis, cost }) => sum + (axis === null ? 0 : cost), 0);
}

/** USD that making the data of an experiment takes, with or without a fit; 0 where none has a price. */
export function dataCost({ budget, inputs }: ExperimentAssessment): number {
  const model = costIn(inputs, "USD");
  const parts = model.ok ? model.value.breakdown(levelsOf(budget)) : model;
  return parts.ok ? parts.value.reduce((sum, { axis, cost }) => sum + (axis === null ? 0 : cost), 0) : 0;
}

/** `32k rollouts · 384M tokens · 24 GPU-hours [10–60] ≈ $60 (80 %)`: what a run comes to, without any fit. Empty where nothing is known. */
export function costLine({
  costs,
  cost,
  allocation,
}: Pick<ExperimentAssessment, "costs" | "cost" | "allocation">): string {
  const amount = (fact: Fact<number>, unit: string) => (isKnown(fact) ? [`${count(fact.value)} ${unit}`] : []);
  const run = cost.kind === "run" ? cost.cost : null;
  const hours = run?.gpuHours
    ? [numberText(quantity(run.gpuHours, "count", { unit: "GPU-hours" }))]
    : cost.kind === "hosted"
      ? []
      : amount(costs.gpuHours, "GPU-hours");
  const usd = cost.kind === "hosted" ? cost.usd : (run?.usd ?? null);
  const dollars = usd ? usd.estimate : run === null && isKnown(costs.usd) ? costs.usd.value : null;
  const data = isAllocated(allocation) && allocation.result.unit === "USD" ? dataSpend(allocation.result.current) : 0;
  const all = data > 0 ? ` for GPUs, ${spend(data, "USD")} for data` : "";
  // Rates have 95 %: brackets of another kind say so.
  const kind = hours.some((text) => text.includes("[")) ? " (80 %)" : "";
  const money = dollars === null ? kind : ` ≈ ${spend(dollars, "USD")}${kind}${all}`;
  const parts = [...amount(costs.rollouts, "rollouts"), ...amount(costs.tokens, "tokens"), ...hours];
  return parts.length === 0 ? "" : `${parts.join(" · ")}${money}`;
}
