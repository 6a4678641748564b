import { initWasm, Resvg } from "@resvg/resvg-wasm";
import type { FigurePayload } from "../server/core/figures/payload";
import { vegaLiteOf } from "./exports";
import { figureOf, prepare } from "./figure";
import { picture } from "./picture";

/** What the picture maker reads beside its own code; kept out of the bundle so that it is loaded only when a picture is drawn. */
export interface PictureAssets {
  /** resvg's WebAssembly module. */
  readonly wasm: Uint8Array;
  /** Fonts as WOFF2: there may be none on the machine, and none is looked for. */
  readonly fonts: readonly Uint8Array[];
}

const WIDTH = 760;
/** Pixels per unit: sharp enough on a site, small enough in a file. */
const SCALE = 1.25;

let ready: Promise<void> | undefined;

/** The figure as an SVG that stands by itself; null for a template that this build does not know. */
export async function drawSvg(payload: FigurePayload): Promise<string | null> {
  const figure = figureOf(payload);
  if (!figure) return null;
  const view = await prepare(figure, WIDTH);
  try {
    await view.runAsync();
    return picture(await view.toSVG(), payload).svg;
  } finally {
    view.finalize();
  }
}

/** The figure as a PNG on white, without a browser; null for a template that this build does not know. */
export async function drawPng(payload: FigurePayload, assets: PictureAssets): Promise<Uint8Array | null> {
  const svg = await drawSvg(payload);
  if (svg === null) return null;
  ready ??= initWasm(assets.wasm.slice().buffer);
  await ready;
  const image = new Resvg(printable(svg), {
    fitTo: { mode: "zoom", value: SCALE },
    font: { fontBuffers: [...assets.fonts], defaultFontFamily: "Inter", sansSerifFamily: "Inter" },
  });
  return image.render().asPng();
}

/** The figure's Vega-Lite source with its rows in it; null for a template that this build does not know. */
export function vegaLite(payload: FigurePayload): Record<string, unknown> | null {
  const figure = figureOf(payload);
  return figure ? vegaLiteOf(figure, WIDTH) : null;
}

/** The bundled font has no arrows and no infinity. */
function printable(svg: string): string {
  return svg.replaceAll("→", "›").replaceAll("∞", "inf").replaceAll("≥", ">=").replaceAll("≤", "<=");
}
