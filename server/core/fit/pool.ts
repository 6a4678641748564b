import type { AxisName } from "../axes";
import { EXPONENT_SPREAD, PUBLISHED_EXPONENTS } from "../solve/priors";
import type { Plan } from "./explore/plan";
import type { AxisSummary, ExponentEstimate } from "./file/file";
import type { Concluded } from "./intervals/conclude";
import { pooledAxis, type OwnWords } from "./settings/pooling";
import { effectOf, pooledDraws, summarise, withoutPrior, type Effect, type Pooled } from "./settings/settings";

/** Draws of every exponent that is not refused. */
export function columnsOf(one: Concluded): Map<AxisName, number[]> {
  const { model } = one.candidate;
  return new Map(
    model.parameters.flatMap((parameter, j): [AxisName, number[]][] =>
      parameter.role === "exponent" &&
      parameter.axis !== undefined &&
      !one.refused.some((stuck) => stuck.axis === parameter.axis)
        ? [[parameter.axis, one.draws.map((draw) => draw[j])]]
        : [],
    ),
  );
}

interface PooledSettings {
  readonly summary: AxisSummary[];
  readonly exponents: Record<string, ExponentEstimate>;
  readonly columns: Map<AxisName, ArrayLike<number>>;
}

/** Random-effects summary per axis over the settings that tell its exponent. */
export function pool(concluded: readonly Concluded[], plan: Plan, seed: number): PooledSettings {
  const out: PooledSettings = { summary: [], exponents: {}, columns: new Map() };
  if (concluded.length < 2) return out;
  const columns = concluded.map(columnsOf);
  const logarithmic = concluded.some((one) => one.explored.posterior);
  for (const axis of plan.axes) {
    const effects = concluded.flatMap((one, i): Effect[] => {
      const draws = columns[i].get(axis);
      if (!draws) return [];
      if (!logarithmic) return [effectOf(draws, one.exponents[axis].estimate!)];
      // Draws in which the axis has no effect have no logarithm; P(no effect) says how many they are.
      const logs = draws.filter((v) => v > 0).map((v) => Math.log(v));
      if (logs.length < 20) return [];
      const effect = effectOf(logs, logs.reduce((a, b) => a + b, 0) / logs.length);
      if (!one.explored.posterior) return [effect];
      const own = plan.priors?.[axis],
        published = PUBLISHED_EXPONENTS[axis];
      const freed = withoutPrior(effect, {
        value: Math.log(own?.median ?? published ?? 0.25),
        error: own?.sd ?? EXPONENT_SPREAD,
      });
      return freed ? [freed] : [];
    });
    const made = summarise(axis, effects, logarithmic);
    if (!made) continue;
    out.summary.push(made.summary);
    out.exponents[axis] = { ...made.summary.mean, status: "fitted" };
    out.columns.set(axis, drawsOf(made.pooled, seed, axis, logarithmic));
  }
  return out;
}

/** The same by partial pooling, for settings fitted under priors. */
export function pooledOf(words: OwnWords, seed: number): PooledSettings {
  const out: PooledSettings = { summary: [], exponents: {}, columns: new Map() };
  for (const [axis, effects] of words) {
    const made = pooledAxis(axis, effects, seed);
    if (!made) continue;
    out.summary.push(made.summary);
    out.exponents[axis] = { ...made.summary.mean, status: "fitted" };
    out.columns.set(axis, made.draws);
  }
  return out;
}

function drawsOf(pooled: Pooled, seed: number, axis: AxisName, logarithmic: boolean): Float64Array {
  const draws = pooledDraws(pooled, 4000, seed, axis);
  return logarithmic ? draws.map(Math.exp) : draws;
}
