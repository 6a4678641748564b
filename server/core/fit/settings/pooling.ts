import type { AxisName } from "../../axes";
import { EXPONENT_BOUNDS } from "../../laws/model";
import { random, seedOf } from "../../numerics/random";
import { quantile } from "../../numerics/special";
import type { ExponentPriors } from "../../solve/priors";
import type { Candidate, Explored } from "../explore/plan";
import type { AxisSummary } from "../file/file";
import { randomEffects, withoutPrior, type Effect } from "./settings";

/** Exponents of settings differ by about this much in ln α beforehand. */
const BETWEEN = 0.3;

/** What the runs of each setting say of ln α by themselves, their priors taken out, by axis. */
export type OwnWords = ReadonlyMap<AxisName, { readonly own: (Effect | null)[]; readonly prior: Effect }>;

/** Null where a setting was not fitted under priors. */
export function ownWords(explored: readonly Explored[], candidates: readonly Candidate[]): OwnWords | null {
  if (explored.length < 2 || candidates.some(({ parts }) => parts === null)) return null;
  const words = new Map<AxisName, { own: (Effect | null)[]; prior: Effect }>();
  candidates.forEach(({ model, parts }, s) => {
    const { problem, sample } = parts![0];
    model.parameters.forEach(({ role, axis }, j) => {
      if (role !== "exponent" || axis === undefined) return;
      const { mean, sd } = problem.coordinates[j];
      let centre = 0,
        square = 0;
      sample.points.forEach((z, i) => (centre += sample.weights[i] * z[j]));
      sample.points.forEach((z, i) => (square += sample.weights[i] * (z[j] - centre) ** 2));
      const known = words.get(axis) ?? { own: explored.map(() => null), prior: { value: mean, error: sd } };
      known.own[s] = withoutPrior(
        { value: centre, error: Math.sqrt(Math.max(square, 1e-8)) },
        { value: mean, error: sd },
      );
      words.set(axis, known);
    });
  });
  return words;
}

/** ln α of one more setting as these say: mean and variance of their common centre, and how far settings lie apart. */
function centreOf(effects: readonly Effect[], prior: Effect): { mean: number; variance: number; between: number } {
  const found = randomEffects(effects)?.tau ?? BETWEEN,
    freedom = Math.max(0, effects.length - 1);
  // Two or three settings say little of how far settings lie apart: what is usual counts as two more.
  const between = Math.sqrt((freedom * found ** 2 + 2 * BETWEEN ** 2) / (freedom + 2));
  let precision = 1 / prior.error ** 2,
    sum = prior.value * precision;
  for (const { value, error } of effects) {
    const own = 1 / (error ** 2 + between ** 2);
    precision += own;
    sum += own * value;
  }
  return { mean: sum / precision, variance: 1 / precision, between };
}

/**
 * Partial pooling: the priors of a setting's exponents from what the *other* settings' runs say of theirs, so that a dozen runs in each
 * hold common exponents and levels of their own, and no run counts twice.
 */
export function priorsFromOthers(
  words: OwnWords,
  setting: number,
  published: (axis: AxisName) => number,
): ExponentPriors {
  const out: Record<string, { median: number; sd: number }> = {};
  for (const [axis, { own, prior }] of words) {
    const others = own.filter((one, s): one is Effect => s !== setting && one !== null);
    if (others.length === 0) continue;
    const { mean, variance, between } = centreOf(others, prior);
    // Back from the slope's own prior to an exponent's.
    out[axis] = {
      median: published(axis) * Math.exp(mean - prior.value),
      sd: Math.sqrt(variance + between ** 2),
    };
  }
  return out;
}

/** The exponents' common centre over settings with its draws, by the same model; axes that fewer than two settings tell are left out. */
export function pooledAxis(
  axis: AxisName,
  { own, prior }: { readonly own: readonly (Effect | null)[]; readonly prior: Effect },
  seed: number,
): { readonly summary: AxisSummary; readonly draws: Float64Array } | null {
  const effects = own.filter((one) => one !== null);
  if (effects.length < 2) return null;
  const { mean, variance, between } = centreOf(effects, prior);
  const stream = random(seedOf(seed, `pooled ${axis}`));
  const inside = (value: number): number =>
    Math.min(Math.max(Math.exp(value), EXPONENT_BOUNDS.low), EXPONENT_BOUNDS.high);
  const logs = Float64Array.from({ length: 4000 }, () => mean + Math.sqrt(variance) * stream.normal());
  const next = logs.map((one) => one + between * stream.normal());
  return {
    draws: logs.map(Math.exp),
    summary: {
      axis,
      settings: effects.length,
      mean: { estimate: inside(mean), low: inside(quantile(logs, 0.025)), high: inside(quantile(logs, 0.975)) },
      prediction: { low: inside(quantile(next, 0.025)), high: inside(quantile(next, 0.975)) },
      tau: between * Math.exp(mean),
      heterogeneity: randomEffects(effects)?.heterogeneity ?? 0,
    },
  };
}
