import type { Estimate } from "../core/estimate";
import type { ModelChoice } from "../assessment/types";
import { count, decimal, percent } from "../core/numbers";
import { safe } from "./print/terminal";

/** `61.2 % [57–65.3]`: a share in [0, 1] with its 95 % interval. */
export function intervalText({ estimate, low, high }: Estimate): string {
  return `${percent(estimate)}${bounds(100 * low, 100 * high, 1)}`;
}

/** `7.3 points [4.1–9.8]`: percentage points with their 95 % interval. */
export function regretText({ estimate, low, high }: Estimate): string {
  return `${decimal(estimate, 1)} points${bounds(low, high, 1)}`;
}

/** `; 36 % less compute for the same success`; empty where it is less than one per cent. */
export function lessText({ estimate }: Estimate, unit: string): string {
  const what = unit === "USD" ? "cost" : "compute";
  return estimate >= 0.01 ? `; ${decimal(100 * estimate, 0)} % less ${what} for the same success` : "";
}

function bounds(low: number, high: number, digits: number): string {
  if (!Number.isFinite(low) || !Number.isFinite(high)) return " (no interval)";
  return ` [${decimal(low, digits)}${low < 0 || high < 0 ? " to " : "–"}${decimal(high, digits)}]`;
}

/** What each model that may be chosen reaches, the best first. */
export function modelLines(models: readonly ModelChoice[], unit: string): string[] {
  return models.map(
    ({ name, parameters, success, cost }) =>
      `model: ${name === null ? "" : `${safe(name)}, `}${count(parameters)} parameters: ${intervalText(success)} success at ${count(cost)} ${unit}`,
  );
}

/** Below figures that have intervals. */
export const BRACKETS = "Brackets: 95 % intervals; 80 % where it says so.";

/** Below every figure of such a fit. */
export const SIMULATED = "The fit rests on simulated runs: these figures say nothing about real training.";
