import { rowsOf } from "../server/core/figures/rows";
import type { FigurePayload, FigureShape } from "../server/core/figures/payload";
import { readWhatIf } from "../server/core/figures/whatIf";
import { CHARTS } from "./charts/index";
import type { ChartTemplate, Rows } from "./charts/template";
import { chartView, type ChartView } from "./dataflow";
import { element } from "./dom";
import { whatIfPanel, WHAT_IF_STYLE } from "./whatIf";

function templateOf(payload: FigurePayload): ChartTemplate | undefined {
  return CHARTS.find((chart) => chart.shape.template === payload.template);
}

/** A payload made ready for its chart. */
export interface Figure {
  readonly payload: FigurePayload;
  readonly template: ChartTemplate;
  readonly rows: Rows;
  /** How the rows are read as words. */
  readonly shape: FigureShape;
}

/** Where the response is a loss, its numbers are neither shares nor percentage points. */
function shapeOf({ shape }: ChartTemplate, { values }: FigurePayload): FigureShape {
  if (typeof values.format !== "string" || values.format.endsWith("%")) return shape;
  return {
    ...shape,
    columns: shape.columns.map((column) =>
      column.kind === "percent" || column.kind === "points"
        ? { ...column, kind: "number", label: column.label.replace(" (points)", "") }
        : column,
    ),
  };
}

export function figureOf(payload: FigurePayload): Figure | undefined {
  const template = templateOf(payload);
  if (!template || payload.templateVersion > template.shape.templateVersion) return undefined;
  const current =
    payload.templateVersion < template.shape.templateVersion && template.upgrade ? template.upgrade(payload) : payload;
  return { payload: current, template, rows: rowsOf(template.shape, current.data), shape: shapeOf(template, current) };
}

/** A view with the figure's rows and parameters in it, not yet run. */
export async function prepare(
  figure: Figure,
  width: number,
  extra: Readonly<Record<string, unknown>> = {},
): Promise<ChartView> {
  const { payload, template, rows } = figure;
  const view = await chartView(template.shape.template);
  if (!view) throw new Error(`There is no chart named ${template.shape.template} in this build.`);
  const signals = {
    ...template.signals(payload, rows, width),
    ...(template.columns ? { columns: template.columns(width, payload) } : {}),
    ...extra,
  };
  // A parameter that the payload lacks keeps the template's own default.
  for (const [name, value] of Object.entries(signals)) if (value !== undefined) view.signal(name, value);
  // Vega writes its tuple id into the rows it is given.
  view.insert(
    "rows",
    rows.map((row) => ({ ...row })),
  );
  return view;
}

/** What stands below a drawing: the slider of the spend, where the figure has one, and the figure in a sentence. */
export function spoken({ values, text }: FigurePayload): HTMLElement[] {
  const data = typeof values.whatIf === "string" ? readWhatIf(values.whatIf) : null;
  return [
    ...(data ? [element("style", {}, WHAT_IF_STYLE), whatIfPanel(data, { chart: false })] : []),
    element("p", { class: "sentence" }, text),
  ];
}
