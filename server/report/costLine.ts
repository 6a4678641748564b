import { isKnown, type Fact } from "../budget/budget";
import type { ExperimentAssessment } from "../assessment/types";
import { count } from "../core/numbers";
import { numberText } from "./print/rows";
import { quantity } from "./row";

/** `32k rollouts · 384M tokens · 24 GPU-hours [10–60] ≈ $60`: what a run comes to, without any fit. Empty where nothing is known. */
export function costLine({ costs, cost }: Pick<ExperimentAssessment, "costs" | "cost">): string {
  const amount = (fact: Fact<number>, unit: string) => (isKnown(fact) ? [`${count(fact.value)} ${unit}`] : []);
  const run = cost.kind === "run" ? cost.cost : null;
  const hours = run?.gpuHours
    ? [numberText(quantity(run.gpuHours, "count", { unit: "GPU-hours" }))]
    : cost.kind === "hosted"
      ? []
      : amount(costs.gpuHours, "GPU-hours");
  const usd = cost.kind === "hosted" ? cost.usd : (run?.usd ?? null);
  const dollars = usd ? usd.estimate : run === null && isKnown(costs.usd) ? costs.usd.value : null;
  const money = dollars === null ? "" : ` ≈ $${count(dollars)}`;
  const parts = [...amount(costs.rollouts, "rollouts"), ...amount(costs.tokens, "tokens"), ...hours];
  return parts.length === 0 ? "" : `${parts.join(" · ")}${money}`;
}
