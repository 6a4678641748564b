import type { FigurePayload } from "../server/core/figures/payload";
import { drawPng, vegaLite, type PictureAssets } from "./png";

export * from "./png";

/** What a picture thread is asked, one message a figure. Its answer carries the same id. */
interface Ask {
  readonly id: number;
  readonly kind: "png" | "vega-lite";
  readonly payload: FigurePayload;
  readonly assets?: PictureAssets;
}

interface Thread {
  importScripts?: unknown;
  onmessage: ((event: MessageEvent<Ask>) => void) | null;
  postMessage(message: unknown): void;
}

const self = globalThis as unknown as Thread;

// In a browser a web worker of its own: pictures are drawn beside the server's thread. In Node the functions are called.
if (typeof self.importScripts === "function")
  self.onmessage = ({ data }) => {
    const { id, kind, payload, assets } = data;
    Promise.resolve(kind === "png" && assets ? drawPng(payload, assets) : vegaLite(payload)).then(
      (value) => self.postMessage({ id, value }),
      (error: unknown) => self.postMessage({ id, error: error instanceof Error ? error.message : String(error) }),
    );
  };
