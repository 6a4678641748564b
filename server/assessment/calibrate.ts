import { levelsOf } from "./costs";
import type { ExperimentBudget } from "../configs/budget";
import type { AxisName } from "../core/axes";
import type { Estimate } from "../core/estimate";
import type { FitFile } from "../core/fit";
import { FIT_FORMAT, FIT_VERSION, type AxisRange, type ExponentEstimate } from "../core/fit/file";
import { packDraws } from "../core/fit/pack";
import { PUBLISHED_EXPONENTS, RUN_NOISE } from "../core/fit/priors";
import { quantile } from "../core/fit/special";
import { modelOf } from "../core/laws/list";
import { random, seedOf } from "../core/random";
import { refused, ok, type Result } from "../core/result";

/** sd of ln α and of logit E in the prior (model.md of the method: few runs). */
const EXPONENT_SD = 0.5;
const FLOOR = { mean: -2, sd: 1 } as const;
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
 * The published recipe as a law: multiplicative, its exponents the ones that the paper's growth vector implies [inferred],
 * its level set by one run's measured success. Each draw takes exponents and floor from the prior and passes through the
 * measurement with its noise, so intervals are those of the prior. Codes: `calibrate.rate`, `calibrate.levels`.
 */
export function calibratedRecipe(budget: ExperimentBudget, calibration: Calibration): Result<FitFile> {
  const { successRate, trials } = calibration;
  if (!(successRate > 0 && successRate < 1)) return refused("calibrate.rate", "The measured success must be between 0 and 100 %.");
  const levels = levelsOf(budget);
  const axes = AXES.filter((axis) => levels[axis] !== undefined);
  if (axes.length < 2) return refused("calibrate.levels", "At least two of tasks, environments, trajectories and parameters must be known to calibrate the published recipe.");
  const ranges: Record<string, AxisRange> = {};
  for (const axis of axes) ranges[axis] = { min: levels[axis] ?? 1, max: levels[axis] ?? 1, centre: levels[axis] ?? 1, levels: 1 };
  const made = modelOf({ law: "multiplicative", variant: null, axes, scaleTop: 1, ranges }, "success");
  if (!made.ok) return made;
  const names = made.value.parameters.map(({ name }) => name);
  const seed = calibration.seed ?? 1;
  const stream = random(seedOf(seed, "calibration"));
  const noise = Math.sqrt(Math.exp(RUN_NOISE.mean) ** 2 + (trials ? (successRate * (1 - successRate)) / trials : 0));
  const draw = (exponents: readonly number[], logitFloor: number, rate: number): number[] => {
    const error = 1 - Math.min(1 - 1e-4, Math.max(1e-4, rate));
    // A floor above the measured error cannot be: the draw keeps at least a tenth of it to be won.
    const floor = Math.min(1 / (1 + Math.exp(-logitFloor)), 0.9 * error);
    return [floor, Math.log(error - floor), ...exponents];
  };
  const published = axes.map((axis) => PUBLISHED_EXPONENTS[axis] ?? 0.25);
  const point = draw(published, FLOOR.mean, successRate);
  const draws = Array.from({ length: calibration.draws ?? 1000 }, () =>
    draw(published.map((alpha) => Math.min(1.5, Math.max(0.02, alpha * Math.exp(EXPONENT_SD * stream.normal())))), FLOOR.mean + FLOOR.sd * stream.normal(), successRate + noise * stream.normal()));
  const interval = (p: number): Estimate => {
    const values = draws.map((one) => one[p]);
    return { estimate: point[p], low: quantile(values, 0.025), high: quantile(values, 0.975) };
  };
  const exponents: Record<string, ExponentEstimate> = {};
  axes.forEach((axis, i) => {
    exponents[axis] = { ...interval(2 + i), status: "prior", reason: "published growth vector, read as spend shares [inferred]", shares: { data: 0, prior: 1 } };
  });
  const floor = interval(0);
  return ok({
    format: FIT_FORMAT, version: FIT_VERSION, law: "multiplicative", link: "identity", rows: 1,
    settings: [{ setting: "", rows: 1, exponents, floor, dispersion: 1 }],
    parameters: Object.fromEntries(names.map((name, p) => [name, { ...interval(p), atBound: false }])),
    exponents, floor, objective: 0, starts: { count: 0, withinOnePercent: 0 }, selection: [], ordering: { axes, probability: null }, synthesis: {},
    warnings: [{ code: "fit.prior-only", message: "Every exponent is a published or inferred prior; one run sets the level." }],
    provenance: { kind: "published-recipe", successRate, ...(trials && { trials }), levels },
    dispersion: 1, draws: packDraws("posterior", names, draws), variant: null, loss: { name: "gaussian" }, noise, seed, response: "success", axes, scaleTop: 1, theta: point,
    ranges, refused: [], priorOnly: axes, reference: "", summary: [], pairs: [], worldsAndStructures: null, rivals: [], simulated: false,
    runs: [{ id: "calibrating run", axes: Object.fromEntries(axes.map((axis) => [axis, levels[axis] ?? NaN])), rate: successRate, ...(trials && { trials }), setting: "", heldOut: false }],
  });
}
