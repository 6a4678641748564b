import type { ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { AcceleratorFailure, type ScanBatch, type ScanRequest, type TableAccelerator } from "../runs/options";
import { type DuckdbPlaces, DuckdbProcess } from "./duckdbProcess";

/** Below this the plain reader is done before DuckDB has loaded. */
const WORTHWHILE = 64 * 1024 * 1024;

/** On fewer cores the plain reader is done earlier: DuckDB takes as much work or more, only on several at once. */
const CORES = 4;

/** What a file up to this size gives is held in the child as a whole, which is faster than to stream it. */
const HELD_WHOLE = 2 * 1024 ** 3;

export interface DuckdbOptions {
  /** Folder of the child's program and, there or above it, of the native package (default: this bundle's). */
  readonly folder?: string;
  readonly worthwhile?: number;
  /** Processor cores of the machine. */
  readonly cores?: number;
  /** Told of each child, for tests that kill it. */
  readonly onChild?: (child: ChildProcess) => void;
}

/** The native package is looked for beside the program (`native/`, in packages that carry it), then above it; nowhere else, least of all in the workspace. */
function placesIn(folder: string): DuckdbPlaces | undefined {
  const program = join(folder, "duckdb.js");
  if (!existsSync(program)) return undefined;
  for (const from of [join(folder, "native", "package.json"), program]) {
    try {
      return { program, bindings: createRequire(from).resolve("@duckdb/node-bindings") };
    } catch {
      // Not there: look in the next place.
    }
  }
  return undefined;
}

/**
 * DuckDB as an accelerator, in a child process, so that neither its memory nor a crash of its native code reaches the
 * editor. Undefined where the package is not installed.
 */
export function createDuckdbAccelerator(options: DuckdbOptions = {}): TableAccelerator | undefined {
  const places = placesIn(options.folder ?? __dirname);
  if (!places) return undefined;
  // One process at most waits for work; it ends by itself when none comes.
  let waiting: DuckdbProcess | undefined;
  const take = () => {
    const used = waiting?.isAlive ? waiting : undefined;
    waiting = undefined;
    used?.wake();
    return { child: used ?? new DuckdbProcess(places, options.onChild), used: used !== undefined };
  };
  const leave = (child: DuckdbProcess) => {
    if (waiting?.isAlive) child.stop();
    else (waiting = child).rest();
  };
  return {
    name: "DuckDB",
    worthwhile:
      options.worthwhile ?? ((options.cores ?? availableParallelism()) < CORES ? Number.POSITIVE_INFINITY : WORTHWHILE),
    prepare() {
      if (!waiting?.isAlive) leave(new DuckdbProcess(places, options.onChild));
    },
    async *scan(request) {
      request.signal?.throwIfAborted();
      let { child, used } = take();
      let answered = false;
      let done = false;
      try {
        for (;;) {
          try {
            for await (const batch of scan(child, request)) {
              answered = true;
              yield batch;
            }
            done = true;
            return;
          } catch (error) {
            // What is wrong with the file is no fault of the process.
            done = !(error instanceof AcceleratorFailure) && child.isAlive && !request.signal?.aborted;
            // One that waited may end just as it is asked again.
            if (!used || answered || !(error instanceof AcceleratorFailure)) throw error;
            ({ child, used } = take());
          }
        }
      } finally {
        if (done) leave(child);
        else child.stop();
      }
    },
  };
}

async function* scan(
  child: DuckdbProcess,
  { uri, size, format, numbers, texts, anyOf, required, step, signal }: ScanRequest,
): AsyncGenerator<ScanBatch> {
  child.send({ path: fileURLToPath(uri), whole: size <= HELD_WHOLE, format, numbers, texts, anyOf, required, step });
  for (;;) {
    const message = await child.receive(signal);
    if (message.kind === "error") throw new Error(message.message);
    if (message.kind === "done") return;
    child.send("next");
    yield message.batch;
  }
}
