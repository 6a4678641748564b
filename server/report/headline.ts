import { isAllocated, isPredicted, type AllocationView, type ExperimentAssessment } from "../assessment/types";
import { aloneGain } from "../assessment/partial";
import { say } from "./words";
import { safe } from "./print/terminal";
import { intervalText, multiplierText, regretText } from "./terminalNumbers";
import { decimal, factor, signedPoints } from "./numbers";

/** `7.3 pp below optimum (1.7× compute)`, or that it is within noise. */
export function distance(allocation: AllocationView): string {
  const { regret, computeMultiplier } = allocation.result;
  if (regret.withinNoise) return say("lens.noise");
  const points = decimal(regret.estimate, 1);
  const multiplier = computeMultiplier.estimate;
  return Number.isFinite(multiplier) ? say("lens.below", points, factor(multiplier)) : say("lens.below.free", points);
}

/** `this file alone: +1.2 pp`, where a file cannot hold the whole optimum. */
export function ownGain(allocation: AllocationView): string {
  const gain = allocation.result.regret.withinNoise ? null : aloneGain(allocation);
  if (gain === null) return "";
  return allocation.edits.length === 0 ? say("lens.alone.nothing") : say("lens.alone", signedPoints(gain.estimate));
}

/** The lens's line. */
export function headline({ prediction, allocation }: ExperimentAssessment): string {
  if (!isPredicted(prediction)) return `no success rate: ${safe(prediction.reason)}`;
  const success = `${intervalText(prediction.successRate)} success`;
  if (!isAllocated(allocation)) return `${success} · no optimum: ${safe(allocation.reason)}`;
  const { result } = allocation;
  if (result.regret.withinNoise) return `${success} · within noise of the optimum`;
  const own = result.mode === "same-compute" ? ownGain(allocation) : "";
  return `${success} · ${regretText(result.regret)} below optimum (${multiplierText(result.computeMultiplier)} compute)${own && ` · ${own}`}`;
}
