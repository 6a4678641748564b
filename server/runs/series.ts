import type { JsonObject } from "../records/json";
import { toNumber } from "../records/json";
import { type Ending, laterEnding } from "./state";

/** One metric of one run, in the order of the files: `steps[i]`, `values[i]` and the line it stands on (0: no lines). */
export interface Series {
  readonly steps: number[];
  readonly values: number[];
  readonly lines: number[];
}

/**
 * What a metric is to a run: a held-out success, the training rollouts' own, a number beside it (tokens, times), or the least
 * or the greatest single value behind one of them.
 */
export type Interest = "evaluation" | "training" | "companion" | "range" | undefined;

/** A series beyond this many points is thinned, but for its last ones: the value of a run rests on those. */
const MOST_POINTS = 8192;
const KEPT_WHOLE = 2048;
/** Metrics of one run that are kept, and names that are looked at. */
const MOST_SERIES = 2_000;
const MOST_NAMES = 20_000;

/** Key names kept for the note when no success metric is found. */
const NAMES_KEPT = 400;

/**
 * The numbers of one run as its logs give them. Only series that `wants` are kept: a log of a gigabyte holds a few
 * hundred evaluations that matter.
 */
export class RunMetrics {
  readonly series = new Map<string, Series>();
  /** The least and the greatest single value that the log states of a mean, by the mean's name without `/mean`. */
  readonly ranges = new Map<string, readonly [number, number]>();
  /** Every metric name seen (the first few hundred), wanted or not. */
  readonly names = new Set<string>();
  /** What the log itself says of its run: constant columns (axes, seed), W&B config, MLflow params. */
  readonly facts: Record<string, string | number> = {};
  /** The run's config in the framework's own shape, where the log carries it. */
  config: JsonObject | undefined;
  /** The run's own name, where the log states one. */
  name: string | undefined;
  /** Values of metrics beyond the most that are kept. */
  leftOut = 0;
  /** Values that were not finite, for one note. */
  nonFinite = 0;
  firstNonFinite: { key: string; line: number } | undefined;
  /** The highest step of any row, the step before it and the lowest. */
  lastStep: number | undefined;
  gap: number | undefined;
  firstStep: number | undefined;
  /** Steps that the log itself plans: a progress bar's total, a trainer's `max_steps`. */
  plannedSteps: number | undefined;
  /** What its steps count, where that is not training steps: `lines` without a step, `episode`, `epoch`, `samples`. */
  countedBy: string | undefined;
  /** The latest time that the log states, in milliseconds since 1970. */
  lastTime: number | undefined;
  /** What the lines after the last step say. */
  ending: Ending | undefined;
  readonly #wanted = new Map<string, Interest | null>();
  readonly #met = new WeakSet<readonly string[]>();
  readonly #wants: (key: string) => Interest;

  constructor(wants: (key: string) => Interest) {
    this.#wants = wants;
  }

  wants(key: string): boolean {
    return this.#kind(key) !== undefined;
  }

