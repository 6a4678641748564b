import { AXIS_FITS } from "../../server/core/figures/shapes/axisFits";
import { logTicks } from "../../server/core/figures/ticks";
import { INK, PALETTE, PAPER, SHAPES } from "./style";
import { settingsOf, type ChartTemplate } from "./template";

const series = {
  field: "setting",
  type: "nominal",
  legend: null,
  scale: { domain: { expr: "settings" }, range: PALETTE },
};
const shape = {
  field: "setting",
  type: "nominal",
  legend: null,
  scale: { domain: { expr: "settings" }, range: SHAPES },
};

const columnsFor = (width: number): number => Math.max(1, Math.min(4, Math.floor(width / 215)));

export const axisFitsChart: ChartTemplate = {
  shape: AXIS_FITS,
  columns: columnsFor,
  settings: settingsOf,
  // The panels share their y axis: it stays, or the others would move along.
  zoom: [{ group: "cell", by: "panel", x: { scale: "child_x", column: "x", label: "" } }],
  signals: ({ values }, rows, width) => {
    const panels = Array.isArray(values.panels) ? values.panels : [];
    const columns = Math.min(panels.length || 1, columnsFor(width));
    const levels = (panel: string): number[] =>
      rows.flatMap((row) => (row.panel === panel && typeof row.x === "number" && row.x > 0 ? [row.x] : []));
    return {
      domain: values.domain,
      ticks: values.ticks,
      yLabel: values.label,
      numbers: values.format,
      panels,
      headings: values.headings,
      settings: [...settingsOf(rows), ""],
      levels: panels.map((panel) =>
        logTicks(Math.min(...levels(String(panel))), Math.max(...levels(String(panel))), 4),
      ),
      child_width: Math.max(110, Math.min(300, Math.floor((width - 70) / columns) - 24)),
    };
  },
  spec: {
    data: { name: "rows" },
    params: [
      { name: "domain", value: [0.1, 1] },
      { name: "ticks", value: [0.1, 0.2, 0.5, 1] },
      { name: "panels", value: [] },
      { name: "headings", value: [] },
      { name: "yLabel", value: "failure rate (log)" },
      { name: "numbers", value: ".2~%" },
      { name: "levels", value: [] },
      { name: "settings", value: [] },
      { name: "chosen", value: null },
    ],
    transform: [{ filter: "!isValid(chosen) || datum.setting === chosen" }],
    facet: {
      field: "panel",
      type: "nominal",
      sort: { field: "order", op: "min" },
      title: null,
      header: { labelExpr: "[datum.value, headings[indexof(panels, datum.value)] || '']" },
    },
    columns: 3,
    spacing: { row: 62, column: 24 },
    bounds: "flush",
    resolve: { scale: { x: "independent" } },
    spec: {
      width: 190,
      height: 150,
      encoding: {
        x: {
          field: "x",
          type: "quantitative",
          title: null,
          scale: { type: "log", nice: false, padding: 4 },
          axis: {
            format: "~s",
            grid: false,
            values: { expr: "levels[indexof(panels, parent.panel)]" },
            labelOverlap: true,
          },
        },
        y: {
          field: "y",
          type: "quantitative",
          scale: { type: "log", domain: { expr: "domain" }, nice: false },
          axis: {
            title: { expr: "yLabel" },
            values: { expr: "ticks" },
            labelExpr: "format(datum.value, numbers)",
            labelOverlap: true,
          },
        },
        color: series,
      },
      layer: [
        {
          transform: [{ filter: "datum.kind === 'curve' && isValid(datum.low)" }],
          mark: { type: "area", opacity: 0.18, clip: true, line: false },
          encoding: {
            y: { field: "low", type: "quantitative", stack: null },
            y2: { field: "high" },
            detail: { field: "part", type: "nominal" },
          },
        },
        {
          transform: [{ filter: "datum.kind === 'curve' && datum.part !== 'within'" }],
          mark: { type: "line", strokeWidth: 1.5, strokeDash: [4, 3], clip: true },
          encoding: { detail: { field: "part", type: "nominal" } },
        },
        {
          transform: [{ filter: "datum.kind === 'curve' && datum.part === 'within'" }],
          mark: { type: "line", strokeWidth: 2, clip: true },
        },
        {
          transform: [{ filter: "datum.kind === 'point' && !datum.held" }],
          mark: { type: "point", filled: true, size: 30, opacity: 0.85, clip: true, tooltip: { content: "data" } },
          encoding: { shape },
        },
        {
          transform: [{ filter: "datum.kind === 'point' && datum.held" }],
          mark: {
            type: "point",
            filled: false,
            size: 40,
            strokeWidth: 1.5,
            fill: PAPER,
            stroke: INK,
            opacity: 1,
            clip: true,
            tooltip: { content: "data" },
          },
          encoding: { shape },
        },
      ],
    },
  },
};
