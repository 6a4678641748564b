import { logTicks } from "../../server/core/figures/ticks";
import { GROWTH } from "../../server/core/figures/shapes/growth";
import { COMPUTE, INK, PALETTE, QUIET } from "./style";
import type { ChartTemplate } from "./template";

const axis = { field: "axis", type: "nominal", title: null, scale: { domain: { expr: "axes" }, range: PALETTE } };
const compute = (title: unknown): Record<string, unknown> => ({
  field: "x",
  type: "quantitative",
  scale: { type: "log", domain: { expr: "span" }, nice: false },
  axis: { title, values: { expr: "ticks" }, labelExpr: COMPUTE, grid: false },
});
const here = {
  data: { values: [{}] },
  transform: [{ calculate: "here", as: "x" }],
  mark: { type: "rule", color: QUIET, strokeWidth: 1.5, strokeDash: [5, 3] },
};

export const growthChart: ChartTemplate = {
  shape: GROWTH,
  zoom: [
    {
      group: "concat_0_group",
      x: { scale: "concat_0_x", column: "x", unit: "unit" },
      y: { scale: "concat_0_y", column: "y" },
    },
    { group: "concat_1_group", x: { scale: "concat_1_x", column: "x", unit: "unit" } },
  ],
  signals: ({ values }, rows, width) => {
    const of = (kind: string, column: string): number[] =>
      rows.flatMap((row) =>
        row.kind === kind && typeof row[column] === "number" && Number(row[column]) > 0 ? [Number(row[column])] : [],
      );
    const costs = of("level", "x");
    const span = [Math.min(...costs), Math.max(...costs)];
    const levels = of("level", "y");
    return {
      axes: values.axes,
      unit: values.unit,
      here: values.here,
      span,
      ticks: logTicks(span[0], span[1], 6),
      units: logTicks(Math.min(...levels), Math.max(...levels), 6),
      width: Math.max(220, Math.min(640, width - 90)),
    };
  },
  spec: {
    data: { name: "rows" },
    params: [
      { name: "axes", value: [] },
      { name: "span", value: [1, 100] },
      { name: "ticks", value: [1, 10, 100] },
      { name: "units", value: [1, 10, 100] },
      { name: "here", value: 10 },
      { name: "unit", value: "" },
    ],
    spacing: 14,
    vconcat: [
      {
        width: 520,
        height: 200,
        encoding: { x: compute(null) },
        layer: [
          here,
          {
            transform: [{ filter: "datum.kind === 'level' && datum.part === 'within'" }],
            mark: { type: "line", strokeWidth: 2 },
            encoding: {
              y: {
                field: "y",
                type: "quantitative",
                title: "units (log)",
                scale: { type: "log", nice: false, padding: 6 },
                axis: { values: { expr: "units" }, format: "~s" },
              },
              color: {
                ...axis,
                legend: { orient: "top", symbolType: "stroke", symbolStrokeWidth: 3, symbolSize: 180 },
              },
            },
          },
          {
            transform: [{ filter: "datum.kind === 'level' && datum.part === 'beyond'" }],
            mark: { type: "line", strokeWidth: 1.5, strokeDash: [4, 3] },
            encoding: { y: { field: "y", type: "quantitative" }, color: axis },
          },
          {
            ...here,
            mark: { type: "text", text: "you are here", align: "left", baseline: "top", dx: 5, color: INK },
            encoding: { y: { value: 0 } },
          },
        ],
      },
      {
        width: 520,
        height: 90,
        encoding: { x: compute({ expr: "'compute (' + unit + ', log)'" }) },
        layer: [
          {
            transform: [{ filter: "datum.kind === 'share'" }],
            mark: { type: "area", opacity: 0.75, tooltip: { content: "data" } },
            encoding: {
              y: {
                field: "low",
                type: "quantitative",
                stack: null,
                title: "share of spend",
                scale: { domain: [0, 1] },
                axis: { format: ".0%", values: [0, 0.5, 1] },
              },
              y2: { field: "high" },
              color: axis,
            },
          },
          here,
        ],
      },
    ],
  },
};
