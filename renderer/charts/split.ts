import { SPLIT } from "../../server/core/figures/shapes/split";
import { BLUE, INK, PAPER, QUIET } from "./style";
import type { ChartTemplate } from "./template";

const share = { type: "quantitative", title: "share of spend" };

export const splitChart: ChartTemplate = {
  shape: SPLIT,
  signals: ({ values }, _rows, width) => {
    const labels = Array.isArray(values.labels) ? values.labels : [];
    const room = Math.min(260, 20 + 6.4 * Math.max(8, ...labels.map((label) => String(label).length)));
    return { labels, most: values.most, width: Math.max(180, Math.min(520, width - room - 120)), height: 34 * Math.max(1, labels.length) };
  },
  spec: {
    data: { name: "rows" },
    params: [{ name: "labels", value: [] }, { name: "most", value: 1 }],
    width: 420,
    height: 120,
    encoding: {
      y: { field: "label", type: "nominal", title: null, scale: { domain: { expr: "labels" } }, axis: { domain: false, ticks: false, labelLimit: 260, labelPadding: 8, labelColor: INK, labelFontSize: 12 } },
    },
    layer: [
      {
        transform: [{ filter: "isValid(datum.low)" }],
        mark: { type: "rule", strokeWidth: 7, color: BLUE, opacity: 0.25 },
        encoding: { x: { ...share, field: "low", scale: { domain: { expr: "[0, most]" }, nice: false }, axis: { format: ".0%", tickCount: 5 } }, x2: { field: "high" } },
      },
      {
        transform: [{ filter: "isValid(datum.current) && isValid(datum.optimum)" }],
        mark: { type: "rule", strokeWidth: 1.5, color: QUIET },
        encoding: { x: { ...share, field: "current" }, x2: { field: "optimum" } },
      },
      {
        transform: [{ filter: "isValid(datum.current)" }],
        mark: { type: "point", size: 90, filled: true, fill: PAPER, stroke: INK, strokeWidth: 2, opacity: 1, tooltip: { content: "data" } },
        encoding: { x: { ...share, field: "current" } },
      },
      {
        transform: [{ filter: "isValid(datum.optimum)" }],
        mark: { type: "point", size: 90, filled: true, color: BLUE, opacity: 1, tooltip: { content: "data" } },
        encoding: { x: { ...share, field: "optimum" } },
      },
      { mark: { type: "text", align: "left", dx: 10, fontSize: 12 }, encoding: { x: { value: { expr: "width" } }, text: { field: "words" } } },
    ],
  },
};
