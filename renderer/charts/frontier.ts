import { logTicks } from "../../server/core/figures/ticks";
import { FRONTIER } from "../../server/core/figures/shapes/frontier";
import { BLUE, COMPUTE, INK, ORANGE, PAPER } from "./style";
import type { ChartTemplate } from "./template";

const path = {
  field: "path",
  type: "nominal",
  title: null,
  scale: { domain: { expr: "paths" }, range: [ORANGE, BLUE] },
  legend: { orient: "top", symbolType: "stroke", symbolStrokeWidth: 3, symbolSize: 180, symbolOpacity: 1 },
};
const success = { field: "y", type: "quantitative", title: "success rate" };

export const frontierChart: ChartTemplate = {
  shape: FRONTIER,
  zoom: [{ group: "", x: { scale: "x", column: "x", unit: "unit" }, y: { scale: "y", column: "y" } }],
  signals: ({ values }, rows, width) => {
    const costs = rows.flatMap((row) => (row.kind === "path" && typeof row.x === "number" && row.x > 0 ? [row.x] : []));
    const span = [Math.min(...costs), Math.max(...costs)];
    return {
      paths: values.paths,
      domain: values.domain,
      unit: values.unit,
      span,
      ticks: logTicks(span[0], span[1], 6),
      width: Math.max(220, Math.min(640, width - 90)),
      height: 280,
    };
  },
  spec: {
    data: { name: "rows" },
    params: [
      { name: "paths", value: ["current split, scaled", "best split"] },
      { name: "domain", value: [0, 1] },
      { name: "span", value: [1, 100] },
      { name: "ticks", value: [1, 10, 100] },
      { name: "unit", value: "" },
    ],
    width: 520,
    height: 280,
    encoding: {
      x: {
        field: "x",
        type: "quantitative",
        scale: { type: "log", domain: { expr: "span" }, nice: false },
        axis: {
          title: { expr: "'compute (' + unit + ', log)'" },
          values: { expr: "ticks" },
          labelExpr: COMPUTE,
          grid: false,
        },
      },
    },
    layer: [
      {
        transform: [{ filter: "datum.kind === 'path' && isValid(datum.low)" }],
        mark: { type: "area", opacity: 0.16, clip: true },
        encoding: {
          y: {
            field: "low",
            type: "quantitative",
            stack: null,
            title: "success rate",
            scale: { domain: { expr: "domain" }, nice: false, zero: false },
            axis: { format: ".2~%", tickCount: 6 },
          },
          y2: { field: "high" },
          color: path,
          detail: { field: "part", type: "nominal" },
        },
      },
      {
        transform: [{ filter: "datum.kind === 'path' && indexof(datum.part, 'within') === 0" }],
        mark: { type: "line", strokeWidth: 2, clip: true },
        encoding: { y: success, color: path, detail: { field: "part", type: "nominal" } },
      },
      {
        transform: [{ filter: "datum.kind === 'path' && indexof(datum.part, 'beyond') === 0" }],
        mark: { type: "line", strokeWidth: 1.5, strokeDash: [4, 3], clip: true },
        encoding: { y: success, color: path, detail: { field: "part", type: "nominal" } },
      },
      {
        transform: [{ filter: "datum.kind === 'gain'" }],
        mark: { type: "rule", strokeWidth: 1.5, color: INK },
        encoding: { y: success, x2: { field: "x2" } },
      },
      {
        transform: [{ filter: "datum.kind === 'gain'" }],
        mark: { type: "point", shape: "triangle-left", size: 60, filled: true, color: INK, opacity: 1 },
        encoding: { x: { field: "x2", type: "quantitative" }, y: success },
      },
      {
        transform: [{ filter: "datum.kind === 'place'" }],
        mark: {
          type: "point",
          size: 90,
          filled: true,
          stroke: INK,
          strokeWidth: 2,
          opacity: 1,
          tooltip: { content: "data" },
        },
        encoding: { y: success, fill: { condition: { test: "datum.words === 'now'", value: PAPER }, value: INK } },
      },
      {
        transform: [{ filter: "datum.words === 'now'" }],
        mark: { type: "text", align: "left", dx: 9, dy: 12, fontSize: 12 },
        encoding: { y: success, text: { field: "words" } },
      },
      {
        transform: [{ filter: "datum.words === 'optimum'" }],
        mark: { type: "text", align: "right", dx: -9, dy: -10, fontSize: 12 },
        encoding: { y: success, text: { field: "words" } },
      },
      {
        transform: [{ filter: "datum.kind === 'gain'" }],
        // Left of the arrow, or above it where the axis is near.
        mark: {
          type: "text",
          align: { expr: "width < 300 ? 'left' : 'right'" },
          dx: { expr: "width < 300 ? 0 : -10" },
          dy: { expr: "width < 300 ? -11 : 1" },
          fontSize: 12,
          fontWeight: "bold",
        },
        encoding: { x: { field: "x2", type: "quantitative" }, y: success, text: { field: "words" } },
      },
    ],
  },
};
