import { EXPONENT_FOREST } from "../../server/core/figures/shapes/exponentForest";
import { INK, PALETTE, PAPER, QUIET } from "./style";
import { settingsOf, type ChartTemplate } from "./template";

const setting = {
  field: "setting",
  type: "nominal",
  legend: null,
  scale: { domain: { expr: "settings" }, range: PALETTE },
};
const MOST_COLUMNS = 4;
const labelWidth = (labels: readonly unknown[]): number =>
  Math.min(240, 20 + 6.2 * Math.max(8, ...labels.map((label) => String(label).length)));

export const exponentForestChart: ChartTemplate = {
  shape: EXPONENT_FOREST,
  // A forest shares its rows between panels, so panels do not wrap.
  columns: (_width, { values }) => (Array.isArray(values.panels) ? values.panels.length : MOST_COLUMNS),
  settings: settingsOf,
  marker: "square",
  signals: ({ values }, rows, width) => {
    const panels = Array.isArray(values.panels) ? values.panels.length : 1;
    const labels = Array.isArray(values.labels) ? values.labels : [];
    return {
      settings: [...settingsOf(rows), ""],
      labels,
      domain: values.domain,
      child_width: Math.max(
        90,
        Math.min(panels === 1 ? 420 : 220, Math.floor((width - labelWidth(labels)) / Math.max(1, panels)) - 28),
      ),
      child_height: 24 * Math.max(1, labels.length),
    };
  },
  spec: {
    data: { name: "rows" },
    params: [
      { name: "settings", value: [] },
      { name: "labels", value: [] },
      { name: "domain", value: [0, 0.5] },
      { name: "chosen", value: null },
    ],
    transform: [{ filter: "isValid(datum.low) || isValid(datum.estimate)" }],
    facet: { field: "panel", type: "nominal", sort: { field: "order", op: "min" }, title: null },
    columns: 4,
    spacing: { row: 18, column: 28 },
    bounds: "flush",
    spec: {
      width: 150,
      height: 120,
      encoding: {
        y: {
          field: "label",
          type: "nominal",
          title: null,
          scale: { domain: { expr: "labels" } },
          axis: { domain: false, ticks: false, labelLimit: 220, labelPadding: 8, labelColor: INK, grid: false },
        },
        opacity: {
          condition: { test: "!isValid(chosen) || datum.setting === chosen || datum.kind !== 'one'", value: 1 },
          value: 0.3,
        },
      },
      layer: [
        {
          transform: [{ filter: "datum.kind === 'one' && isValid(datum.low)" }],
          mark: { type: "rule", strokeWidth: 2, clip: true },
          encoding: {
            x: {
              field: "low",
              type: "quantitative",
              title: "exponent α",
              scale: { domain: { expr: "domain" }, nice: false },
              axis: { tickCount: 4, grid: true },
            },
            x2: { field: "high" },
            stroke: setting,
          },
        },
        {
          transform: [{ filter: "datum.kind === 'pooled' && isValid(datum.low)" }],
          mark: { type: "rule", strokeWidth: 2, color: INK, clip: true },
          encoding: { x: { field: "low", type: "quantitative", title: "exponent α" }, x2: { field: "high" } },
        },
        {
          transform: [{ filter: "datum.kind === 'next'" }],
          mark: { type: "rule", strokeWidth: 1, strokeDash: [2, 2], color: QUIET, clip: true },
          encoding: { x: { field: "low", type: "quantitative", title: "exponent α" }, x2: { field: "high" } },
        },
        {
          data: { values: [{}] },
          mark: { type: "rule", strokeWidth: 1, color: INK },
          encoding: { x: { datum: 0, type: "quantitative" }, y: null },
        },
        {
          transform: [{ filter: "datum.kind === 'one' && isValid(datum.estimate)" }],
          mark: {
            type: "point",
            shape: "square",
            size: 70,
            filled: true,
            strokeWidth: 2,
            opacity: 1,
            tooltip: { content: "data" },
            cursor: "pointer",
          },
          encoding: {
            x: { field: "estimate", type: "quantitative", title: "exponent α" },
            fill: { ...setting, condition: { test: "datum.doubted", value: PAPER } },
            stroke: setting,
          },
        },
        {
          transform: [{ filter: "datum.kind === 'pooled'" }],
          mark: {
            type: "point",
            shape: "diamond",
            size: 170,
            filled: true,
            color: INK,
            opacity: 1,
            tooltip: { content: "data" },
          },
          encoding: { x: { field: "estimate", type: "quantitative", title: "exponent α" } },
        },
      ],
    },
  },
};
