import { DISCOUNTS } from "../../server/core/figures/shapes/discounts";
import { BLUE, INK, PAPER } from "./style";
import type { ChartTemplate } from "./template";

export const discountsChart: ChartTemplate = {
  shape: DISCOUNTS,
  signals: ({ values }, _rows, width) => {
    const labels = Array.isArray(values.labels) ? values.labels : [];
    const room = Math.min(260, 20 + 6.2 * Math.max(8, ...labels.map((label) => String(label).length)));
    return {
      labels,
      domain: values.domain,
      width: Math.max(160, Math.min(480, width - room - 150)),
      height: 28 * Math.max(1, labels.length),
    };
  },
  spec: {
    data: { name: "rows" },
    params: [
      { name: "labels", value: [] },
      { name: "domain", value: [0, 1] },
    ],
    width: 360,
    height: 120,
    encoding: {
      y: {
        field: "label",
        type: "nominal",
        title: null,
        scale: { domain: { expr: "labels" } },
        axis: { domain: false, ticks: false, labelLimit: 240, labelPadding: 8, labelColor: INK },
      },
    },
    layer: [
      {
        transform: [{ filter: "isValid(datum.low)" }],
        mark: { type: "rule", strokeWidth: 2, color: BLUE },
        encoding: {
          x: {
            field: "low",
            type: "quantitative",
            title: "κ, real units per synthetic unit",
            scale: { domain: { expr: "domain" }, nice: false },
            axis: { tickCount: 5 },
          },
          x2: { field: "high" },
        },
      },
      {
        data: { values: [{ at: 0 }, { at: 1 }] },
        mark: { type: "rule", strokeDash: [3, 3], color: INK },
        encoding: { x: { field: "at", type: "quantitative" }, y: null },
      },
      {
        transform: [{ filter: "isValid(datum.estimate)" }],
        mark: {
          type: "point",
          size: 80,
          filled: true,
          strokeWidth: 2,
          stroke: BLUE,
          opacity: 1,
          tooltip: { content: "data" },
        },
        encoding: {
          x: { field: "estimate", type: "quantitative" },
          fill: { condition: { test: "datum.doubted", value: PAPER }, value: BLUE },
        },
      },
      {
        mark: { type: "text", align: "left", dx: 10 },
        encoding: { x: { value: { expr: "width" } }, text: { field: "words" } },
      },
    ],
  },
};
