import type { AxisName } from "../../axes";
import type { Problem } from "../../result";
import { bootstrap } from "./bootstrap";
import { centred, centreOf } from "./centre";
import { problemOf } from "../explore/believe";
import type { Parameter } from "../../laws/model";
import type { Coordinate } from "../../solve/priors";
import { drawsOf } from "../explore/parts";
import type { Candidate, Explored } from "../explore/plan";
import type { ExponentEstimate, FittedModel, FloorEstimate, ParameterEstimate, RefusedAxis } from "../file/file";
import { mixtureOf, noEffectOf } from "./mixture";
import { packDraws } from "../../numerics/packed";
import { samplePosterior } from "../../solve/posterior";
import { profileInterval } from "./profile";
import { varianceInflation } from "./sandwich";
import { clampedRows, scaleOf } from "../../solve/scale";
import { fisher95, quantile } from "../../numerics/special";

/** One setting's fit under the chosen law. */
export interface Concluded {
  readonly explored: Explored;
  readonly candidate: Candidate;
  readonly theta: Float64Array;
  /** Draws of the fitted model's θ: the law's parameters first. */
  readonly draws: readonly Float64Array[];
  readonly objective: number;
  readonly parameters: Readonly<Record<string, ParameterEstimate>>;
  readonly exponents: Readonly<Record<string, ExponentEstimate>>;
  readonly floor: FloorEstimate;
  readonly refused: readonly RefusedAxis[];
  readonly priorOnly: readonly AxisName[];
  readonly warnings: readonly Problem[];
  readonly fitted: FittedModel;
}

