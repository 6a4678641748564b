import type { RunMetric } from "../core/table";
import { AlikeNames } from "./alike";
import { type Candidate, candidatesOf, fits, KEYS } from "./candidates";
import { matcher } from "./glob";
import { meaningOf } from "./metricNames";
import { cleaned, type Scale } from "./scale";
import type { Interest, MergedSeries, RunMetrics, Series } from "./series";
import { mergeRestarts } from "./series";
import { COMPANION_KEYS } from "./successKeys";

/** MLflow writes `@` as `_at_`, and some exporters prefix the table's name. */
export function plainName(key: string): string {
  return key.replace(/_at_(?=\d)/g, "@");
}

/** A word that every name of a success has: most names of a log have none, and need no closer look. */
const HINT =
  /succ|acc|correct|pass|scor|rew|return|solv|win_?rate|exact_match|avg@|goal|completion|(^|\/|_)(em|sr)(\/|$)/i;
const UNHINTED = KEYS.filter(({ entry }) => !HINT.test(entry.glob));

/** What a name means by the sheets, or by itself. A star at the beginning of a training key takes in no evaluation. */
function known(name: string): { readonly on: "evaluation" | "training" } | undefined {
  if (!HINT.test(name)) return UNHINTED.find(({ test }) => test(name) !== undefined)?.entry;
  const meaning = meaningOf(name.toLowerCase());
  const listed = KEYS.find(({ entry, test }) => fits(entry, test, name, meaning?.on));
  return listed?.entry ?? meaning;
}

/** Which metrics a reader keeps. With a user's own metric only that one (and what belongs beside it) counts. */
export function interest(metric: string | undefined): (key: string) => Interest {
  const own = metric === undefined ? undefined : matcher(metric);
  const alike = metric === undefined ? undefined : matcher(metric.toLowerCase());
  const wanted = (name: string, key: string): Interest => {
    if (own) return own(name) || own(key) || alike?.(name.toLowerCase()) ? "evaluation" : undefined;
    return (known(name) ?? known(name.toLowerCase()))?.on;
  };
  return (key) => {
    const name = plainName(key);
    const lower = name.toLowerCase();
    if (own === undefined && lower === "successes") return "evaluation";
    if (COMPANION_KEYS.has(name)) return "companion";
    const found = wanted(name, key);
    if (found) return found;
    if (COMPANION_KEYS.has(lower)) return "companion";
    const range = /^(.*)\/(min|max)$/.exec(key);
    return range && wanted(`${plainName(range[1])}/mean`, `${range[1]}/mean`) ? "range" : undefined;
  };
}

export interface SuccessChoice extends Omit<RunMetric, "window"> {
  /** Counts per evaluation beside the rate, when the log has them. */
  readonly counts?: { readonly successes: MergedSeries; readonly trials: MergedSeries };
  readonly series: MergedSeries;
  /** The unmerged series, by which a file with two runs is told. */
  readonly raw: Series;
  /** Values that could not be a share and were left out, and the first of them. */
  readonly left: number;
  readonly firstLeft?: { readonly value: number; readonly step: number; readonly line: number };
}

interface Refusal {
  readonly key: string;
  readonly reason: string;
}

export interface Chosen {
  readonly choice?: SuccessChoice;
  /** An evaluation before the first step, where the run has no later one. */
  readonly base?: number;
  readonly refusals: readonly Refusal[];
  readonly others: RunMetric["others"];
}

/**
 * The series that says how well the run did: the user's metric, or the best by one order. Evaluations come before the
 * training's own rollouts; a success rate before a score before a reward; the run's framework's names before others', and
 * those before names that only sound like it. Where an evaluation was refused, of the training only a success rate is taken.
 */
