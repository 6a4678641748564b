import { type Fact, isKnown } from "../budget/budget";
import { capital, escape } from "./print/markdown";
import { count } from "./numbers";
import type { AxisName } from "../core/axes";
import type { CostPart } from "../core/cost/index";
import type { ExperimentAssessment } from "../assessment/types";

export type Row = readonly [string, string];

/** `9.2k (config)`, with its note, or why it is unknown. */
export function factText(fact: Fact<number | string>, unit = ""): string {
  if (!isKnown(fact)) return `unknown: ${escape(fact.reason)}`;
  const value = typeof fact.value === "number" ? count(fact.value) : escape(String(fact.value));
  const note = fact.note ? `; ${escape(fact.note)}` : "";
  return `${value}${unit && ` ${unit}`} (${fact.source}${note})`;
}

export function axisLabel(axis: AxisName): string {
  return axis === "trajectories" ? "Rollouts per task (trajectories)" : capital(axis);
}

/** Share of the cost by what an axis makes; rollouts and training for the trajectories. */
export function spendShare(parts: readonly CostPart[], axis: AxisName): number | undefined {
  const own = parts.filter((part) =>
    axis === "trajectories" ? part.axis === null || part.axis === axis : part.axis === axis,
  );
  return own.length === 0 ? undefined : own.reduce((sum, part) => sum + part.share, 0);
}

/** Needs no fit, so it is always there. */
export function costRows(assessment: ExperimentAssessment): Row[] {
  const { costs } = assessment;
  // What follows from unknown rollouts gives the reason once.
  const text = (fact: Fact<number>, unit = ""): string =>
    !isKnown(fact) && !isKnown(costs.rollouts) && fact.reason === costs.rollouts.reason
      ? "unknown, as the rollouts are"
      : factText(fact, unit);
  return [
    ["Rollouts", factText(costs.rollouts)],
    ["Tokens", `${text(costs.tokens)}${perStep(costs.tokensPerStep, "")}`],
    ["Compute", `${text(costs.compute, "FLOPs")}${perStep(costs.computePerStep, "FLOPs")}`],
    ["GPU-hours", text(costs.gpuHours)],
    ["GPU cost", text(costs.usd, "USD")],
    ["Wall-clock", text(costs.wallClockHours, "h")],
    ["Training steps", text(assessment.budget.steps)],
  ];
}

function perStep(fact: Fact<number>, unit: string): string {
  return isKnown(fact) ? `; ${count(fact.value)}${unit ? ` ${unit}` : ""} a step` : "";
}
