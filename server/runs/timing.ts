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
  const seconds = whole ? mean(withoutBesides(whole, besides)) : total(Object.values(phases));
  if (seconds === undefined || seconds <= 0) return undefined;
  const testing = evaluation && mean(evaluation.values, false);
  return {
    steps: (whole ?? any(PHASE_KEYS.generation.flat()))?.values.length ?? 0,
    secondsPerStep: seconds,
    phases,
    ...defined({
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
