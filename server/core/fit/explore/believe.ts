import type { AxisName } from "../../axes";
import { checkCustomFit } from "../../laws/forms/customCheck";
import { lawFamily } from "../../laws/list";
import type { LawContext, Model } from "../../laws/model";
import { random, seedOf } from "../../numerics/random";
import { ok, type Problem, type Result } from "../../result";
import type { Observed } from "../../solve/likelihood";
import { posteriorMode, type Mode, type PosteriorProblem } from "../../solve/posteriorMode";
import {
  coordinates,
  observedScale,
  ONE_AXIS_NOISE,
  PUBLISHED_EXPONENTS,
  RUN_NOISE,
  type ExponentPriors,
} from "../../solve/priors";
import { fittedErrors, scaleOf } from "../../solve/scale";
import { startingPoints } from "../../solve/starts";
import type { Identified } from "../data/identify";
import type { Run } from "../../solve/run";
import { logSum, partsOf, wholePart } from "./parts";
import type { Candidate, Explored, Plan } from "./plan";
import { heldOutErrors, informationOf, missingUnderPriors } from "./scores";

/** Starts of each law, besides its prior's centre. */
const STARTS = 6;
/** Laws further below the best than this, in ln of Laplace evidence, are not sampled. */
const NEGLIGIBLE = 9;
/** ln evidence by which heavy tails must win before they are used. */
const HEAVY = 3;
/** Student's t with so many degrees of freedom. */
const TAILS = 4;

type Ready = Omit<Explored, "candidates" | "phi" | "dispersion" | "freedom">;
type Models = readonly { readonly base: Model; readonly model: Model }[];

/** ln of a law's share of belief beforehand: families are equal unless they say otherwise, members of one divide it. */
export function logShare({ base }: { readonly base: Model }, all: readonly { readonly base: Model }[]): number {
  const members = all.filter((one) => one.base.law === base.law).length;
  return Math.log((lawFamily(base.law)?.share?.(base.axes.length) ?? 1) / members);
}

/**
 * The laws under their priors: where each posterior is highest, its evidence with every axis and without some, and its scores.
 * Code: `fit.cancelled` and those of a custom law.
 */
export function believe(ready: Ready, models: Models, progress: () => boolean): Result<Explored> {
  const { runs, plan, context, raw: seen } = ready;
  const warnings: Problem[] = [...ready.warnings];
  const cancelled = { ok: false, problem: { code: "fit.cancelled", message: "The fit was cancelled." } } as const;
  const make =
    (tails?: number) =>
    (model: Model, rows: Observed): PosteriorProblem => ({
      ...problemOf(model, rows, runs, plan, context),
      ...(tails === undefined ? {} : { tails }),
    });
  let modes: { base: Model; model: Model; problem: PosteriorProblem; mode: Mode }[] = [];
  for (const one of models) {
    const problem = make()(one.model, seen);
    modes.push({ ...one, problem, mode: posteriorMode(problem, startsOf(problem, plan.seed)) });
    if (!progress()) return cancelled;
  }
  // A few runs that lie far off would pull every law: where Student's t explains the rest much better, it is used for all.
  let tails: number | undefined;
  const best = modes.reduce((a, b) => (b.mode.evidence > a.mode.evidence ? b : a));
  if (seen.m >= 8) {
    const heavy = posteriorMode(make(TAILS)(best.model, seen), [best.mode.z.subarray(0, best.mode.z.length - 1)]);
    if (heavy.evidence > best.mode.evidence + HEAVY) {
      tails = TAILS;
      modes = modes.map((one) => {
        const problem = make(TAILS)(one.model, seen);
        return { ...one, problem, mode: posteriorMode(problem, [one.mode.z.subarray(0, one.mode.z.length - 1)]) };
      });
    }
  }
  const written = modes.find(({ base }) => base.law === "custom");
  if (written) {
    const sound = checkCustomFit(
      fittedErrors(written.base, thetaAt(written.problem, written.mode.z), seen),
      plan.response,
      runs.map(({ row }) => row.id),
    );
    if (!sound.ok && plan.law === "custom") return sound;
    if (!sound.ok) {
      warnings.push(sound.problem);
      modes = modes.filter((one) => one !== written);
    }
  }
  const top = Math.max(...modes.map((one) => one.mode.evidence + logShare(one, modes)));
  const candidates: Candidate[] = [];
  for (const one of modes) {
    const { base, model, mode, problem } = one;
    const theta = thetaAt(problem, mode.z);
    const worth = mode.evidence + logShare(one, modes) > top - NEGLIGIBLE;
    const whole = worth ? wholePart(problem, mode, plan.seed) : null;
    const parts =
      whole && !plan.control && base.law !== "custom"
        ? partsOf(whole, make(tails), context, plan.seed)
        : whole && [whole];
    const out = heldOutErrors(problem, ready.heldOut, mode.z.subarray(0, mode.z.length - 1));
    candidates.push({
      base,
      model,
      fit: {
        theta,
        objective: -mode.likelihood,
        iterations: 0,
        converged: true,
        count: mode.starts,
        withinOnePercent: mode.agreeing,
        alternatives: [],
      },
      aicc: informationOf(problem, mode),
      heldOutRmse: out && rmse(out, heldOutOf(ready)),
      missing: missingUnderPriors(problem, mode),
      mode,
      parts,
      evidence: parts ? logSum(parts.map(({ score }) => score)) : mode.evidence,
    });
    if (!progress()) return cancelled;
  }
  const shown = candidates.reduce((a, b) => (b.evidence! > a.evidence! ? b : a));
  return ok({
    ...ready,
    ...(tails === undefined ? {} : { tails }),
    candidates,
    phi: ready.loss.name === "binomial" ? scaleOf(ready.loss, shown.model, shown.fit.theta, seen) : 1,
    dispersion: 1,
    freedom: Math.max(1, seen.m - shown.model.parameters.length),
    warnings,
  });
}