/** Intervals and draws for one law of an explored setting; null when cancelled. */
export function conclude(
  explored: Explored,
  candidate: Candidate,
  count: number,
  progress: (share: number) => boolean,
): Concluded | null {
  const { seen, loss, runs, context, ranges, posterior, plan } = explored;
  const { model, base } = candidate;
  const warnings: Problem[] = [];
  const refused: RefusedAxis[] = [...explored.identified.refused];
  const logCentre = base.axes.map((axis) => Math.log(ranges[axis].centre));
  let theta = candidate.fit.theta,
    draws: readonly Float64Array[];
  const shares = new Map<AxisName, { data: number; prior: number }>();
  const intervals = new Map<number, { low: number; high: number }>();

  if (posterior && candidate.parts) {
    const made = drawsOf(candidate.parts, count, plan.seed, () => progress(0.5));
    if (!made) return null;
    draws = made.draws;
    theta = centreOf(candidate, draws, seen);
    const { coordinates } = candidate.parts[0].problem;
    model.parameters.forEach((parameter, j) => {
      if (parameter.role !== "exponent" || parameter.axis === undefined || made.whole.length < 2) return;
      shares.set(parameter.axis, sharesOf(made.whole, j, spreadOf(coordinates[j], parameter)));
    });
  } else if (posterior) {
    const problem = problemOf(model, seen, runs, plan, context);
    const sample = samplePosterior(problem, candidate.mode!, count, plan.seed, progress);
    if (!sample) return null;
    draws = sample.draws;
    const z = problem.coordinates.map(
      (_, j) => sample.coordinates.reduce((sum, one) => sum + one[j], 0) / sample.coordinates.length,
    );
    theta = centred(
      model,
      Float64Array.from(z, (value, j) => problem.coordinates[j].theta(value)),
      draws,
      seen.u,
      seen.m,
    );
    if (sample.disagreement > 1.2)
      warnings.push({
        code: "posterior.unmixed",
        message: `The posterior chains agree only to R̂ = ${sample.disagreement.toFixed(2)}: take the intervals as rough.`,
      });
    model.parameters.forEach((parameter, j) => {
      if (parameter.role !== "exponent" || parameter.axis === undefined) return;
      shares.set(parameter.axis, sharesOf(sample.coordinates, j, spreadOf(problem.coordinates[j], parameter)));
    });
  } else {
    const made = bootstrap(
      model,
      seen,
      loss,
      explored.configurations,
      [theta, ...candidate.fit.alternatives],
      count,
      plan.seed,
      (done) => progress(0.2 + (0.8 * done) / count),
    );
    if (!made) return null;
    draws = made;
    const scale = scaleFor(explored, candidate),
      rise = (scale * fisher95(explored.freedom)) / 2;
    const inflation = loss.name === "huber" ? null : varianceInflation(model, theta, seen, loss, scale);
    model.parameters.forEach((parameter, j) => {
      if (parameter.role !== "exponent" && parameter.role !== "floor") return;
      const profile = profileInterval(
        model,
        seen,
        loss,
        theta,
        candidate.fit.objective,
        j,
        rise * (inflation?.[j] ?? 1),
      );
      // Huber's objective is no likelihood: there the profile only says whether the data hold the parameter at all.
      if (loss.name !== "huber") intervals.set(j, profile);
      const { axis } = parameter;
      if (
        parameter.role === "exponent" &&
        axis !== undefined &&
        profile.lowOpen &&
        profile.highOpen &&
        !refused.some((one) => one.axis === axis)
      ) {
        const reason = `Any exponent from ${parameter.low} to ${parameter.high} fits these runs about as well along ${axis}: they do not tell it.`;
        refused.push({ axis, level: ranges[axis].centre, code: "unbounded", reason });
        warnings.push({ code: "axis.unbounded", message: reason });
      }
    });
  }

  const natural = model.natural(theta, logCentre),
    drawn = draws.map((draw) => model.natural(draw, logCentre));
  const estimateOf = (j: number): { estimate: number; low: number; high: number } => {
    const own = intervals.get(j);
    if (own) return { estimate: natural[j], low: Math.min(own.low, natural[j]), high: Math.max(own.high, natural[j]) };
    const values = drawn.map((draw) => draw[j]);
    return {
      estimate: natural[j],
      low: Math.min(quantile(values, 0.025), natural[j]),
      high: Math.max(quantile(values, 0.975), natural[j]),
    };
  };
  const parameters: Record<string, ParameterEstimate> = {},
    exponents: Record<string, ExponentEstimate> = {};
  const idle = noEffectOf(explored);
  const priorOnly: AxisName[] = [],
    atBound: string[] = [];
  model.parameters.forEach((parameter, j) => {
    const tolerance = 1e-6 * (parameter.high - parameter.low);
    const pressed = theta[j] <= parameter.low + tolerance || theta[j] >= parameter.high - tolerance;
    parameters[parameter.name] = { ...estimateOf(j), atBound: pressed };
    if (pressed) atBound.push(parameter.name);
    if (parameter.role !== "exponent" || parameter.axis === undefined) return;
    const share = shares.get(parameter.axis),
      none = idle.get(parameter.axis);
    const status = share && Math.sqrt(share.prior) > 0.8 ? "prior" : "fitted";
    if (status === "prior") priorOnly.push(parameter.axis);
    exponents[parameter.axis] = {
      ...estimateOf(j),
      status,
      ...(share ? { shares: share } : {}),
      ...(none === undefined ? {} : { noEffect: none }),
    };
  });
  for (const { axis, reason } of refused)
    exponents[axis] = { estimate: null, low: null, high: null, status: "refused", reason };
  if (atBound.length > 0)
    warnings.push({
      code: "fit.at-bound",
      message: `The fit presses against a bound in ${atBound.join(", ")}: its value there is the bound's, not the data's.`,
    });
  const clamped = clampedRows(base, theta, seen);
  if (plan.response === "success" && !posterior && clamped.length > 0)
    warnings.push({
      code: "fit.clamped",
      message: `The law gives ${clamped.length === 1 ? "1 run" : `${clamped.length} runs`} a success rate outside 0 to 1 (${clamped
        .slice(0, 3)
        .map((i) => runs[i].row.id)
        .join(", ")}); the likelihood used the nearest possible rate.`,
    });
  if (priorOnly.length > 0)
    warnings.push({
      code: "exponent.prior",
      message: `The exponent of ${priorOnly.join(", ")} rests on the published prior: these runs add little to it.`,
    });

  const mixture = mixtureOf(explored, candidate, count, () => progress(0.95));
  if (!mixture) return null;
  const packed = packDraws(
    posterior ? "posterior" : "bootstrap",
    model.parameters.map((one) => one.name),
    draws,
  );
  return {
    explored,
    candidate,
    theta,
    draws,
    parameters,
    exponents,
    refused,
    priorOnly,
    warnings,
    objective: posterior ? objectiveAt(explored, candidate, theta) : candidate.fit.objective,
    floor: floorOf(explored, candidate, theta, draws, intervals, warnings),
    fitted: {
      law: base.law,
      variant: base.variant,
      axes: base.axes,
      scaleTop: context.top,
      theta: Array.from(theta.subarray(0, base.parameters.length)),
      draws: packed,
      ranges,
      refused,
      weight: mixture.weight,
      rivals: mixture.others,
      ...(base.law === "custom" && plan.custom ? { custom: plan.custom } : {}),
    },
  };
}

