import type { FitState } from "../assessment/types";
import type { RunForecast } from "../core/forecast/runs";
import type { Host } from "../host";
import { lawPrior } from "../operations/forecast";
import type { JobRunner } from "../operations/jobs";
import { type LiveConfig, LiveRuns } from "../operations/live";
import { JobCancelled } from "../operations/runner";
import type { Scaling } from "../operations/scaling";
import { describeError, type Log } from "./runSafe";

/** Milliseconds between two looks at logs that grow. */
export const LOOK_EVERY = 500;

/** Runs that are on in one folder: found by reading all logs, then followed by what these append. */
export class Live {
  readonly #host: Host;
  readonly #jobs: JobRunner;
  readonly #log: Log;
  readonly #runs: LiveRuns;
  #reading: AbortController | null = null;
  #isLooking = false;
  /** Folders of configs outside any `logs:`, whose own logs are read. */
  readonly #beside = new Set<string>();

  constructor(host: Host, jobs: JobRunner, log: Log) {
    this.#host = host;
    this.#jobs = jobs;
    this.#log = log;
    this.#runs = new LiveRuns(host);
  }

  /** Reads all logs that are named, to find those that are on. Of unchanged ones what was read before is kept. */
  async read(folderUri: string, scaling: Scaling | null): Promise<void> {
    const sources = [...(scaling?.file.logs.map(({ value }) => value) ?? []), ...this.#beside];
    this.#reading?.abort();
    if (sources.length === 0) return;
    const reading = new AbortController();
    this.#reading = reading;
    try {
      const { table } = await this.#jobs.run(
        { kind: "read-runs", folderUri, sources, ...(scaling && { scalingText: scaling.text }) },
        undefined,
        reading.signal,
      );
      if (this.#reading === reading) await this.#runs.take(table.rows);
    } catch (error) {
      if (!reading.signal.aborted && !(error instanceof JobCancelled))
        this.#log.warn(`Live runs of ${folderUri} cannot be read: ${describeError(error)}`);
    }
  }

  /** A config's own folder, where it holds logs: true where it is new. */
  async beside(folderUri: string, configFolder: string): Promise<boolean> {
    if (configFolder === folderUri || this.#beside.has(configFolder)) return false;
    const entries = await this.#host.list(configFolder);
    if (!entries.some(({ name, kind }) => kind === "file" && /\.(log|jsonl)$/i.test(name))) return false;
    this.#beside.add(configFolder);
    return true;
  }

  /** Looks at what is followed; where one look takes long, the next waits. */
  async look(): Promise<{ readonly changed: boolean; readonly reread: boolean }> {
    if (this.#isLooking || this.#runs.isEmpty) return { changed: false, reread: false };
    this.#isLooking = true;
    try {
      return await this.#runs.look(Date.now());
    } finally {
      this.#isLooking = false;
    }
  }

  follows(uri: string): boolean {
    return this.#runs.follows(uri);
  }

  /** @param usdPerGpuHour undefined where no price is known */
  forecastFor(config: LiveConfig, fit: FitState, usdPerGpuHour?: number): RunForecast | null {
    return this.#runs.forecastFor(config, {
      law: lawPrior(fit),
      ...(usdPerGpuHour !== undefined && { usdPerGpuHour }),
      key: fit,
    });
  }

  dispose(): void {
    this.#reading?.abort();
  }
}
