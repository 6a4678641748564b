/**
 * What a figure is in a notebook file: numbers and words, no drawing. It is an object (an array would be joined as text by
 * VS Code's serializer), its rows are CSV in a string (a quarter of the size of JSON at ipynb's indentation), and it
 * names a template with a version, so that a later renderer still draws an older file.
 */
export const FIGURE_MIME = "application/vnd.scaling-lens.fit.v1+json";
/** Rises when a reader of the previous version would misread the object. */
export const PAYLOAD_VERSION = 1;
export const FIGURE_FORMAT = "scaling-lens.figure";

export type FigureValue = number | string | boolean | null | readonly number[] | readonly string[];

export interface FigurePayload {
  readonly format: typeof FIGURE_FORMAT;
  readonly version: number;
  /** Id of the chart: `axis-fits`, `frontier`, … */
  readonly template: string;
  readonly templateVersion: number;
  readonly title: string;
  /** The figure in one sentence: its text alternative, and what is shown where nothing can be drawn. */
  readonly text: string;
  /** Printed under the figure: n, interval method, fitted range, what was left out. */
  readonly notes: readonly string[];
  /** True where any row comes from simulated logs; the figure says so. */
  readonly simulated: boolean;
  /** Figures of one fit carry one link: choosing a setting in one filters the others. */
  readonly link: string;
  /** Name of a dataset → CSV with a header line. */
  readonly data: Readonly<Record<string, string>>;
  /** Facts that the template places apart from its rows: domains, a target, a label. */
  readonly values: Readonly<Record<string, FigureValue>>;
  /** What can be done from the figure while an editor with the extension is behind it. */
  readonly actions?: readonly FigureAction[];
}

export interface FigureAction {
  readonly kind: "apply-optimum";
  readonly label: string;
  /** URI of the budget. */
  readonly uri: string;
  readonly experiment: string;
}

/** How a column is printed in tables and tooltips; `percent` is a share in [0, 1], `points` percentage points. */
type ColumnKind = "text" | "number" | "count" | "percent" | "points" | "flag" | "files";

export interface Column {
  readonly name: string;
  readonly label: string;
  readonly kind: ColumnKind;
}

/** The shape of a template's rows, and how a reader sees them as tables. */
export interface FigureShape {
  readonly template: string;
  readonly templateVersion: number;
  /** Every column of the dataset `rows`, in the order of the CSV. */
  readonly columns: readonly Column[];
  /**
   * What many rows repeat, kept once in a dataset of its own: rows name the line of `lookup.dataset` in their `lookup.key` column, and
   * readers fill in its columns. Halves the size of a figure with a panel an axis.
   */
  readonly lookup?: { readonly dataset: string; readonly key: string; readonly columns: readonly string[] };
  /** Tables of the table view: the rows of one `kind`, and the columns worth reading. */
  readonly tables: readonly { readonly kind: string; readonly title: string; readonly columns: readonly string[] }[];
}

export type Cell = string | number | boolean | null | undefined;
export type FigureRow = Readonly<Record<string, Cell>>;
