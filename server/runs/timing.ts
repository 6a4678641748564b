import type { RunTiming } from "../core/table";
import { defined } from "../records/defined";
import type { RunFacts } from "./options";
import { STEP_TIME_KEYS } from "./successKeys";
import { EVALUATION_KEYS, PHASE_KEYS, PROMPT_KEYS, RESPONSE_KEYS, SAVE_KEYS } from "./timingKeys";

interface Series {
  readonly steps: readonly number[];
  readonly values: readonly number[];
}

/** Means over the steps that a log times, the first apart where there are more: it compiles and fills caches. */
export function timingOf(named: (name: string) => Series | undefined, facts: RunFacts): RunTiming | undefined {
  const any = (keys: readonly string[]): Series | undefined => {
    for (const key of keys) {
      const found = named(key);
      if (found && found.values.length > 0) return found;
    }
    return undefined;
  };
  const evaluation = any(EVALUATION_KEYS);
  const besides = [evaluation, any(SAVE_KEYS)].filter((series) => series !== undefined);
  const whole = any(STEP_TIME_KEYS);
  const phases = defined({
    generation: sumOf(PHASE_KEYS.generation, named),
    passes: sumOf(PHASE_KEYS.passes, named),
    update: sumOf(PHASE_KEYS.update, named),
  });
  const timed = whole ? withoutBesides(whole, besides) : [];
  const seconds = whole ? mean(timed) : total(Object.values(phases));
  if (seconds === undefined || seconds <= 0) return undefined;
  const testing = evaluation && mean(evaluation.values, false);
  return {
    steps: (whole ?? any(PHASE_KEYS.generation.flat()))?.values.length ?? 0,
    secondsPerStep: seconds,
    phases,
    ...defined({
      wander: wanderOf(timed),
      variation: variationOf(timed),
      besides: besides.length > 0 ? besides.flatMap(scheduleOf) : undefined,
      secondsPerEvaluation: testing,
      promptTokens: mean(any(PROMPT_KEYS)?.values ?? []),
      responseTokens: mean(any(RESPONSE_KEYS)?.values ?? []),
      promptsPerStep: facts.promptsPerStep,
      groupSize: facts.groupSize,
      gpus: facts.gpus,
      framework: facts.framework,
    }),
  };
}

/** Steps lengthen as responses do, so that single steps tell less of the pace to come than stretches of them. */
function wanderOf(values: readonly number[]): RunTiming["wander"] {
  const told = values.slice(1);
  // Of the first few steps, each is a stretch.
  const stretches = told.length < 6 ? told.length : Math.min(10, Math.floor(told.length / 2));
  if (stretches < 3) return undefined;
  const means = Array.from({ length: stretches }, (_, i) => {
    const part = told.slice(Math.floor((i * told.length) / stretches), Math.floor(((i + 1) * told.length) / stretches));
    return part.reduce((sum, value) => sum + value, 0) / part.length;
  });
  const middle = means.reduce((sum, value) => sum + value, 0) / stretches;
  return { sd: Math.sqrt(means.reduce((sum, value) => sum + (value - middle) ** 2, 0) / (stretches - 1)), stretches };
}

function variationOf(values: readonly number[]): number | undefined {
  const told = values.slice(1);
  const middle = mean(told, false);
  if (told.length < 3 || middle === undefined) return undefined;
  return Math.sqrt(told.reduce((sum, value) => sum + (value - middle) ** 2, 0) / (told.length - 1)) / middle;
}

/** What comes at intervals, of what was logged: a single one sets its own step as the interval. */
function scheduleOf({ steps, values }: Series): { seconds: number; every: number }[] {
  const seconds = mean(values, false);
  const first = steps[0];
  const last = steps[steps.length - 1];
  const every = steps.length > 1 ? (last - first) / (steps.length - 1) : first;
  return seconds !== undefined && seconds > 0 && every >= 1 ? [{ seconds, every }] : [];
}

/** Evaluations and checkpoints fall into the time of the step that they follow. */
function withoutBesides(whole: Series, besides: readonly Series[]): number[] {
  return whole.values.map((value, i) => {
    const inside = besides.reduce((sum, series) => {
      const at = series.steps.indexOf(whole.steps[i]);
      return sum + (at < 0 ? 0 : series.values[at]);
    }, 0);
    return inside < value ? value - inside : value;
  });
}

function sumOf(
  groups: readonly (readonly string[])[],
  named: (name: string) => Series | undefined,
): number | undefined {
  for (const keys of groups) {
    const parts = keys.map((key) => mean(named(key)?.values ?? [])).filter((part) => part !== undefined);
    if (parts.length > 0) return total(parts);
  }
  return undefined;
}

function total(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0);
}

function mean(values: readonly number[], warmUp = true): number | undefined {
  const told = warmUp && values.length > 2 ? values.slice(1) : values;
  return told.length === 0 ? undefined : told.reduce((sum, value) => sum + value, 0) / told.length;
}
