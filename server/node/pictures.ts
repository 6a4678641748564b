import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import type { Pictures } from "../assessment/query/pictures";
import type { FigurePayload } from "../core/figures";

// The regular Latin face first: the renderer takes the first face of a family for what it does not find.
const FONTS = ["latin-400", "latin-600", "greek-400", "greek-600"];

/** What runs in the worker: the picture bundle, and nothing of the server. */
const BOOTSTRAP = `
const { parentPort, workerData } = require("node:worker_threads");
const pictures = require(workerData.module);
parentPort.on("message", async ({ id, kind, payload, assets }) => {
  try {
    const value = kind === "png" ? await pictures.drawPng(payload, assets) : pictures.vegaLite(payload);
    parentPort.postMessage({ id, value });
  } catch (error) {
    parentPort.postMessage({ id, error: String(error && error.message || error) });
  }
});`;

interface Answer {
  readonly id: number;
  readonly value?: unknown;
  readonly error?: string;
}

/**
 * Draws pictures in a thread of its own, which is started by the first one. `dist` is the folder of the bundles; undefined
 * where the picture bundle is not there.
 */
export function nodePictures(dist: string, warn: (message: string) => void): Pictures | undefined {
  const module = join(dist, "png.js");
  if (!existsSync(module)) return undefined;
  let worker: Worker | undefined;
  let assets: Promise<{ wasm: Uint8Array; fonts: Uint8Array[] }> | undefined;
  let counter = 0;
  const waiting = new Map<number, (answer: Answer) => void>();

  const end = (reason: string): void => {
    worker = undefined;
    for (const [id, settle] of waiting) settle({ id, error: reason });
    waiting.clear();
  };
  const start = (): Worker => {
    const made = new Worker(BOOTSTRAP, { eval: true, workerData: { module } });
    made.unref();
    made.on("message", (answer: Answer) => {
      waiting.get(answer.id)?.(answer);
      waiting.delete(answer.id);
    });
    made.on("error", (error) => end(error.message));
    made.on("exit", () => end("the picture thread ended"));
    return made;
  };
  const ask = async (kind: "png" | "vega-lite", payload: FigurePayload): Promise<unknown> => {
    assets ??= (async () => ({ wasm: await readFile(join(dist, "wasm/resvg.wasm")), fonts: await Promise.all(FONTS.map((name) => readFile(join(dist, `fonts/inter-${name}.woff2`)))) }))();
    const read = kind === "png" ? await assets : undefined;
    worker ??= start();
    const thread = worker;
    // While a picture is awaited, the process stays.
    thread.ref();
    const { value, error } = await new Promise<Answer>((resolve) => {
      const id = ++counter;
      waiting.set(id, resolve);
      thread.postMessage({ id, kind, payload, assets: read });
    });
    if (waiting.size === 0) thread.unref();
    if (error !== undefined) warn(`No picture of ${payload.template}: ${error}`);
    return value ?? null;
  };
  return {
    png: async (payload) => {
      const value = await ask("png", payload).catch((error: unknown) => warn(`No picture of ${payload.template}: ${String(error)}`));
      return value instanceof Uint8Array ? value : null;
    },
    vegaLite: (payload) => ask("vega-lite", payload).catch(() => null),
  };
}
