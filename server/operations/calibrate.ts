import type { ExperimentBudget } from "../budget/budget";
import type { AxisName } from "../core/axes";
import { calibrateFit, type FitFile } from "../core/fit";
import { refused, type Result } from "../core/result";
import { levelsOf } from "../assessment/costs";

const AXES: readonly AxisName[] = ["tasks", "environments", "trajectories", "parameters"];

export interface Calibration {
  /** Measured success rate of a run with the budget's own amounts, in (0, 1). */
  readonly successRate: number;
  /** Distinct evaluation tasks behind it, where known. */
  readonly trials?: number;
  readonly draws?: number;
  readonly seed?: number;
}

/**
 * The published recipe as a law for one budget: its level set by one run's measured success, every exponent a prior. Codes:
 * `calibrate.rate`, `calibrate.levels`, and core's.
 */
export function calibratedRecipe(budget: ExperimentBudget, calibration: Calibration): Result<FitFile> {
  const { successRate, trials, draws, seed } = calibration;
  if (!(successRate > 0 && successRate < 1))
    return refused("calibrate.rate", "The measured success must be between 0 and 100 %.");
  const levels = levelsOf(budget);
  const axes = Object.fromEntries(AXES.flatMap((axis) => (levels[axis] === undefined ? [] : [[axis, levels[axis]]])));
  if (Object.keys(axes).length < 2)
    return refused(
      "calibrate.levels",
      "At least two of tasks, environments, trajectories and parameters must be known to calibrate the published recipe.",
    );
  const outcome = { kind: "rate", rate: successRate, ...(trials && { trials }) } as const;
  return calibrateFit(
    { id: "calibrating run", axes, outcome, setting: "", files: [] },
    { draws, seed, provenance: { kind: "published-recipe", successRate, ...(trials && { trials }), levels } },
  );
}
