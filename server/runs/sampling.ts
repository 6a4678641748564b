import type { RunSampling } from "../core/table";
import { defined } from "../records/defined";
import { keyMatcher } from "./glob";
import { DEAD_GROUP_KEYS, GENERATION_BATCH_KEYS, SUCCESS_KEYS } from "./successKeys";

interface Series {
  readonly values: readonly number[];
}

const TRAINING = SUCCESS_KEYS.filter(({ on }) => on === "training").map(({ glob }) => keyMatcher(glob));

/**
 * What a log says of its groups over all of its steps; undefined where it says nothing. A run that draws groups anew logs the
 * success of those that it kept, which tells no pass rate.
 */
export function samplingOf(
  names: Iterable<string>,
  named: (name: string) => Series | undefined,
  groupSize: number | undefined,
): RunSampling | undefined {
  const share = (found: Series | undefined): number | undefined =>
    found?.values.every((value) => value >= 0 && value <= 1) ? mean(found) : undefined;
  const generationBatches = mean(first(GENERATION_BATCH_KEYS, named));
  if (generationBatches !== undefined && generationBatches >= 1) return defined({ generationBatches, groupSize });
  const withoutSignal = share(first(DEAD_GROUP_KEYS, named));
  const all = [...names];
  const keys = TRAINING.flatMap((test) => all.filter((name) => test(name) !== undefined));
  const passRate = keys.map((key) => share(named(key))).find((rate) => rate !== undefined);
  if (withoutSignal === undefined && passRate === undefined) return undefined;
  return defined({ withoutSignal, passRate, groupSize });
}

function first(keys: readonly string[], named: (name: string) => Series | undefined): Series | undefined {
  return keys.map((key) => named(key)).find((series) => series !== undefined && series.values.length > 0);
}

function mean(series: Series | undefined): number | undefined {
  if (series === undefined || series.values.length === 0) return undefined;
  return series.values.reduce((sum, value) => sum + value, 0) / series.values.length;
}
