import { isKnownAxis, type AxisName } from "../axes";
import type { Estimate } from "../estimate";
import type { FittedLaw } from "../laws/law";
import { multiplicative } from "../laws/multiplicative";
import { singleAxis } from "../laws/single";
import { random, seedOf, type Random } from "../numerics/random";
import { ok, refused, type Problem, type Result } from "../result";
import type { RunRow } from "../table";
import { FIT_FORMAT, FIT_VERSION, type ExponentEstimate, type FitFile, type ParameterEstimate } from "./file/file";
import { type AxisRange } from "../axes";
import { packDraws } from "../numerics/packed";
import { prepare } from "./data/prepare";
import { PUBLISHED_EXPONENTS, RUN_NOISE, type ExponentPriors } from "../solve/priors";
import { quantile } from "../numerics/special";
import { compactRun } from "./data/compact";

/** E a priori: logit E ~ N(−2, 1). */
const FLOOR = { mean: -2, sd: 1 } as const;

export interface CalibrateOptions {
  readonly draws?: number;
  readonly seed?: number;
  readonly priors?: ExponentPriors;
  readonly provenance?: Readonly<Record<string, unknown>>;
}

interface PriorDraw {
  readonly floor: number;
  readonly error: number;
}

/** E and the run's true error, given what one evaluation saw: E stays below the error. */
function drawErrors(stream: Random, observed: number, trials: number): PriorDraw {
  for (let attempt = 0; ; attempt++) {
    const floor = 1 / (1 + Math.exp(-(FLOOR.mean + FLOOR.sd * stream.normal())));
    const noise = Math.exp(RUN_NOISE.mean + RUN_NOISE.sd * stream.normal());
    const spread = Math.sqrt(noise ** 2 + (trials > 0 ? Math.max(observed * (1 - observed), 1 / trials) / trials : 0));
    const error = observed + spread * stream.normal();
    if (error > floor && error < 1) return { floor, error };
    if (attempt > 200)
      return { floor: 0.5 * Math.max(observed, 1e-3), error: Math.min(Math.max(observed, 2e-3), 0.999) };
  }
}

/**
 * The published multiplicative law put through one measured run: every exponent and the floor are prior, only the level is
 * data. Codes: those of a table, and `calibrate.one-success-rate`.
 */
export function calibrateFit(run: RunRow, options: CalibrateOptions = {}): Result<FitFile> {
  const prepared = prepare(
    { rows: [run], notes: [] },
    Object.keys(run.axes).filter(
      (axis) =>
        isKnownAxis(axis) &&
        run.axes[axis] !== undefined &&
        !(run.axes["environments"] !== undefined && (axis === "worlds" || axis === "structures")),
    ),
  );
  if (!prepared.ok) return prepared;
  if (prepared.value.response !== "success")
    return refused(
      "calibrate.one-success-rate",
      "The published law is about success rates: a run with a loss cannot calibrate it.",
    );
  const [one] = prepared.value.runs,
    axes = prepared.value.axes;
  const seed = options.seed ?? 1,
    count = options.draws ?? 1000;
  const ranges: Record<string, AxisRange> = Object.fromEntries(
    axes.map((axis) => [
      axis,
      { min: one.row.axes[axis]!, max: one.row.axes[axis]!, centre: one.row.axes[axis]!, levels: 1 },
    ]),
  );
  const model = (axes.length === 1 ? singleAxis : multiplicative).members(axes, {
    response: "success",
    top: 1,
    ranges,
  })[0];
  const stream = random(seedOf(seed, "calibrate"));
  const prior = (axis: AxisName): { median: number; sd: number } =>
    options.priors?.[axis] ?? {
      median: PUBLISHED_EXPONENTS[axis] ?? 0.25,
      sd: PUBLISHED_EXPONENTS[axis] === undefined ? 0.8 : 0.5,
    };
  const draws = Array.from({ length: count }, () => {
    const { floor, error } = drawErrors(stream, one.y, one.n);
    return Float64Array.from([
      floor,
      Math.log(error - floor),
      ...axes.map((axis) =>
        Math.min(1.5, Math.max(0.02, prior(axis).median * Math.exp(prior(axis).sd * stream.normal()))),
      ),
    ]);
  });
  // The estimate goes through the measured rate exactly; the floor is the median of what the rate leaves possible.
  const error = Math.min(Math.max(one.y, 1e-3), 0.999);
  const floor = Math.min(
    quantile(
      draws.map((draw) => draw[0]),
      0.5,
    ),
    0.9 * error,
  );
  const theta = Float64Array.from([floor, Math.log(error - floor), ...axes.map((axis) => prior(axis).median)]);
  const logCentre = axes.map((axis) => Math.log(ranges[axis].centre));
  const natural = model.natural(theta, logCentre),
    drawn = draws.map((draw) => model.natural(draw, logCentre));
  const shown = (j: number): Estimate => {
    const values = drawn.map((draw) => draw[j]);
    return {
      estimate: natural[j],
      low: Math.min(natural[j], quantile(values, 0.025)),
      high: Math.max(natural[j], quantile(values, 0.975)),
    };
  };
  const parameters: Record<string, ParameterEstimate> = Object.fromEntries(
    model.parameters.map((p, j) => [p.name, { ...shown(j), atBound: false }]),
  );
  const exponents: Record<string, ExponentEstimate> = Object.fromEntries(
    axes.map((axis, a) => [axis, { ...shown(2 + a), status: "prior" as const, shares: { data: 0, prior: 1 } }]),
  );
  const warnings: Problem[] = [
    ...prepared.value.warnings,
    {
      code: "fit.prior-only",
      message:
        "One run only sets the level: every exponent and the floor are priors inferred from the published results, not measured here.",
    },
  ];
  const order = ["environments", "worlds", "structures", "tasks", "trajectories"].filter((axis) => axes.includes(axis));
  const hits = draws.filter((draw) =>
    order.every((axis, i) => i === 0 || draw[2 + axes.indexOf(order[i - 1])] > draw[2 + axes.indexOf(axis)]),
  ).length;
  return ok({
    format: FIT_FORMAT,
    version: FIT_VERSION,
    law: model.law,
    link: "identity",
    rows: 1,
    settings: [{ setting: one.setting, rows: 1, exponents, floor: shown(0), dispersion: null }],
    parameters,
    exponents,
    floor: shown(0),
    objective: 0,
    starts: { count: 0, withinOnePercent: 0 },
    selection: [],
    ordering: { axes: order, probability: order.length > 1 ? hits / count : null },
    synthesis: {},
    warnings,
    provenance: options.provenance ?? {},
    dispersion: 1,
    draws: packDraws(
      "posterior",
      model.parameters.map((p) => p.name),
      draws,
    ),
    variant: null,
    loss: { name: "binomial" },
    noise: Math.exp(RUN_NOISE.mean),
    seed,
    response: "success",
    axes,
    scaleTop: 1,
    theta: Array.from(theta),
    ranges,
    refused: [],
    priorOnly: axes,
    rivals: [],
    reference: one.setting,
    summary: [],
    pairs: [],
    worldsAndStructures: null,
    simulated: run.simulated === true,
    runs: [compactRun(one, axes, "success", new Set())],
  });
}

