import type { FigurePayload, FigureShape } from "../../server/core/figures/payload";

/** A Vega-Lite specification, as plain data. Checked by the compiler when the bundle is built, not by types here. */
export type VegaLiteSpec = Readonly<Record<string, unknown>>;

export type RowValue = string | number | boolean | null;
export type Rows = readonly Readonly<Record<string, RowValue>>[];

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
  /** Shape of every setting's mark, where it does not differ by setting. */
  readonly marker?: string;
  /** Older template versions → rows and values of the newest. Absent while there is one version. */
  readonly upgrade?: (payload: FigurePayload) => FigurePayload;
}

/** The settings of the rows, in their order. */
export function settingsOf(rows: Rows): string[] {
  return [...new Set(rows.flatMap(({ setting }) => (typeof setting === "string" && setting !== "" ? [setting] : [])))];
}
