import type { RunSigns } from "../core/table";
import { defined } from "../records/defined";
import type { MergedSeries } from "./series";
import { DEAD_GROUP_KEYS, ENTROPY_KEYS } from "./successKeys";

/** Over which share of the steps a sign is taken: of its beginning, and of its end. */
const WINDOW = 0.1;

/** What a log says of why its run learns or does not; undefined where it says nothing. */
export function signsOf(series: (name: string) => MergedSeries | undefined): RunSigns | undefined {
  const dead = first(DEAD_GROUP_KEYS, series);
  const entropy = first(ENTROPY_KEYS, series);
  const deadGroups = dead && dead.values.every((value) => value >= 0 && value <= 1) ? late(dead) : undefined;
  const signs = defined({
    deadGroups,
    entropy: entropy && { now: late(entropy), first: early(entropy) },
  });
  return Object.keys(signs).length > 0 ? signs : undefined;
}

function first(names: readonly string[], series: (name: string) => MergedSeries | undefined): MergedSeries | undefined {
  for (const name of names) {
    const found = series(name);
    if (found && found.values.length >= 3) return found;
  }
  return undefined;
}

function late({ steps, values }: MergedSeries): number {
  const from = steps[steps.length - 1] * (1 - WINDOW);
  return mean(values.filter((_, i) => steps[i] >= from));
}

function early({ steps, values }: MergedSeries): number {
  const until = steps[steps.length - 1] * WINDOW;
  const begun = values.filter((_, i) => steps[i] <= until);
  return begun.length > 0 ? mean(begun) : values[0];
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
