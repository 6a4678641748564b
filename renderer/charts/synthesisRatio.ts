import { logTicks } from "../../server/core/figures/ticks";
import type { FigurePayload } from "../../server/core/figures/payload";
import { SYNTHESIS_RATIO } from "../../server/core/figures/shapes/synthesisRatio";
import { BLUE, INK, ORANGE } from "./style";
import type { ChartTemplate } from "./template";

const columnsFor = (width: number): number => Math.max(1, Math.min(3, Math.floor(width / 300)));

/** No synthetic unit, and nothing but synthetic ones, have places of their own at the edges of the log axis, where there is any such. */
const edges = ({ values }: FigurePayload): number[] => [
  ...(values.hasZero === false ? [] : [Number(values.zero)]),
  ...(values.hasInfinite === false ? [] : [Number(values.infinite)]),
];
const place = (value: number, { values }: FigurePayload): string =>
  values.hasZero !== false && value <= Number(values.zero) * 1.001
    ? "0"
    : values.hasInfinite !== false && value >= Number(values.infinite) * 0.999
      ? "∞"
      : String(Number(value.toPrecision(3)));

export const synthesisRatioChart: ChartTemplate = {
  shape: SYNTHESIS_RATIO,
  columns: columnsFor,
  zoom: [
    {
      group: "cell",
      by: "panel",
      x: { scale: "child_x", column: "at", label: "synthetic ÷ real", words: place, ticks: edges },
      y: { scale: "child_y", column: "y", words: (value) => String(Number(value.toPrecision(3))) },
    },
  ],
  signals: (payload, _rows, width) => {
    const { values } = payload;
    const panels = Array.isArray(values.panels) ? values.panels : [];
    const [zero, infinite] = [Number(values.zero), Number(values.infinite)];
    const columns = Math.min(columnsFor(width), Math.max(1, panels.length));
    return {
      panels,
      headings: values.headings,
      zero,
      infinite,
      edges: edges(payload),
      ticks: [
        ...logTicks(
          values.hasZero === false ? zero : zero * 1.6,
          values.hasInfinite === false ? infinite : infinite / 1.6,
          6,
        ),
        ...edges(payload),
      ],
      child_width: Math.max(160, Math.min(440, Math.floor((width - 30) / columns) - 60)),
    };
  },
  spec: {
    data: { name: "rows" },
    params: [
      { name: "zero", value: 0.1 },
      { name: "infinite", value: 20 },
      { name: "ticks", value: [0.1, 1, 10, 20] },
      { name: "edges", value: [0.1, 20] },
      { name: "panels", value: [] },
      { name: "headings", value: [] },
    ],
    facet: {
      field: "panel",
      type: "nominal",
      sort: { field: "order", op: "min" },
      title: null,
      header: { labelExpr: "[datum.value, headings[indexof(panels, datum.value)] || '']", labelPadding: 18 },
    },
    columns: 2,
    spacing: { row: 92, column: 56 },
    bounds: "flush",
    resolve: { scale: { x: "independent", y: "independent" } },
    spec: {
      width: 260,
      height: 180,
      encoding: {
        x: {
          field: "at",
          type: "quantitative",
          title: "synthetic ÷ real (log)",
          scale: { type: "log", domain: { expr: "[zero, infinite]" }, nice: false },
          axis: {
            values: { expr: "ticks" },
            labelExpr: "indexof(edges, datum.value) < 0 ? format(datum.value, '~r') : datum.value === zero ? '0' : '∞'",
            grid: false,
            labelOverlap: false,
          },
        },
      },
      layer: [
        {
          transform: [{ filter: "datum.kind === 'critical'" }],
          mark: { type: "rect", color: ORANGE, opacity: 0.16 },
          encoding: { x: { field: "low", type: "quantitative" }, x2: { field: "high" } },
        },
        {
          transform: [{ filter: "datum.kind === 'curve' && isValid(datum.low)" }],
          mark: { type: "area", color: BLUE, opacity: 0.18 },
          encoding: {
            y: {
              field: "low",
              type: "quantitative",
              stack: null,
              title: "effective ÷ real units",
              scale: { zero: false },
              axis: { tickCount: 5 },
            },
            y2: { field: "high" },
          },
        },
        {
          transform: [{ filter: "datum.kind === 'curve'" }],
          mark: { type: "line", color: BLUE, strokeWidth: 2 },
          encoding: { y: { field: "y", type: "quantitative" } },
        },
        { transform: [{ filter: "datum.kind === 'critical'" }], mark: { type: "rule", color: ORANGE, strokeWidth: 2 } },
        {
          transform: [{ filter: "datum.kind === 'point'" }],
          mark: { type: "point", filled: true, size: 36, color: INK, opacity: 0.8, tooltip: { content: "data" } },
          encoding: { y: { field: "y", type: "quantitative" } },
        },
        {
          transform: [{ filter: "datum.kind === 'critical'" }],
          // Above the drawing, where no point can lie; the heading has its value and interval.
          mark: { type: "text", align: "center", baseline: "bottom", dy: -1, color: INK, fontWeight: "bold" },
          encoding: { text: { value: "r*" }, y: { value: 0 } },
        },
      ],
    },
  },
};
