import type { ExperimentBudget } from "../budget/budget";
import type { AxisName } from "../core/axes";
import { calibrateFit, type FitFile } from "../core/fit";
import { refused, type Result } from "../core/result";
import * as z from "zod";
import { levelsOf } from "../assessment/costs";
import { experiment, file } from "./fields";
import { InputError } from "./inputError";
import { oneExperiment } from "./optimise";
import { saveFit } from "./saveFit";
import { readSuccess } from "./success";
import type { Operation } from "./operation";

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

const input = z.strictObject({
  file,
  experiment,
  success: z.string().min(1).describe("measured success of a run with this budget: 0.42, 42 or 42 %"),
  trials: z.int().min(1).optional().describe("distinct evaluation tasks behind it"),
  seed: z.int().min(0).optional().describe("seed of the draws (default 1)"),
  out: z.string().min(1).optional().describe("where to write the fit (default: the config's name with .fit.json)"),
});

export interface Calibrated {
  readonly fit: FitFile;
  readonly success: number;
  readonly saved: string;
  /** Where the file that stood there is kept; null where none did. */
  readonly kept: string | null;
  /** Axes of the recipe whose amount the config does not say: the fit is silent on them. */
  readonly missing: readonly AxisName[];
}

export const calibrate: Operation<z.infer<typeof input>, Calibrated> = {
  name: "calibrate",
  summary:
    "the published recipe as a fit file, its level set by one run's measured success; every figure is then a prior",
  input,
  writes: true,
  async run(engine, { file: name, experiment: wanted, success, trials, seed, out }, signal) {
    const rate = readSuccess(success);
    if (!rate.ok) throw new InputError(rate.problem.message, { file: name });
    const { budget } = oneExperiment(await engine.judge(name, {}, undefined, signal), wanted);
    const fit = calibratedRecipe(budget, { successRate: rate.value, trials, seed });
    if (!fit.ok) throw new InputError(fit.problem.message, { file: name });
    const saved = out ?? `${name.replace(/(?:\.budget)?\.[^./\\]+$/, "")}.fit.json`;
    const kept = await saveFit(engine, saved, fit.value, true);
    const missing = AXES.filter((axis) => !fit.value.axes.includes(axis));
    return { fit: fit.value, success: rate.value, saved, kept, missing };
  },
  json: ({ fit, success, saved, kept, missing }) => ({
    saved,
    kept,
    success,
    missing,
    law: fit.law,
    exponents: fit.exponents,
    floor: fit.floor,
    prior: true,
  }),
};
