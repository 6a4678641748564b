import { knownLaw } from "../operations/fields";
import { storeQuery } from "../node/stores";
import { createRemoteHost } from "../node/remote/host";
import { isAbsolute, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { createEngine, type Engine as Operating, type FitChoice } from "../operations/engine";
import type { JobProgress } from "../operations/jobs";
import { runJob } from "../operations/runJob";
import { createGrammars } from "../syntax/treeSitter";
import { createFileCache } from "../node/cache";
import { createDuckdbAccelerator } from "../node/duckdb";
import { hostAt } from "./older";
import { createWorkerHost, toUri } from "../node/host";
import { spareMemory } from "./memory";
import { documentation, readAsset } from "../node/assets";
import { inPlaceRunner } from "../operations/runner";
import type { RunCache } from "../sources/read";
import type { Arguments, Options } from "./arguments";
import { InputError, type Io } from "./io";

/** Options of every command that reads run logs. */
export const CACHE_OPTIONS: Options = {
  cache: {
    kind: "text",
    value: "FOLDER",
    help: "keep what was read of run logs here: the next time only what has changed is read",
  },
};

/** Options of every command that needs a fit. */
export const FIT_OPTIONS: Options = {
  fit: { kind: "text", value: "FILE.fit.json", help: "the fit to use, instead of scaling.yaml's" },
  law: { kind: "text", value: "NAME", help: "the law for logs that scaling.yaml names: auto or one law" },
  seed: { kind: "count", value: "N", help: "seed of the refits (default 1)" },
  ...CACHE_OPTIONS,
};

/** Of commands that judge one experiment. */
export const EXPERIMENT: Options = {
  experiment: { kind: "text", value: "NAME", help: "one experiment of a file that holds several" },
};

/** What one command has been told by servers. */
const remembered = new Map<string, unknown>();
const remote = (allows: (uri: string) => boolean) => createRemoteHost(remembered, allows);

/** The engine on this machine's files. */
export class Engine {
  readonly host = createWorkerHost(spareMemory);
  readonly grammars = createGrammars(readAsset);
  readonly jobs = inPlaceRunner(this.host, (job, host, onProgress, signal) =>
    runJob(job, host, onProgress, signal, {
      grammars: this.grammars,
      accelerator: createDuckdbAccelerator(),
      stores: storeQuery,
      remote,
      cache: this.#cache,
    }),
  );

  readonly #cache: RunCache | undefined;

  constructor(
    readonly io: Io,
    cacheFolder?: string,
  ) {
    // An empty name (an unset variable) would be the present folder.
    if (cacheFolder === "") throw new InputError("--cache wants a folder");
    this.#cache = cacheFolder === undefined ? undefined : createFileCache(this.path(cacheFolder));
  }

  /** What the operations run on. */
  readonly operating: Operating = createEngine({
    host: this.host,
    jobs: this.jobs,
    stores: storeQuery,
    remote,
    grammars: this.grammars,
    uri: (name) => this.uri(name),
    shown: (uri) => this.shown(uri),
    documentation,
    hostAt: (base) => hostAt(this.host, this.io.cwd, base),
    onProgress: (progress) => (progress ? this.progress()?.(progress) : this.endProgress()),
  });

  path(name: string): string {
    return isAbsolute(name) ? name : resolve(this.io.cwd, name);
  }

  uri(name: string): string {
    return toUri(this.path(name));
  }

  /** A file's text; an InputError where it is not there or no file. */
  text(name: string): Promise<string> {
    return this.operating.text(name);
  }

  /** Whether a file's text gives the same bytes back. */
  async isUtf8(name: string): Promise<boolean> {
    try {
      new TextDecoder("utf-8", { fatal: true }).decode((await this.host.readFile(this.uri(name))) ?? new Uint8Array());
      return true;
    } catch {
      return false;
    }
  }

  /** A path for people: relative to the working directory where that is shorter. */
  shown(uri: string): string {
    try {
      const path = fileURLToPath(uri);
      const near = relative(this.io.cwd, path);
      return near === "" ? "." : near.startsWith("..") ? path : near;
    } catch {
      return uri;
    }
  }

  readonly #told = new Set<string>();

  /** Whether this is the first time that something is told of a file. */
  firstTime(uri: string): boolean {
    if (this.#told.has(uri)) return false;
    this.#told.add(uri);
    return true;
  }

  #shown = 0;

  /** Draws progress on one line of a terminal; nothing elsewhere. */
  progress(): ((progress: JobProgress) => void) | undefined {
    if (!this.io.interactive) return undefined;
    return ({ label, share }) => {
      const line = `${label} ${Math.round(100 * share)} %`;
      this.io.progress(`\r${line.padEnd(this.#shown)}`);
      this.#shown = line.length;
    };
  }

  endProgress(): void {
    if (this.#shown > 0) this.io.progress(`\r${"".padEnd(this.#shown)}\r`);
    this.#shown = 0;
  }
}

/** The fit that the options of a command ask for. */
export function fitChoice(args: Arguments): FitChoice {
  const [fit, law, seed] = [args.text("fit"), args.text("law"), args.number("seed")];
  if (law !== undefined) knownLaw(law, "--law");
  return {
    ...(fit !== undefined && { fit }),
    ...(law !== undefined && { law }),
    ...(seed !== undefined && { seed }),
  };
}
