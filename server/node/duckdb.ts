import { type ChildProcess, spawn } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ScanBatch, ScanRequest, TableAccelerator } from "../runs/options";
import { type ChildMessage, duckdbChild } from "./duckdbChild";

/** Below this the plain reader is done before DuckDB has loaded. */
const WORTHWHILE = 64 * 1024 * 1024;

export interface DuckdbOptions {
  /** Where to look for the package: a file beside `node_modules` (default: this bundle, then the working directory). */
  readonly from?: string;
  readonly worthwhile?: number;
  /** Told of each child, for tests that kill it. */
  readonly onChild?: (child: ChildProcess) => void;
}

function modulePath(from: string | undefined): string | undefined {
  const places = [from, typeof __filename === "string" ? __filename : undefined, join(process.cwd(), "package.json")];
  for (const place of places) {
    try {
      if (place) return createRequire(place).resolve("@duckdb/node-api");
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
  const module = modulePath(options.from);
  if (!module) return undefined;
  return { name: "DuckDB", worthwhile: options.worthwhile ?? WORTHWHILE, scan: (request) => scan(module, request, options.onChild) };
}

async function* scan(module: string, request: ScanRequest, onChild: DuckdbOptions["onChild"]): AsyncGenerator<ScanBatch> {
  request.signal?.throwIfAborted();
  const source = `(${duckdbChild.toString()})(require, process)`;
  const child = spawn(process.execPath, ["-e", source], {
    stdio: ["ignore", "ignore", "ignore", "ipc"],
    serialization: "advanced",
    env: { ...process.env, ELECTRON_RUN_AS_NODE: "1", NODE_OPTIONS: "" },
  });
  onChild?.(child);
  const inbox: ChildMessage[] = [];
  let wake: (() => void) | undefined;
  let ended: string | undefined;
  const signalled = () => {
    wake?.();
    wake = undefined;
  };
  child.on("message", (message) => {
    inbox.push(message as ChildMessage);
    signalled();
  });
  child.on("error", (error) => {
    ended ??= error.message;
    signalled();
  });
  child.on("exit", (code, signal) => {
    ended ??= signal ?? `exit code ${code}`;
    signalled();
  });
  const abort = () => child.kill();
  request.signal?.addEventListener("abort", abort, { once: true });
  try {
    child.send({ module, path: fileURLToPath(request.uri), format: request.format, numbers: request.numbers, texts: request.texts, anyOf: request.anyOf }, () => undefined);
    for (;;) {
      const message = inbox.shift();
      if (!message) {
        request.signal?.throwIfAborted();
        if (ended !== undefined) throw new Error(`DuckDB stopped before it was done (${ended}).`);
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        continue;
      }
      if (message.kind === "error") throw new Error(message.message);
      if (message.kind === "done") return;
      if (child.connected) child.send("next", () => undefined);
      yield message.batch;
    }
  } finally {
    request.signal?.removeEventListener("abort", abort);
    child.kill();
  }
}