  /** Takes note of the names of a row's metrics; the same list again costs nothing. */
  meet(keys: readonly string[]): void {
    if (this.#met.has(keys)) return;
    this.#met.add(keys);
    for (const key of keys) this.#kind(key);
  }

  #kind(key: string): Interest {
    const known = this.#wanted.get(key);
    if (known !== undefined) return known ?? undefined;
    // A log of unbounded key names (one per request, say) must not fill the memory, nor the time.
    if (this.#wanted.size >= MOST_NAMES) return undefined;
    const wanted = this.#wants(key);
    this.#wanted.set(key, wanted ?? null);
    if (this.names.size < NAMES_KEPT && !/^_|^(step|run)$/i.test(key)) this.names.add(key);
    return wanted;
  }

  /** A row of this step was logged, whatever it holds. */
  reach(step: number): void {
    if (this.lastStep === undefined || step > this.lastStep) {
      if (this.lastStep !== undefined) this.gap = step - this.lastStep;
      this.lastStep = step;
    }
    if (this.firstStep === undefined || step < this.firstStep) this.firstStep = step;
  }

  add(key: string, step: number, value: number, line: number): void {
    if (Number.isFinite(step)) this.reach(step);
    if (!Number.isFinite(value)) {
      this.nonFinite++;
      this.firstNonFinite ??= { key, line };
      return;
    }
    const kind = this.#kind(key);
    if (kind === "range") {
      this.range(key.replace(/_at_(?=\d)/g, "@").replace(/\/(min|max)$/, ""), value);
      return;
    }
    let series = this.series.get(key);
    if (!series && this.series.size >= MOST_SERIES) {
      this.leftOut++;
      return;
    }
    if (!series) this.series.set(key, (series = { steps: [], values: [], lines: [] }));
    // No store of numbers keeps apart 0 and −0.
    series.steps.push(step + 0);
    series.values.push(value + 0);
    series.lines.push(line);
    if (kind !== "companion" && series.steps.length > MOST_POINTS) thin(series);
  }

  /** Takes a single value into the range of a mean. */
  range(mean: string, value: number): void {
    const [low, high] = this.ranges.get(mean) ?? [value, value];
    if (!this.ranges.has(mean) || value < low || value > high)
      this.ranges.set(mean, [Math.min(low, value), Math.max(high, value)]);
  }

  /** Takes over how far another part of the same run came, and how it ended. */
  told(other: RunMetrics): void {
    for (const step of [other.firstStep, other.lastStep]) if (step !== undefined) this.reach(step);
    this.gap = other.lastStep === this.lastStep ? (other.gap ?? this.gap) : this.gap;
    this.plannedSteps = Math.max(other.plannedSteps ?? 0, this.plannedSteps ?? 0) || undefined;
    this.lastTime = Math.max(other.lastTime ?? 0, this.lastTime ?? 0) || undefined;
    this.ending = other.ending ?? this.ending;
    this.countedBy ??= other.countedBy;
  }

  /**
   * A run that was resumed from a checkpoint stands where its last attempt is, and not where an abandoned one was. The metric that
   * was logged most often tells: evaluations may come late without any resumption.
   */
  settle(): void {
    let densest: Series | undefined;
    for (const series of this.series.values())
      if (!densest || series.steps.length > densest.steps.length) densest = series;
    if (!densest || rises(densest.steps)) return;
    const { steps, restarts } = mergeRestarts(densest);
    const n = steps.length;
    if (restarts.length === 0 || n === 0 || this.lastStep === undefined) return;
    const furthest = densest.steps.reduce((most, step) => Math.max(most, step), 0);
    if (steps[n - 1] >= furthest) return;
    this.lastStep = steps[n - 1];
    if (n > 1) this.gap = steps[n - 1] - steps[n - 2];
  }

  /** A line after the last step tells how the run ended. */
  end(ending: Ending): void {
    this.ending = laterEnding(this.ending, ending);
  }

  /** Lets go of all numbers taken so far. */
  forget(): void {
    this.series.clear();
    this.lastStep = this.firstStep = this.gap = undefined;
    this.ranges.clear();
    this.nonFinite = 0;
    this.firstNonFinite = undefined;
  }

  /** Takes the wanted numbers of one logged row. */
  addRow(row: JsonObject, step: number, line: number): void {
    for (const key in row) {
      if (!this.wants(key)) continue;
      const value = toNumber(row[key]);
      if (value !== undefined) this.add(key, step, value, line);
    }
  }
}

/** Drops every second point of the older part. */
function thin(series: Series): void {
  const old = series.steps.length - KEPT_WHOLE;
  for (const list of [series.steps, series.values, series.lines]) {
    let kept = 0;
    for (let i = 0; i < list.length; i++) if (i >= old || i % 2 === 0) list[kept++] = list[i];
    list.length = kept;
  }
}

/** A series without repeats: steps rise strictly. `restarts` names where it went back. */
export interface MergedSeries {
  readonly steps: readonly number[];
  readonly values: readonly number[];
  readonly lines: readonly number[];
  readonly restarts: readonly { readonly from: number; readonly to: number; readonly line: number }[];
  /** Where one step was written twice in a row with another value; the later one counts. */
  readonly repeated?: readonly { readonly step: number; readonly line: number }[];
  /** Values of earlier steps that were written late, as asynchronous evaluations are. */
  readonly late?: number;
}

/**
 * Merges restarts by step: a run that resumes from a checkpoint repeats steps, and what it then measures replaces what the
 * abandoned branch had measured from that step on. The same step written twice in a row keeps the later value. A step that
 * was never measured before and comes late (asynchronous evaluations end in any order) takes its place, and nothing is lost.
 */
export function mergeRestarts(series: Series): MergedSeries {
  if (rises(series.steps)) return { ...series, restarts: [], repeated: [] };
  const points: { step: number; value: number; line: number }[] = [];
  const held = new Set<number>();
  const restarts: { from: number; to: number; line: number }[] = [];
  const repeated: { step: number; line: number }[] = [];
  let late = 0;
  for (let i = 0; i < series.steps.length; i++) {
    const point = { step: series.steps[i], value: series.values[i], line: series.lines[i] };
    const last = points.at(-1);
    if (last && point.step < last.step) {
      if (measuresAgain(series.steps, i, last.step, held)) {
        restarts.push({ from: last.step, to: point.step, line: point.line });
        while (points.length > 0 && points[points.length - 1].step >= point.step)
          held.delete(points.pop()?.step ?? NaN);
      } else {
        let at = points.length;
        while (at > 0 && points[at - 1].step > point.step) at--;
        points.splice(at, 0, point);
        held.add(point.step);
        late++;
        continue;
      }
    } else if (last && point.step === last.step) {
      if (last.value !== point.value) repeated.push({ step: point.step, line: point.line });
      points.pop();
    }
    points.push(point);
    held.add(point.step);
  }
  return {
    steps: points.map(({ step }) => step),
    values: points.map(({ value }) => value),
    lines: points.map(({ line }) => line),
    restarts,
    repeated,
    ...(late > 0 && { late }),
  };
}

/** Whether the log, gone back at `from`, comes to a step that it held before it passes where it was. */
function measuresAgain(steps: readonly number[], from: number, last: number, held: ReadonlySet<number>): boolean {
  for (let i = from; i < steps.length && steps[i] <= last; i++) if (held.has(steps[i])) return true;
  return false;
}

/** Whether steps rise strictly. */
export function rises(steps: readonly number[]): boolean {
  for (let i = 1; i < steps.length; i++) if (!(steps[i] > steps[i - 1])) return false;
  return true;
}

/**
 * Where a series starts over from its beginning: each part is a run of its own (or the first attempt of one).
 * Returns the index of the first value of each part.
 */
export function startsOver(series: Series): number[] {
  const starts = [0];
  let first = series.steps[0];
  for (let i = 1; i < series.steps.length; i++) {
    if (series.steps[i] < series.steps[i - 1] && series.steps[i] <= first) {
      starts.push(i);
      first = series.steps[i];
    }
  }
  return starts;
}
