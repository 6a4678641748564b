import type { FigurePayload } from "../figures";

/** Draws figures for those who read the file without the extension. Absent where there is no place to draw: then the sentence stands alone. */
export interface Pictures {
  /** PNG on white; null where the figure cannot be drawn. */
  png(payload: FigurePayload): Promise<Uint8Array | null>;
  /** The figure's Vega-Lite source; null as above. */
  vegaLite(payload: FigurePayload): Promise<unknown>;
}
