import { KNOWN_AXES } from "../core/axes";
import type { SyntheticShare } from "../core/table";
import { type Columns, FACTS } from "./columns";
import { toNumber } from "../records/json";
import type { RunFacts } from "./options";
import type { RunMetrics } from "./series";
import { defined } from "../records/defined";

/** Whether a column of a log says something constant about its run. */
export function factColumn(name: string, columns: Columns): boolean {
  return FACTS.some((ours) => columns.name(ours) === name);
}

/** Whether a column of facts holds numbers; those of the others are names, as they are written. */
export function isAmount(name: string, columns: Columns): boolean {
  return [
    "reward_density",
    "tokens_per_trajectory",
    ...KNOWN_AXES.flatMap((axis) => [axis, `${axis}_real`, `${axis}_synthetic`]),
  ].some((ours) => columns.name(ours) === name);
}

/** Facts that the rows of a log repeat about their run (`tasks`, `seed`, …), by our names. */
export function factsOfLog(metrics: RunMetrics, mapping: Columns): RunFacts {
  const columns = mapping.within(new Set(Object.keys(metrics.facts)));
  const raw = (ours: string) => metrics.facts[columns.name(ours)];
  const number = (ours: string, ok: (value: number) => boolean) => {
    const value = toNumber(raw(ours));
    return value !== undefined && Number.isFinite(value) && ok(value) ? value : undefined;
  };
  const word = (ours: string) => (raw(ours) === undefined ? undefined : String(raw(ours)));
  const axes: Record<string, number> = {};
  const synthesis: Record<string, SyntheticShare> = {};
  for (const axis of KNOWN_AXES) {
    const level = number(axis, (value) => value > 0);
    if (level !== undefined) axes[axis] = level;
    const real = number(`${axis}_real`, (value) => value >= 0);
    const synthetic = number(`${axis}_synthetic`, (value) => value >= 0);
    if (real !== undefined && synthetic !== undefined)
      synthesis[axis] = { real, synthetic, method: word(`${axis}_method`) ?? "unnamed" };
  }
  return defined({
    axes: Object.keys(axes).length > 0 ? axes : undefined,
    levels:
      Object.keys(axes).length > 0 ? Object.fromEntries(Object.keys(axes).map((axis) => [axis, "the log"])) : undefined,
    setting: word("setting"),
    seed: word("seed"),
    model: word("model"),
    algorithm: word("algorithm"),
    domain: word("domain"),
    rewardScheme: word("reward_scheme"),
    rewardDensity: number("reward_density", (value) => value > 0 && value <= 1),
    tokensPerTrajectory: number("tokens_per_trajectory", (value) => value > 0),
    synthesis: Object.keys(synthesis).length > 0 ? synthesis : undefined,
  });
}
