import { hashOf } from "../core/numerics/hash";
import { loadFit } from "../operations/fits";
import { loadedFit } from "../assessment/law";
import type { FitState } from "../assessment/types";
import type { Scaling } from "../operations/scaling";
import type { JobProgress, JobRunner } from "../operations/jobs";
import type { FitFile } from "../core/fit";
import { readScalingFile } from "../configs/scaling/scalingFile";
import type { Host } from "../host";
import type { Settings } from "../protocol";
import type { FolderView } from "./folders";
import { Live } from "./live";
import { addressesOf } from "../operations/globs";
import { describeError, type Log } from "./runSafe";
import { JobCancelled } from "../operations/runner";

export interface ProjectTools {
  readonly host: Host;
  readonly jobs: JobRunner;
  readonly log: Log;
  /** Something that documents show has changed. */
  readonly changed: () => void;
  /** Only the status has changed. */
  readonly progressed: () => void;
}

/** Milliseconds between two times that the stores of `logs:` are asked whether they hold anything new. */
const ASK_STORES_EVERY = 30_000;

/** Where a value stands in the file says nothing about the fit. */
function withoutPlaces(key: string, value: unknown): unknown {
  return key === "span" ? undefined : value;
}

/** A folder with its `scaling.yaml` and the fit in force. Each has its own; a workspace may hold many. */
export class Project {
  readonly folderUri: string;
  /** Runs that are on. */
  readonly live: Live;
  readonly #tools: ProjectTools;
  readonly #storeTimer: ReturnType<typeof setInterval>;
  #settings: Settings | null = null;
  #scaling: Scaling | null;
  #fit: FitState = { kind: "none", reason: "nothing was read yet" };
  /** A fit that a command put in force, until the window closes or `scaling.yaml` names another. */
  #override: FitState | null = null;
  #passRates: readonly number[] | undefined;
  #key = "";
  #generation = 0;
  #running: AbortController | null = null;
  #making: Promise<void> | null = null;
  #asking: AbortController | null = null;
  /** What the stores held when they were asked last. */
  #storesKey: string | undefined;
  #progress: JobProgress | null = null;

