import type { FigurePayload } from "../../server/report/figures";
import { parseCsv } from "../../server/core/figures/csv";
import { figureOf } from "../../renderer/figure";
import { vegaLiteOf } from "../../renderer/exports";
import { allFigures } from "../core/figures/all";

const AXES = ["tasks", "environments", "worlds", "structures", "trajectories", "parameters", "tokens"];

/** A figure of seven panels with 48 runs each: the made-up fit's panels, repeated under other names. */
export function sevenPanels(): FigurePayload {
  const { axisFits } = allFigures();
  const [header = [], ...lines] = parseCsv(axisFits.data.rows);
  const [panel, order] = [header.indexOf("panel"), header.indexOf("order")];
  const own = lines.filter((line) => line[order] === "0");
  const rows = AXES.flatMap((axis, i) =>
    own.map((line) => line.map((cell, at) => (at === panel ? axis : at === order ? String(i) : cell)).join(",")),
  );
  return {
    ...axisFits,
    data: { ...axisFits.data, rows: [header.join(","), ...rows].join("\n") },
    values: { ...axisFits.values, panels: AXES, headings: AXES.map(() => "α 0.33 [0.29, 0.37]") },
  };
}

/** The same figure as Vega-Lite source with its rows in it, for a plain build of Vega. */
export function plainSource(payload: FigurePayload, width: number): unknown {
  const figure = figureOf(payload);
  if (!figure) throw new Error("The figure has no chart.");
  const spec = vegaLiteOf(figure, width) as { spec: object; title?: unknown };
  const size = figure.template.signals(payload, figure.rows, width) as { child_width: number };
  return { ...spec, title: undefined, spec: { ...spec.spec, width: size.child_width } };
}
