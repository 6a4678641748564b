import { FIGURE_MIME } from "../report/figures";
import type { Output, OutputItem, Part, QueryContext } from "./types";

/** The largest output of a figure in a notebook file, in bytes; what is optional is left out beyond it. */
const MOST_BYTES = 240 * 1024;

/**
 * A part as an output. A figure goes with a PNG and a sentence in the same output; a table is an output of its own, because
 * Markdown beside a figure would be shown instead of it elsewhere.
 */
export async function outputOf(
  part: Part,
  { pictures, vegaLite }: Pick<QueryContext, "pictures" | "vegaLite">,
): Promise<Output> {
  if (part.kind === "table")
    return {
      items: [
        { mime: "text/markdown", text: part.markdown },
        { mime: "text/plain", text: part.text },
      ],
    };
  const { payload } = part;
  const items: OutputItem[] = [{ mime: FIGURE_MIME, text: JSON.stringify(payload) }];
  let size = items[0].mime.length + JSON.stringify(payload).length;
  const add = (item: OutputItem, bytes: number): void => {
    if (size + bytes > MOST_BYTES) return;
    size += bytes;
    items.push(item);
  };
  if (vegaLite && pictures) {
    const spec = JSON.stringify(await pictures.vegaLite(payload));
    // At ipynb's indentation, rows as JSON take about three times their size.
    if (spec !== "null") add({ mime: "application/vnd.vegalite.v5+json", text: spec }, 3 * spec.length);
  }
  const png = await pictures?.png(payload);
  if (png) {
    const base64 = toBase64(png);
    add({ mime: "image/png", base64 }, base64.length);
  }
  items.push({
    mime: "text/plain",
    text: `${payload.title}${payload.simulated ? " (simulated data)" : ""}. ${payload.text}`,
  });
  return { items };
}

function toBase64(bytes: Uint8Array): string {
  let binary = "";
  for (let i = 0; i < bytes.length; i += 0x8000) binary += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  return btoa(binary);
}