  constructor(folderUri: string, scaling: Scaling | null, tools: ProjectTools) {
    this.folderUri = folderUri;
    this.#scaling = scaling;
    this.#tools = tools;
    this.live = new Live(tools.host, tools.jobs, tools.log);
    this.#storeTimer = setInterval(() => this.#settings && void this.askStores(this.#settings), ASK_STORES_EVERY);
    // In Node a timer keeps the process alive; a browser's is a number.
    if (typeof this.#storeTimer === "object") (this.#storeTimer as { unref?(): void }).unref?.();
  }

  get scaling(): Scaling | null {
    return this.#scaling;
  }

  get fit(): FitState {
    return this.#override ?? this.#fit;
  }

  /** What is being done now, where a fit is running. */
  get busy(): JobProgress | null {
    return this.#running ? (this.#progress ?? { label: "Fitting", share: 0 }) : null;
  }

  get scalingUri(): string {
    return this.#scaling?.file.uri ?? `${this.folderUri}/scaling.yaml`;
  }

  view(): FolderView {
    const { scalingUri } = this;
    return {
      id: `${this.folderUri}#${this.#generation}`,
      uri: this.folderUri,
      fit: this.fit,
      busy: this.busy,
      ...(this.#passRates && { passRates: this.#passRates }),
      scaling: this.#scaling?.file ?? null,
      pins: this.#scaling?.file.pin ?? [],
      scalingUri,
      scalingExists: this.#scaling !== null,
      diagnosticsOf: (text) => readScalingFile(scalingUri, text).diagnostics,
    };
  }

  /** Brings the fit up to date with `scaling.yaml` and the settings; does nothing where neither changed what the fit rests on. */
  refit(settings: Settings, force = false): void {
    this.#settings = settings;
    const file = this.#scaling?.file;
    const key = file
      ? hashOf(
          JSON.stringify(
            [
              file.fit?.value,
              file.logs.map(({ value }) => value),
              file.metric?.value,
              file.final,
              file.scale,
              file.columns,
              file.law?.value,
              file.facts,
              settings.fit.law,
              settings.fit.bootstrap,
            ],
            withoutPlaces,
          ),
        )
      : "none";
    if (key === this.#key && !force) return;
    this.#key = key;
    this.#running?.abort();
    const running = new AbortController();
    this.#running = running;
    this.#progress = null;
    this.#tools.progressed();
    if (this.#fit.kind !== "ready" && file && (file.fit || file.logs.length > 0))
      this.#set({ kind: "pending", reason: "the run logs are being fitted" });
    const { host, jobs, log } = this.#tools;
    const making: Promise<void> = loadFit({
      host,
      jobs,
      folderUri: this.folderUri,
      scaling: this.#scaling,
      law: settings.fit.law,
      bootstrap: settings.fit.bootstrap,
      signal: running.signal,
      onProgress: (progress) => {
        this.#progress = progress;
        this.#tools.progressed();
      },
    })
      .then(
        (state) => {
          if (this.#running === running) this.#finish(state);
        },
        (error: unknown) => {
          if (this.#running !== running || error instanceof JobCancelled) return;
          log.error(`Fitting in ${this.folderUri} failed: ${describeError(error)}`);
          this.#finish({
            kind: "failed",
            code: "fit.failed",
            reason: error instanceof Error ? error.message : String(error),
            notes: [],
          });
        },
      )
      .finally(() => {
        if (this.#making === making) this.#making = null;
        if (this.#running === null) void this.readLive();
      });
    this.#making = making;
  }

  /** Finds the runs that are on, after the fit has read the same logs. */
  async readLive(): Promise<void> {
    await this.live.read(this.folderUri, this.#scaling);
    this.#tools.changed();
  }

  /**
   * Asks the stores that `logs:` names whether they hold something else than the last time: only what is new of them travels. A
   * fit is made again where they do, so that a store that was gone is read by itself once it is back.
   */
  async askStores(settings: Settings): Promise<void> {
    const { file, text: scalingText } = this.#scaling ?? {};
    const sources = addressesOf((file?.logs ?? []).map(({ value }) => value));
    if (sources.length === 0 || file?.fit || this.#asking || this.#running || !settings.fit.refitOnChange) return;
    const asking = new AbortController();
    this.#asking = asking;
    try {
      const { table } = await this.#tools.jobs.run(
        { kind: "read-runs", folderUri: this.folderUri, sources, scalingText },
        undefined,
        asking.signal,
      );
      // A note that says of when its table is changes with the clock.
      const codes = table.notes.map(({ code }) => code).filter((code) => code.startsWith("store."));
      const key = hashOf(JSON.stringify([table.rows, codes]));
      const before = this.#storesKey;
      const isOther = before === undefined ? this.#fit.kind === "failed" && table.rows.length > 0 : before !== key;
      this.#storesKey = key;
      if (isOther && !asking.signal.aborted) this.refit(settings, true);
    } catch (error) {
      if (!asking.signal.aborted && !(error instanceof JobCancelled))
        this.#tools.log.warn(`Stores of ${this.folderUri} cannot be asked: ${describeError(error)}`);
    } finally {
      this.#asking = null;
    }
  }

  /** `scaling.yaml` was read again. */
  rescale(scaling: Scaling | null, settings: Settings): void {
    const same = scaling?.text === this.#scaling?.text && scaling?.file.uri === this.#scaling?.file.uri;
    const named = scaling?.file.fit?.value !== this.#scaling?.file.fit?.value;
    this.#scaling = scaling;
    if (named) this.#override = null;
    if (!same) {
      this.#generation++;
      this.#tools.changed();
    }
    this.refit(settings);
  }

  /** Puts a fit in force that nothing on disk names. */
  override(file: FitFile, name: string): FitState {
    this.#override = loadedFit(file, name, hashOf(JSON.stringify(file)));
    this.#generation++;
    this.#tools.changed();
    return this.#override;
  }

  /** The fit in force once none is being made: what a cell waits for. */
  async settled(signal?: AbortSignal): Promise<FitState> {
    while (this.#making) {
      signal?.throwIfAborted();
      await this.#making;
    }
    return this.fit;
  }

  /** Pass rates of the tasks, from rollouts that were measured. */
  measured(passRates: readonly number[]): void {
    this.#passRates = passRates;
    this.#generation++;
    this.#tools.changed();
  }

  dispose(): void {
    this.live.dispose();
    this.#asking?.abort();
    clearInterval(this.#storeTimer);
    this.#running?.abort();
    this.#running = null;
  }

  #finish(state: FitState): void {
    this.#running = null;
    this.#progress = null;
    for (const note of state.kind === "failed" ? state.notes : state.kind === "ready" ? state.fit.notes : []) {
      const place = note.file ? ` (${note.file}${note.line ? `:${note.line}` : ""})` : "";
      this.#tools.log[note.severity === "error" ? "error" : note.severity === "warning" ? "warn" : "info"](
        `${note.code}: ${note.message}${place}`,
      );
    }
    if (state.kind === "failed") this.#tools.log.error(`No fit for ${this.folderUri}: ${state.reason}`);
    this.#set(state);
  }

  /** Documents are refreshed only where what they show changes. */
  #set(state: FitState): void {
    const before = this.#fit;
    this.#fit = state;
    const same =
      before.kind === state.kind &&
      (before.kind === "ready" && state.kind === "ready"
        ? before.fit.id === state.fit.id
        : "reason" in before && "reason" in state && before.reason === state.reason);
    if (!same) this.#generation++;
    this.#tools.changed();
  }
}