export function thetaAt({ coordinates: all }: PosteriorProblem, z: ArrayLike<number>): Float64Array {
  return Float64Array.from(all, (c, j) => c.theta(z[j]));
}

/** What the held-out runs saw. */
function heldOutOf({ raw, heldOut }: Ready): Float64Array {
  return raw.y.filter((_, i) => heldOut[i]);
}

function rmse(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] - b[i]) ** 2;
  return Math.sqrt(sum / a.length);
}

/** Starts from the data, in coordinates within three prior deviations. */
function startsOf({ model, seen, coordinates: all }: PosteriorProblem, seed: number): Float64Array[] {
  const stream = random(seedOf(seed, `starts ${model.law} ${model.variant ?? ""}`));
  return startingPoints(model, seen, "identity", STARTS, stream).map((theta) =>
    Float64Array.from(all, (c, i) => Math.min(Math.max(c.z(theta[i]), c.mean - 3 * c.sd), c.mean + 3 * c.sd)),
  );
}

/** An axis that stands for several co-scaled ones carries the sum of their exponents, each by how far it moves along their line. */
export function priorsFor(identified: Identified, own: ExponentPriors | undefined): ExponentPriors {
  const out: Record<string, { median: number; sd: number }> = {};
  const median = (axis: AxisName): number => own?.[axis]?.median ?? PUBLISHED_EXPONENTS[axis] ?? 0.25;
  for (const { axis, with: others, ray } of identified.refused) {
    if (!others || !ray || !identified.axes.includes(axis)) continue;
    const sum = others.reduce(
      (total, other) =>
        total + (median(other) * (identified.refused.find((one) => one.axis === other)?.ray ?? 0)) / ray,
      median(axis),
    );
    out[axis] = { median: Math.min(Math.max(sum, 0.05), 1), sd: 0.8 };
  }
  return { ...own, ...out };
}

export function problemOf(
  model: Model,
  seen: Observed,
  runs: readonly Run[],
  plan: Plan,
  context: LawContext,
): PosteriorProblem {
  const trials = Float64Array.from(runs, (run) => (plan.response === "success" ? run.n : 0));
  const counted = trials.every((n) => n > 0);
  return {
    model,
    seen,
    response: plan.response,
    trials,
    coordinates: coordinates(model, observedScale(plan.response, seen.y, context.top), plan.priors),
    // Losses have no published noise; rates without trials carry their evaluation noise in it too.
    noise:
      plan.response === "loss"
        ? { mean: Math.log(0.02), sd: 1.5 }
        : counted
          ? Object.keys(context.ranges).length === 1
            ? ONE_AXIS_NOISE
            : RUN_NOISE
          : { mean: Math.log(0.035), sd: 0.8 },
  };
}
