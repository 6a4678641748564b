import type { FigurePayload, FigureShape } from "../../server/core/figures/payload";

/** A Vega-Lite specification, as plain data. Checked by the compiler when the bundle is built, not by types here. */
type VegaLiteSpec = Readonly<Record<string, unknown>>;

export type RowValue = string | number | boolean | null;
export type Rows = readonly Readonly<Record<string, RowValue>>[];

/** A scale that a drag narrows. In one panel's facet, or in the whole chart, scales of one column move together. */
export interface ZoomScale {
  /** Name of the compiled Vega scale. */
  readonly scale: string;
  readonly column: string;
  /** What the caption calls it, instead of the column's label. */
  readonly label?: string;
  /** Name of the payload's value that holds the unit. */
  readonly unit?: string;
  /** A number as the caption prints it, instead of the column's kind. */
  readonly words?: (value: number, payload: FigurePayload) => string;
  /** Ticks beside the usual ones, where they fall within the range. */
  readonly ticks?: (payload: FigurePayload) => readonly number[];
}

/** A part of the drawing in which a drag looks closer. */
export interface ZoomPanel {
  /** Name of the compiled group mark; "" for the chart as a whole. */
  readonly group: string;
  /** The column by which the group is repeated. */
  readonly by?: string;
  readonly x: ZoomScale;
  readonly y?: ZoomScale;
}

/** What a chart needs to be drawn: its source, and the values of its parameters for one payload. */
export interface ChartTemplate {
  readonly shape: FigureShape;
  /** Reads `data: {name: "rows"}`. May use nothing that Vega-Lite 5.6 lacks, since JupyterLab ships that. */
  readonly spec: VegaLiteSpec;
  /** Number of facet columns for a width in pixels; absent where the chart has no wrapped facets. */
  readonly columns?: (width: number, payload: FigurePayload) => number;
  /** Values of the specification's parameters and of the size signals that Vega-Lite makes (`width`, `child_width`, …). */
  signals(payload: FigurePayload, rows: Rows, width: number): Readonly<Record<string, unknown>>;
  /** Settings that the figure tells apart, in the order of their colours; they filter the figures of one fit (`chosen`). */
  readonly settings?: (rows: Rows) => readonly string[];
  /** Where a drag looks closer. Its scales and marks are prepared when the chart is compiled; the Vega-Lite source knows nothing of it. */
  readonly zoom?: readonly ZoomPanel[];
  /** Shape of every setting's mark, where it does not differ by setting. */
  readonly marker?: string;
  /** Older template versions → rows and values of the newest. Absent while there is one version. */
  readonly upgrade?: (payload: FigurePayload) => FigurePayload;
}

/** The settings of the rows, in their order. */
export function settingsOf(rows: Rows): string[] {
  return [...new Set(rows.flatMap(({ setting }) => (typeof setting === "string" && setting !== "" ? [setting] : [])))];
}
