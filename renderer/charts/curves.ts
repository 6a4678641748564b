import { CURVES } from "../../server/core/figures/shapes/curves";
import { BLUE, INK, ORANGE, PAPER } from "./style";
import type { ChartTemplate } from "./template";

const columnsFor = (width: number): number => Math.max(1, Math.min(4, Math.floor(width / 230)));
const y = { field: "y", type: "quantitative" };

export const curvesChart: ChartTemplate = {
  shape: CURVES,
  columns: (width, { values }) => Math.min(columnsFor(width), Array.isArray(values.panels) ? values.panels.length : 1),
  // The panels share their y axis: it stays, or the others would move along.
  zoom: [{ group: "cell", by: "panel", x: { scale: "child_x", column: "x" } }],
  signals: ({ values }, _rows, width) => {
    const panels = Array.isArray(values.panels) ? values.panels : [];
    const columns = Math.min(panels.length || 1, columnsFor(width));
    return {
      panels,
      headings: values.headings,
      child_width: Math.max(150, Math.min(560, Math.floor((width - 60) / columns) - 30)),
      child_height: columns === 1 ? 230 : 150,
    };
  },
  spec: {
    data: { name: "rows" },
    params: [
      { name: "panels", value: [] },
      { name: "headings", value: [] },
    ],
    facet: {
      field: "panel",
      type: "nominal",
      sort: { field: "order", op: "min" },
      title: null,
      header: { labelExpr: "[datum.value, headings[indexof(panels, datum.value)] || '']" },
    },
    columns: 3,
    spacing: { row: 66, column: 30 },
    bounds: "flush",
    resolve: { scale: { x: "independent" } },
    spec: {
      width: 210,
      height: 150,
      encoding: {
        x: {
          field: "x",
          type: "quantitative",
          title: "step",
          scale: { nice: false, zero: true },
          axis: { format: "~s", grid: false, tickCount: 4, labelOverlap: true },
        },
        y: {
          field: "y",
          type: "quantitative",
          title: "success rate",
          scale: { domain: [0, 1], nice: false },
          axis: { format: ".0%", tickCount: 5 },
        },
      },
      layer: [
        {
          transform: [{ filter: "datum.kind === 'fan'" }],
          mark: { type: "area", opacity: 0.2, clip: true, color: BLUE },
          encoding: { y: { field: "low", type: "quantitative", stack: null }, y2: { field: "high" } },
        },
        {
          transform: [{ filter: "datum.kind === 'fan'" }],
          mark: { type: "line", strokeWidth: 2, clip: true, color: BLUE },
          encoding: { y },
        },
        {
          transform: [{ filter: "datum.kind === 'law'" }],
          mark: { type: "line", strokeWidth: 1.5, strokeDash: [5, 4], clip: true, color: ORANGE },
          encoding: { y },
        },
        {
          transform: [{ filter: "datum.kind === 'point'" }],
          mark: {
            type: "point",
            filled: true,
            size: 16,
            opacity: 0.8,
            clip: true,
            color: INK,
            tooltip: { content: "data" },
          },
          encoding: { y },
        },
        {
          transform: [{ filter: "datum.kind === 'end'" }],
          mark: { type: "rule", strokeWidth: 2, color: BLUE },
          encoding: { y: { field: "low", type: "quantitative" }, y2: { field: "high" } },
        },
        {
          transform: [{ filter: "datum.kind === 'end'" }],
          mark: {
            type: "point",
            size: 70,
            filled: true,
            fill: PAPER,
            stroke: BLUE,
            strokeWidth: 2,
            opacity: 1,
            tooltip: { content: "data" },
          },
          encoding: { y },
        },
      ],
    },
  },
};
