import { AlikeNames } from "./alike";
import { captured, matcher } from "./glob";
import type { Interest, MergedSeries, RunMetrics, Series } from "./series";
import { mergeRestarts } from "./series";
import { COMPANION_KEYS, SUCCESS_KEYS, type SuccessKey } from "./successKeys";

/** MLflow writes `@` as `_at_`, and some exporters prefix the table's name. */
export function plainName(key: string): string {
  return key.replace(/_at_(?=\d)/g, "@");
}

const byGlob = SUCCESS_KEYS.map((entry) => ({ entry, test: matcher(entry.glob) }));

/** Which metrics a reader keeps. With a user's own metric only that one (and what belongs beside it) counts. */
export function interest(metric: string | undefined): (key: string) => Interest {
  const own = metric === undefined ? undefined : matcher(metric);
  const alike = metric === undefined ? undefined : matcher(metric.toLowerCase());
  return (key) => {
    const name = plainName(key);
    const lower = name.toLowerCase();
    if (own === undefined && lower === "successes") return "evaluation";
    if (COMPANION_KEYS.has(name)) return "companion";
    if (own && (own(name) || own(key) || alike?.(lower))) return "evaluation";
    const known = own ? undefined : (byGlob.find(({ test }) => test(name)) ?? byGlob.find(({ test }) => test(lower)));
    return known?.entry.on ?? (COMPANION_KEYS.has(lower) ? "companion" : undefined);
  };
}

export interface SuccessChoice {
  /** One key, or the several whose mean is taken. */
  readonly keys: readonly string[];
  readonly on: "evaluation" | "training" | "stated";
  /** Counts per evaluation beside the rate, when the log has them. */
  readonly counts?: { readonly successes: MergedSeries; readonly trials: MergedSeries };
  readonly series: MergedSeries;
  /** The unmerged series, by which a file with two runs is told. */
  readonly raw: Series;
}

export interface Refusal {
  readonly key: string;
  readonly reason: string;
}

/**
 * The series that says how well the run did: the user's metric, or the first of the key list that is there and lies in
 * [0, 1]. A framework's own keys come first.
 */
export function chooseSuccess(
  metrics: RunMetrics,
  metric: string | undefined,
  framework: string | undefined,
): { choice?: SuccessChoice; refusals: readonly Refusal[] } {
  const refusals: Refusal[] = [];
  // In an order of their own: a mean over several must not depend on which of them a log states first.
  const names = [...metrics.series.keys()].sort();
  let candidates = candidatesOf(names, metric, framework, plainName);
  // Only where nothing is written as usual may it be written in other capitals.
  if (candidates.length === 0)
    candidates = candidatesOf(new AlikeNames(names).alone, metric?.toLowerCase(), framework, (key) =>
      plainName(key).toLowerCase(),
    );
  let before: SuccessChoice | undefined;
  let chosen: SuccessChoice | undefined;
  for (const { on, keys, trials } of candidates) {
    if (chosen && on !== chosen.on) break;
    const made = trials === undefined ? meanOf(metrics, keys) : rateOfCounts(metrics, keys[0], trials);
    if (typeof made === "string") {
      if (!chosen) refusals.push({ key: keys.join(", "), reason: made });
      continue;
    }
    const choice: SuccessChoice = { keys, on, ...made };
    if (lastStep(choice) <= 0) before ??= choice;
    else if (!chosen) {
      if (before)
        refusals.push({
          key: before.keys.join(", "),
          reason: `${before.keys.join(", ")} was measured before the training only`,
        });
      chosen = choice;
    } else if (lastStep(chosen) < ABANDONED * lastStep(choice)) {
      // A metric that was renamed in the middle of the run: what the run came to is under its later name.
      refusals.push({
        key: chosen.keys.join(", "),
        reason: `the names of the metrics change: ${chosen.keys.join(", ")} ends at step ${lastStep(chosen)}, and ${keys.join(", ")}, which goes on to step ${lastStep(choice)}, is used`,
      });
      chosen = choice;
    }
  }
  const choice = chosen ?? before;
  return choice ? { choice, refusals } : { refusals };
}

interface Candidate {
  readonly on: SuccessChoice["on"];
  readonly keys: readonly string[];
  /** Beside a key that counts successes: the one that counts trials. */
  readonly trials?: string;
}

function candidatesOf(
  names: readonly string[],
  metric: string | undefined,
  framework: string | undefined,
  nameOf: (key: string) => string,
): Candidate[] {
  if (metric !== undefined) {
    const own = matcher(metric);
    const keys = names.filter((key) => own(key) || own(nameOf(key)));
    return keys.length > 0 ? [{ on: "stated", keys }] : [];
  }
  const candidates: Candidate[] = [];
  const [successes, trials] = ["successes", "trials"].map((ours) => names.find((key) => nameOf(key) === ours));
  if (successes !== undefined && trials !== undefined) candidates.push({ on: "evaluation", keys: [successes], trials });
  for (const entry of ordered(framework)) {
    const test = matcher(entry.glob);
    const keys = best(
      entry.glob,
      names.filter((key) => test(nameOf(key))),
      nameOf,
    );
    if (keys.length > 0) candidates.push({ on: entry.on, keys });
  }
  return candidates;
}

