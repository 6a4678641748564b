import type { RunRow } from "../core/table";
import type { ExperimentBudget } from "../budget/budget";
import { isKnown } from "../budget/budget";
import { forecaster, type Forecaster, type RunForecast, type RunForecastOptions } from "../core/forecast/runs";
import { isKnownAxis, KNOWN_AXES } from "../core/axes";
import type { Host } from "../host";
import { FollowedRun } from "../sources/live/follow";

/** A config as live runs are matched with it. */
export interface LiveConfig {
  readonly uri: string;
  /** The experiment's name in its file; `""` for the only one. */
  readonly name: string;
  /** Whether it is the file's only experiment, so that the file's name is its own. */
  readonly isOnly: boolean;
  readonly budget: ExperimentBudget;
}

/** Runs that no open config shows are looked at this many times less often. */
const UNSHOWN = 20;
/** So many runs count as shown: those that were asked for last. A lens asks once and then waits to be told, for hours if need be. */
const MOST_SHOWN = 20;

/** The runs of a folder that are on, and those that ended while they were followed. */
export class LiveRuns {
  readonly #host: Host;
  #forecast: Forecaster = forecaster([]);
  #followed: FollowedRun[] = [];
  #looks = 0;
  readonly #shown = new Set<string>();
  #ended = new Map<string, RunRow>();
  #made = new Map<string, { readonly row: RunRow; readonly key: unknown; readonly forecast: RunForecast | null }>();

  constructor(host: Host) {
    this.#host = host;
  }

  /** What was read of all logs: running rows are followed from here on. */
  async take(rows: readonly RunRow[]): Promise<void> {
    this.#forecast = forecaster(rows);
    const followed: FollowedRun[] = [];
    for (const row of rows) {
      if (row.state !== "running") {
        if (this.#ended.has(row.id)) this.#ended.set(row.id, row);
        continue;
      }
      const run = await FollowedRun.of(row, this.#host);
      if (run) followed.push(run);
    }
    this.#followed = followed;
  }

  get isEmpty(): boolean {
    return this.#followed.length === 0;
  }

  /** Bytes read of growing logs. */
  get bytes(): number {
    return this.#followed.reduce((sum, run) => sum + run.bytes, 0);
  }

  /** Whether a log's growth is told by following it, so that nothing need be read again for it. */
  follows(uri: string): boolean {
    return this.#followed.some(({ row }) => row.files.includes(uri));
  }

  /**
   * Looks at the followed logs: at those that are shown every time, at a twentieth of the others.
   * @param now milliseconds since 1970
   * @returns whether a run changed, and whether all must be read again: one has ended, or its log began anew
   */
  async look(now: number): Promise<{ readonly changed: boolean; readonly reread: boolean }> {
    let changed = false;
    let reread = false;
    const turn = this.#looks++ % UNSHOWN;
    const kept: FollowedRun[] = [];
    for (const [i, run] of this.#followed.entries()) {
      if (i % UNSHOWN !== turn && !this.#shown.has(run.row.id)) {
        kept.push(run);
        continue;
      }
      const look = await run.look(now);
      if (look === "restarted") reread = true;
      if (look === "changed") changed = true;
      if (look === "changed" && run.row.state !== "running") {
        this.#ended.set(run.row.id, run.row);
        reread = true;
      } else kept.push(run);
    }
    this.#followed = kept;
    return { changed, reread };
  }

  /** The run of a config that is on, or that ended under our eyes; null where there is none, or more than one. */
  forecastFor(config: LiveConfig, options: RunForecastOptions & { readonly key?: unknown } = {}): RunForecast | null {
    const live = [...this.#followed.map(({ row }) => row), ...this.#ended.values()];
    const row = matched(live, config);
    if (!row) return null;
    this.#shown.delete(row.id);
    this.#shown.add(row.id);
    const [oldest] = this.#shown;
    if (this.#shown.size > MOST_SHOWN) this.#shown.delete(oldest);
    const before = this.#made.get(row.id);
    if (before && before.row === row && before.key === options.key) return before.forecast;
    const forecast = this.#forecast(row, options);
    this.#made.set(row.id, { row, key: options.key, forecast });
    return forecast;
  }
}

/** Whether a config is a run's own: by its place, its name, or all of its levels. */
export function isConfigOf(row: RunRow, config: LiveConfig): boolean {
  return isBeside(row, config) || isNamed(row, config) || hasLevels(row, config);
}

/** The one run that a config belongs to: by its place, its name, or all of its levels. */
function matched(rows: readonly RunRow[], config: LiveConfig): RunRow | undefined {
  for (const test of [isBeside, isNamed, hasLevels]) {
    const found = rows.filter((row) => test(row, config));
    if (found.length > 0) return found.length === 1 ? found[0] : latest(found);
  }
  return undefined;
}

/** Of several attempts at one config the one that is on counts; of several that are on, none. */
function latest(rows: readonly RunRow[]): RunRow | undefined {
  const running = rows.filter(({ state }) => state === "running");
  return running.length === 1 ? running[0] : undefined;
}

/** The config stands in the run's folder, or up to two folders below it (`.hydra/`, `config/`). */
function isBeside(row: RunRow, { uri }: LiveConfig): boolean {
  const folder = uri.slice(0, uri.lastIndexOf("/") + 1);
  return row.files.some((file) => {
    const log = file.slice(0, file.lastIndexOf("/") + 1);
    const [short, long] = folder.length < log.length ? [folder, log] : [log, folder];
    if (!long.startsWith(short)) return false;
    const below = long.slice(short.length).split("/").length - 1;
    // A config above many runs is none of theirs in particular, but by name.
    return folder.length >= log.length
      ? below <= 2
      : below === 1 && /^(logs?|metrics|outputs?)\/$/.test(long.slice(short.length));
  });
}

function isNamed(row: RunRow, { uri, name, isOnly }: LiveConfig): boolean {
  const stem = uri.slice(uri.lastIndexOf("/") + 1).replace(/(\.budget)?\.\w+$/, "");
  const parts = row.id.split(/[/#]/).map((part) => part.replace(/\.(jsonl|log|txt|out|csv)$/, ""));
  return (
    (isOnly && parts.includes(stem)) || (name !== "" && (parts.includes(name) || parts.includes(`${stem}-${name}`)))
  );
}

/** Every level that the run states is the config's, two at least. */
function hasLevels(row: RunRow, { budget }: LiveConfig): boolean {
  // A run that is on has rolled out a part of its trajectories only.
  const stated = Object.entries(row.axes).filter(([axis]) => isKnownAxis(axis) && axis !== "trajectories");
  if (stated.length < 2) return false;
  return stated.every(([axis, level]) => {
    const known = KNOWN_AXES.find((each) => each === axis);
    if (known === undefined) return false;
    const fact = known === "parameters" ? budget.model.parameters : budget.axes[known];
    return fact !== undefined && isKnown(fact) && Math.abs(Number(fact.value) / (level ?? NaN) - 1) < 1e-6;
  });
}