export interface RelativeGain {
  /** Change of the success rate (0 to 1, not points) when the axis grows by `factor`, all else equal. */
  readonly gain: Estimate;
  readonly status: "fitted" | "prior";
}

/**
 * What growing one axis would change, from a run's last measured success alone: (e − E)(1 − factor^−α), which needs no level
 * of any axis. `law` gives α and E where it is a multiplicative (or single-axis) fit of success; else they are the priors.
 * Codes: `relative.rate`, `relative.factor`.
 */
export function relativeGains(
  measured: { readonly rate: number; readonly trials?: number },
  axes: readonly AxisName[],
  options: { readonly law?: FittedLaw; readonly factor?: number; readonly seed?: number; readonly draws?: number } = {},
): Result<Readonly<Record<string, RelativeGain>>> {
  const { law } = options,
    factor = options.factor ?? 2;
  if (!(measured.rate >= 0 && measured.rate <= 1))
    return refused("relative.rate", "The measured success rate is not between 0 and 1.");
  if (!(factor > 0 && Number.isFinite(factor)))
    return refused("relative.factor", "The factor is not a positive number.");
  const stream = random(seedOf(options.seed ?? 1, "relative"));
  const observed = 1 - measured.rate,
    count = options.draws ?? 2000;
  const usable =
    law && law.response === "success" && ["multiplicative", "single-axis"].includes(law.law) ? law : undefined;
  const shown = usable?.members?.[0] ?? usable;
  const told = shown?.draws.flatMap((draw) => draw.posynomial() ?? []) ?? [];
  const centre = shown?.point.posynomial() ?? null;
  const errors = Array.from({ length: count }, () => drawErrors(stream, observed, measured.trials ?? 0));
  const out: Record<string, RelativeGain> = {};
  for (const axis of axes) {
    const at = usable ? usable.axes.indexOf(axis) : -1;
    const fitted = at >= 0 && told.length > 0 && centre !== null && !usable!.refused.some((one) => one.axis === axis);
    const median = PUBLISHED_EXPONENTS[axis] ?? 0.25;
    const values = errors.map(({ floor, error }) => {
      const draw = fitted ? told[stream.below(told.length)] : null;
      const alpha = draw ? -draw.terms[0].exponents[at] : median * Math.exp(0.5 * stream.normal());
      return Math.max(0, error - (draw ? draw.floor : floor)) * (1 - factor ** -alpha);
    });
    const floor = fitted
      ? centre!.floor
      : quantile(
          errors.map((one) => one.floor),
          0.5,
        );
    const alpha = fitted ? -centre!.terms[0].exponents[at] : median;
    const estimate = Math.max(0, observed - floor) * (1 - factor ** -alpha);
    out[axis] = {
      gain: {
        estimate,
        low: Math.min(estimate, quantile(values, 0.025)),
        high: Math.max(estimate, quantile(values, 0.975)),
      },
      status: fitted && !usable!.priorOnly.includes(axis) ? "fitted" : "prior",
    };
  }
  return ok(out);
}
