import type { FigurePayload } from "../server/core/figures/payload";
import { CONFIG } from "./charts/style";
import type { Figure } from "./figure";
import { literalColours } from "./theme";

/** The figure's Vega-Lite source with its rows and parameters in it, ready for any Vega-Lite tool. */
export function vegaLiteOf(figure: Figure, width: number): Record<string, unknown> {
  const { template, payload } = figure;
  const signals = template.signals(payload, figure.rows, width);
  const params = ((template.spec.params ?? []) as { name: string; value: unknown }[]).map((param) => ({
    ...param,
    value: signals[param.name] ?? param.value,
  }));
  const spec = {
    $schema: "https://vega.github.io/schema/vega-lite/v5.json",
    description: payload.text,
    title: { text: payload.title, subtitle: [...(payload.simulated ? ["simulated data"] : []), ...payload.notes] },
    ...template.spec,
    ...(template.columns ? { columns: template.columns(width, payload) } : {}),
    params,
    data: { name: "rows", values: figure.rows },
    config: { ...CONFIG, background: "#ffffff" },
  };
  return JSON.parse(literalColours(JSON.stringify(spec))) as Record<string, unknown>;
}

/** The SVG as a PNG at twice its size, drawn by the page itself. */
export async function pngDataUrl(svg: string, width: number, height: number): Promise<string> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = Math.ceil(width * 2);
  canvas.height = Math.ceil(height * 2);
  const context = canvas.getContext("2d");
  if (!context) throw new Error("This page has no canvas to draw a PNG on.");
  context.scale(2, 2);
  context.drawImage(image, 0, 0, width, height);
  return canvas.toDataURL("image/png");
}

/** Hands a file to the reader. The notebook page turns a click on a data link into a save dialog. */
export function save(parent: ParentNode & Node, name: string, url: string): void {
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  parent.append(link);
  link.click();
  link.remove();
}

/** Text as a data link. In base64: notebook pages save no other kind. */
export function textUrl(type: string, text: string): string {
  let binary = "";
  for (const byte of new TextEncoder().encode(text)) binary += String.fromCharCode(byte);
  return `data:${type};base64,${btoa(binary)}`;
}

/** Puts a picture on the clipboard. Rejects where the page may not. */
export async function copyPng(url: string): Promise<void> {
  const blob = await (await fetch(url)).blob();
  await navigator.clipboard.write([new ClipboardItem({ "image/png": blob })]);
}

/** Says in words what a drawn SVG shows. Not as its <title>, which browsers show as a tooltip over the whole figure. */
export function describe(svg: SVGSVGElement, payload: FigurePayload): void {
  const description = document.createElementNS("http://www.w3.org/2000/svg", "desc");
  description.textContent = payload.text;
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", payload.text);
  svg.prepend(description);
}
