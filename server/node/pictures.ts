import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import type { Pictures } from "../report/print/pictures";
import { FONTS, threadedPictures } from "../report/print/threadedPictures";

/** What runs in the thread: the picture bundle, and nothing of the server. */
const BOOTSTRAP = `
const { parentPort, workerData } = require("node:worker_threads");
const pictures = require(workerData.module);
parentPort.on("message", async ({ id, kind, payload, assets }) => {
  try {
    parentPort.postMessage({ id, value: kind === "png" ? await pictures.drawPng(payload, assets) : pictures.vegaLite(payload) });
  } catch (error) {
    parentPort.postMessage({ id, error: String(error && error.message || error) });
  }
});`;

/** Draws pictures in a thread of its own. `dist` is the folder of the bundles; undefined where the picture bundle is not there. */
export function nodePictures(dist: string, warn: (message: string) => void): Pictures | undefined {
  const module = join(dist, "png.js");
  if (!existsSync(module)) return undefined;
  return threadedPictures(
    () => {
      const worker = new Worker(BOOTSTRAP, { eval: true, workerData: { module } });
      worker.unref();
      return {
        post: (message) => worker.postMessage(message),
        onMessage: (listener) => {
          worker.on("message", listener);
        },
        onEnd: (listener) => {
          worker.on("error", (error) => listener(error.message));
          worker.on("exit", () => listener("the picture thread ended"));
        },
        busy: (busy) => {
          (busy ? () => worker.ref() : () => worker.unref())();
        },
      };
    },
    async () => ({
      wasm: await readFile(join(dist, "wasm", "resvg.wasm")),
      fonts: await Promise.all(FONTS.map((name) => readFile(join(dist, "fonts", name)))),
    }),
    warn,
  );
}