/** Standard deviation of a prior within its parameter's bounds: a wide one reaches beyond them. */
function spreadOf({ mean, sd, z }: Coordinate, { low, high }: Parameter): number {
  const [from, to] = [Math.max(z(low), mean - 6 * sd), Math.min(z(high), mean + 6 * sd)];
  let total = 0,
    first = 0,
    second = 0;
  for (let i = 0; i < 200; i++) {
    const at = from + ((to - from) * (i + 0.5)) / 200 - mean,
      weight = Math.exp(-0.5 * (at / sd) ** 2);
    total += weight;
    first += weight * at;
    second += weight * at * at;
  }
  return Math.sqrt(Math.max(second / total - (first / total) ** 2, 1e-12));
}

/** How much of an exponent's spread beforehand the runs took away, and how much is left. */
function sharesOf(points: readonly Float64Array[], j: number, prior: number): { data: number; prior: number } {
  const mean = points.reduce((sum, one) => sum + one[j], 0) / points.length;
  const sd = Math.sqrt(points.reduce((sum, one) => sum + (one[j] - mean) ** 2, 0) / Math.max(1, points.length - 1));
  const ratio = Math.min(sd / prior, 1);
  return { data: 1 - ratio * ratio, prior: ratio * ratio };
}

function floorOf(
  explored: Explored,
  { base, model }: Candidate,
  theta: Float64Array,
  draws: readonly Float64Array[],
  intervals: ReadonlyMap<number, { low: number; high: number }>,
  warnings: Problem[],
): FloorEstimate {
  const oneLevel = explored.identified.refused.filter((one) => one.code === "one-level").map((one) => one.axis);
  if (oneLevel.length > 0 && ["additive", "nested"].includes(base.law)) {
    return {
      estimate: null,
      low: null,
      high: null,
      reason: `The ${base.law} law cannot tell its floor from the term of ${oneLevel.join(", ")}, which has one level.`,
    };
  }
  const estimate = base.floor(theta);
  if (estimate === null) return { estimate: null, low: null, high: null, reason: "The law has no floor of its own." };
  if (oneLevel.length > 0)
    warnings.push({
      code: "floor.conditional",
      message: `The floor is that of the one level of ${oneLevel.join(", ")} that the runs have: more may lower it.`,
    });
  const at = model.parameters.findIndex((one) => one.role === "floor");
  const own = intervals.get(at);
  const values = draws.map((draw) => base.floor(draw)!);
  const [low, high] = own ? [own.low, own.high] : [quantile(values, 0.025), quantile(values, 0.975)];
  return { estimate, low: Math.min(low, estimate), high: Math.max(high, estimate) };
}

function objectiveAt({ seen, loss }: Explored, { model }: Candidate, theta: Float64Array): number {
  const e = new Float64Array(seen.m);
  model.evaluate(theta, seen.u, seen.m, e, null);
  return loss.evaluate(e, seen, new Float64Array(seen.m).fill(1), null, null);
}

/** Counts take φ of the richest law, so that a law that misfits is not excused by its own misfit; other losses their own scale. */
function scaleFor({ loss, seen, dispersion }: Explored, { model, fit }: Candidate): number {
  return loss.name === "binomial" ? dispersion : scaleOf(loss, model, fit.theta, seen);
}