/** A metric that ends before this share of the run is not the run's. */
const ABANDONED = 0.75;

function lastStep({ series }: SuccessChoice): number {
  return series.steps[series.steps.length - 1];
}

function ordered(framework: string | undefined): readonly SuccessKey[] {
  if (!framework) return SUCCESS_KEYS;
  const rank = (entry: SuccessKey) =>
    (entry.on === "training" ? 2 : 0) + (entry.frameworks.includes(framework) || entry.frameworks.length === 0 ? 0 : 1);
  return SUCCESS_KEYS.map((entry, at) => ({ entry, at }))
    .sort((a, b) => rank(a.entry) - rank(b.entry) || a.at - b.at)
    .map(({ entry }) => entry);
}

/** Of `…/mean@1` and `…/mean@8` for one dataset, the one over more samples; every dataset counts once. */
function best(glob: string, keys: readonly string[], nameOf: (key: string) => string): string[] {
  if (!glob.endsWith("@*")) return [...keys];
  const bySource = new Map<string, { key: string; n: number }>();
  for (const key of keys) {
    const parts = (captured(glob, nameOf(key)) ?? "").split("|");
    const n = Number(parts[parts.length - 1]);
    if (!Number.isInteger(n)) continue;
    const source = parts.slice(0, -1).join("|");
    const held = bySource.get(source);
    if (!held || n > held.n) bySource.set(source, { key, n });
  }
  return [...bySource.values()].map(({ key }) => key);
}

type Made = Pick<SuccessChoice, "series" | "raw" | "counts">;

function outside(values: readonly number[]): number | undefined {
  return values.find((value) => value < 0 || value > 1);
}

function meanOf(metrics: RunMetrics, keys: readonly string[]): Made | string {
  const all = keys.map((key) => metrics.series.get(key)).filter((series) => series !== undefined);
  for (const [at, series] of all.entries()) {
    const bad = outside(series.values);
    if (bad !== undefined) return `${keys[at]} has the value ${bad}, and a success rate lies between 0 and 1`;
  }
  const raw = all[0];
  if (all.length === 1) {
    const trials = metrics.series.get("trials");
    const series = mergeRestarts(raw);
    return { series, raw, ...(trials ? { counts: countsBeside(series, mergeRestarts(trials)) } : {}) };
  }
  const merged = all.map(mergeRestarts);
  const at = merged.map((series) => new Map(series.steps.map((step, i) => [step, i])));
  const steps: number[] = [];
  const values: number[] = [];
  const lines: number[] = [];
  // Only steps at which every one of the keys was measured: a mean over changing members would jump.
  for (const [i, step] of merged[0].steps.entries()) {
    const places = at.map((map) => map.get(step));
    if (places.some((place) => place === undefined)) continue;
    steps.push(step);
    values.push(merged.reduce((sum, series, k) => sum + series.values[places[k] as number], 0) / merged.length);
    lines.push(merged[0].lines[i]);
  }
  if (steps.length === 0) return `${keys.join(", ")} are never measured at the same step`;
  return { series: { steps, values, lines, restarts: merged.flatMap(({ restarts }) => restarts) }, raw };
}

function countsBeside(rate: MergedSeries, trials: MergedSeries): SuccessChoice["counts"] {
  const at = new Map(trials.steps.map((step, i) => [step, trials.values[i]]));
  if (!rate.steps.every((step) => (at.get(step) ?? 0) > 0)) return undefined;
  const values = rate.steps.map((step) => at.get(step) as number);
  return {
    trials: { ...rate, values, restarts: [] },
    successes: { ...rate, values: rate.values.map((value, i) => value * values[i]), restarts: [] },
  };
}

function rateOfCounts(metrics: RunMetrics, successesKey: string, trialsKey: string): Made | string {
  const rawSuccesses = metrics.series.get(successesKey);
  const rawTrials = metrics.series.get(trialsKey);
  if (!rawSuccesses || !rawTrials) return "successes without trials";
  const successes = mergeRestarts(rawSuccesses);
  const trials = mergeRestarts(rawTrials);
  const at = new Map(trials.steps.map((step, i) => [step, trials.values[i]]));
  const keep = successes.steps
    .map((step, i) => ({ step, i, n: at.get(step) }))
    .filter(({ n }) => n !== undefined && n > 0);
  const bad = keep.find(({ i, n }) => successes.values[i] < 0 || successes.values[i] > (n as number));
  if (bad) return `${successes.values[bad.i]} successes of ${bad.n} trials at step ${bad.step}`;
  if (keep.length === 0) return "successes and trials never stand at the same step";
  const steps = keep.map(({ step }) => step);
  const lines = keep.map(({ i }) => successes.lines[i]);
  const k = keep.map(({ i }) => successes.values[i]);
  const n = keep.map((entry) => entry.n as number);
  const series = { steps, lines, restarts: successes.restarts };
  return {
    raw: rawSuccesses,
    series: { ...series, values: k.map((value, i) => value / n[i]) },
    counts: { successes: { ...series, values: k }, trials: { ...series, values: n } },
  };
}
