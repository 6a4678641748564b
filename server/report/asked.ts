import { isAllocated, type ExperimentAssessment } from "../assessment/types";
import { hasRate, isAsked, isBlocked, TOO_FAR } from "../assessment/verdict";
import type { Allocation } from "../core/allocation";
import type { Estimate } from "../core/estimate";
import { spend } from "../core/numbers";
import { percentInterval, percentWithInterval, pointsInterval, signedPoints } from "./numbers";
import { say } from "./words";

/** `at the same cost`, `for 64 GPUh`: what the best split is the best for. */
export function basis(result: Allocation): string {
  if (result.mode === "same-success") return say("basis.success");
  if (result.mode !== "same-compute") return say("basis.budget", spend(result.budget, result.unit));
  return say(isAsked(result) ? "basis.limits" : "basis.cost");
}

/** `for 64 GPUh: 55.1 % [50, 60] (+5.2 points [2, 8])`: the answer to what was asked in place of the present cost; else empty. */
export function askedLine(
  experiment: ExperimentAssessment,
  rate: (success: Estimate) => string = (success) =>
    `${percentWithInterval(success)} ${percentInterval(success)}`.trim(),
): string {
  const { allocation, verdict } = experiment;
  if (!isAllocated(allocation) || !isAsked(allocation.result) || isBlocked(verdict)) return "";
  const { result } = allocation;
  if (!hasRate(result)) return `${basis(result)}: ${TOO_FAR}`;
  const { best, change, current, response, unit } = result;
  const success = response === "loss" ? best.predicted.estimate.toPrecision(3) : rate(best.predicted);
  if (result.mode === "same-success")
    return say("asked.success", success, spend(best.cost, unit), spend(current.cost, unit));
  const gain = response === "loss" ? "" : ` (${signedPoints(change.estimate)} points ${pointsInterval(change)})`;
  return `${basis(result)}: ${success}${gain.replace(" )", ")")}`;
}