export function chooseSuccess(
  metrics: RunMetrics,
  metric: string | undefined,
  framework: string | undefined,
  scale?: Scale,
): Chosen {
  // In an order of their own: a mean over several must not depend on which of them a log states first.
  const names = [...metrics.series.keys()].sort();
  let candidates = candidatesOf(names, metric, framework, plainName);
  // Only where nothing is written as usual may it be written in other capitals.
  if (candidates.length === 0)
    candidates = candidatesOf(new AlikeNames(names).alone, metric?.toLowerCase(), framework, (key) =>
      plainName(key).toLowerCase(),
    );
  const refusals: Refusal[] = [];
  const others: { keys: readonly string[]; value: number | null; why: string }[] = [];
  let chosen: SuccessChoice | undefined;
  let base: number | undefined;
  let refused = false;
  for (const candidate of candidates) {
    const { keys, on, tells } = candidate;
    const name = keys.join(", ");
    const made = candidate.refused ?? madeOf(metrics, candidate, scale);
    if (typeof made === "string") {
      others.push({ keys, value: null, why: made });
      if (!chosen) refusals.push({ key: name, reason: `${name}: ${made}` });
      if (on !== "training") refused = true;
      continue;
    }
    const value = made.series.values[made.series.values.length - 1];
    const last = lastStep(made);
    if (last <= 0 && metrics.lastStep !== undefined && on !== "training") {
      base ??= value;
      others.push({ keys, value, why: "measured before the training only" });
      if (!chosen) refusals.push({ key: name, reason: `${name} was measured before the training only` });
      continue;
    }
    if (!chosen) {
      if (on === "training" && refused && tells !== "success") {
        others.push({ keys, value, why: "a reward of the training rollouts does not stand in for an evaluation" });
        continue;
      }
      chosen = { ...made, keys, on, tells, reason: candidate.reason, others };
    } else if (on === chosen.on && chosen.series.steps.length > 0 && lastStep(chosen) < ABANDONED * last) {
      // A metric that was renamed in the middle of the run: what the run came to is under its later name.
      const before = chosen.keys.join(", ");
      const why = `ends at step ${lastStep(chosen)}, and ${name} goes on to step ${last}`;
      refusals.push({ key: before, reason: `the names of the metrics change: ${before} ${why}, so ${name} is used` });
      others.push({ keys: chosen.keys, value: chosen.series.values[chosen.series.values.length - 1], why });
      chosen = { ...made, keys, on, tells, reason: `${candidate.reason}; it goes on after ${before} ends`, others };
    } else others.push({ keys, value, why: whyLost(chosen, candidate) });
  }
  const first = chosen && chosen.on !== "training" ? chosen.series : undefined;
  const atStart = first && first.steps.length > 0 && first.steps[0] <= 0 ? first.values[0] : undefined;
  const found = atStart ?? base;
  return { ...(chosen && { choice: chosen }), ...(found !== undefined && { base: found }), refusals, others };
}

function whyLost(chosen: Pick<Candidate, "on" | "tells">, { on, tells }: Pick<Candidate, "on" | "tells">): string {
  if (on !== chosen.on)
    return on === "training" ? "training rollouts; evaluations come first" : "not the stated metric";
  if (tells !== chosen.tells)
    return `a ${tells === "success" ? "success rate" : tells}; a ${chosen.tells === "success" ? "success rate" : chosen.tells} comes first`;
  return "another name of the same kind comes first";
}

/** A metric that ends before this share of the run is not the run's. */
const ABANDONED = 0.75;

function lastStep({ series }: Pick<SuccessChoice, "series">): number {
  return series.steps[series.steps.length - 1];
}

type Made = Pick<SuccessChoice, "series" | "raw" | "counts" | "scale" | "left" | "firstLeft">;

function madeOf(metrics: RunMetrics, { keys, tells, trials }: Candidate, scale: Scale | undefined): Made | string {
  if (trials !== undefined) return rateOfCounts(metrics, keys[0], trials);
  const parts: { raw: Series; series: MergedSeries; scale?: string; left: number; firstLeft?: Made["firstLeft"] }[] =
    [];
  for (const key of keys) {
    const raw = metrics.series.get(key);
    if (!raw) continue;
    const part = cleaned(mergeRestarts(raw), {
      tells,
      // A function that rewards right answers may be worth 2 points.
      mayBePercent: tells === "success" && !/reward/i.test(key),
      scale,
      range: metrics.ranges.get(plainName(key).replace(/\/mean$/, "")),
    });
    if (typeof part === "string") return keys.length > 1 ? `${key}: ${part}` : part;
    parts.push({ raw, ...part, ...(part.first && { firstLeft: part.first }) });
  }
  const [{ raw, scale: by, firstLeft }] = parts;
  const left = parts.reduce((sum, part) => sum + part.left, 0);
  const about = { left, ...(by !== undefined && { scale: by }), ...(firstLeft && { firstLeft }) };
  if (parts.length === 1) {
    const { series } = parts[0];
    const counted = metrics.series.get("trials");
    return { series, raw, ...about, ...(counted ? { counts: countsBeside(series, mergeRestarts(counted)) } : {}) };
  }
  const merged = parts.map(({ series }) => series);
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
  return { series: { steps, values, lines, restarts: merged.flatMap(({ restarts }) => restarts) }, raw, ...about };
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
    left: 0,
  };
}
