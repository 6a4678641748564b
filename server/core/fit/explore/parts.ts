import type { AxisName } from "../../axes";
import { lawFamily } from "../../laws/list";
import type { LawContext, Model } from "../../laws/model";
import type { Observed } from "../../solve/likelihood";
import { posteriorMode, type Mode, type PosteriorProblem } from "../../solve/posteriorMode";
import { importanceSample, resampled, type WeightedSample } from "../../solve/importance";
import { samplePosterior } from "../../solve/posterior";

/** Belief beforehand that an axis has no effect at all: a spike beside the prior of its exponent. */
const NO_EFFECT = 0.05;

/** One law with some of its axes taken to have no effect (usually none). */
export interface Part {
  readonly without: readonly AxisName[];
  readonly problem: PosteriorProblem;
  readonly mode: Mode;
  readonly sample: WeightedSample;
  /** ln (evidence × belief beforehand in this choice of axes). */
  readonly score: number;
  /** θ of the part as θ of the whole law: exponents of the axes left out are 0, their coefficients next to nothing. */
  embed(theta: ArrayLike<number>): Float64Array;
}

/** What a part's problem takes from the setting. */
export type MakeProblem = (model: Model, seen: Observed) => PosteriorProblem;

/** Further below the best than this, in ln, is not worth sampling. */
const NEGLIGIBLE = 7;
/** Points of an importance sample. */
const POINTS = 1200;
/** A sample worth fewer draws than this is handed to chains. */
const LEAST_SIZE = 120;

function beforehand(axes: number, without: number): number {
  return without * Math.log(NO_EFFECT) + (axes - without) * Math.log(1 - NO_EFFECT);
}

/** ln of the sum of exponentials. */
export function logSum(values: readonly number[]): number {
  const top = Math.max(...values);
  return top === -Infinity ? top : top + Math.log(values.reduce((sum, one) => sum + Math.exp(one - top), 0));
}

/** The law over every axis, sampled. */
export function wholePart(problem: PosteriorProblem, mode: Mode, seed: number): Part {
  const sample = importanceSample(problem, mode, POINTS, seed);
  return {
    without: [],
    problem,
    mode,
    sample,
    score: sample.evidence + beforehand(problem.model.axes.length, 0),
    embed: (theta) => Float64Array.from(theta),
  };
}

/** The same law with one axis, then two, of no effect, where the runs do not rule that out. */
export function partsOf(whole: Part, make: MakeProblem, context: LawContext, seed: number): Part[] {
  const parts = [whole];
  const { model } = whole.problem;
  const axes = model.axes;
  let round: readonly Part[] = [whole];
  for (let depth = 1; depth < axes.length && round.length > 0; depth++) {
    const next: Part[] = [];
    for (const parent of round)
      for (const axis of axes) {
        if (parent.without.includes(axis)) continue;
        const without = [...parent.without, axis].sort();
        if (next.some((one) => one.without.join() === without.join())) continue;
        const part = reduced(whole, without, make, context, seed, logSum(parts.map(({ score }) => score)));
        if (part) next.push(part);
      }
    const top = logSum([...parts, ...next].map(({ score }) => score));
    round = next.filter(({ score }) => score > top - 4);
    parts.push(...next);
  }
  return parts;
}

function reduced(
  whole: Part,
  without: readonly AxisName[],
  make: MakeProblem,
  context: LawContext,
  seed: number,
  top: number,
): Part | null {
  const { model, seen } = whole.problem;
  const axes = model.axes.filter((axis) => !without.includes(axis));
  const family = lawFamily(model.law);
  const less = (family?.reduced ?? family?.members)
    ?.call(family, axes, context)
    .find((one) => one.variant === model.variant);
  if (!less) return null;
  const u = new Float64Array(axes.length * seen.m);
  axes.forEach((axis, a) => {
    const from = model.axes.indexOf(axis) * seen.m;
    u.set(seen.u.subarray(from, from + seen.m), a * seen.m);
  });
  const problem = make({ ...less, law: model.law }, { ...seen, u });
  const names = less.parameters.map(({ name }) => name);
  const at = model.parameters.map(({ name }) => names.indexOf(name));
  const start = names.map((name) => whole.mode.z[model.parameters.findIndex((one) => one.name === name)] ?? 0);
  const mode = posteriorMode(problem, [start]);
  const believed = beforehand(model.axes.length, without.length);
  if (mode.evidence + believed < top - NEGLIGIBLE) return null;
  const sample = importanceSample(problem, mode, POINTS / 2, seed);
  return {
    without,
    problem,
    mode,
    sample,
    score: sample.evidence + believed,
    embed: (theta) =>
      Float64Array.from(model.parameters, (one, j) =>
        at[j] >= 0 ? theta[at[j]] : one.role === "exponent" ? 0 : one.role === "log-coefficient" ? one.low : 0,
      ),
  };
}

/** Draws of one law. */
export interface LawDraws {
  /** θ of the whole law. */
  readonly draws: readonly Float64Array[];
  /** z of those draws in which every axis has an effect. */
  readonly whole: readonly Float64Array[];
}

/** Draws over the parts of a law in proportion to their scores; chains take over where importance sampling does poorly. Null when cancelled. */
export function drawsOf(parts: readonly Part[], count: number, seed: number, progress: () => boolean): LawDraws | null {
  const total = logSum(parts.map(({ score }) => score));
  const draws: Float64Array[] = [],
    whole: Float64Array[] = [];
  for (const { score, sample, problem, mode, embed, without } of parts) {
    const share = Math.exp(score - total),
      some = Math.round(share * count);
    if (some === 0) continue;
    const points =
      sample.size < LEAST_SIZE && share > 0.05
        ? samplePosterior(problem, mode, some, seed, () => progress(), resampled(sample, 24, seed))?.coordinates
        : resampled(sample, some, seed);
    if (!points) return null;
    if (without.length === 0) whole.push(...points);
    for (const z of points) draws.push(embed(Float64Array.from(problem.coordinates, (c, j) => c.theta(z[j]))));
  }
  return { draws: interleaved(draws), whole };
}

/** Parts come one after the other: spread, so that any first draws are of all. */
function interleaved(draws: readonly Float64Array[]): Float64Array[] {
  const n = draws.length;
  return draws
    .map((draw, i) => ({ draw, at: (i * 0.6180339887498949) % 1 }))
    .sort((a, b) => a.at - b.at)
    .map(({ draw }) => draw)
    .slice(0, n);
}
