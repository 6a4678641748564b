import { SPLIT } from "../../server/core/figures/shapes/split";
import { BLUE, INK, PAPER, QUIET } from "./style";
import type { ChartTemplate } from "./template";

const place = { type: "quantitative", scale: { domain: { expr: "domain" }, nice: false, zero: false } };
const title = "scale === 'share' ? 'share of spend' : 'times as much as now'";
const label =
  "scale === 'share' ? format(datum.value, '.0%') : datum.value < 0 ? '×1/' + format(pow(2, -datum.value), '~r') : '×' + format(pow(2, datum.value), '~r')";

export const splitChart: ChartTemplate = {
  shape: SPLIT,
  signals: ({ values }, _rows, width) => {
    const labels = Array.isArray(values.labels) ? values.labels : [];
    const room = Math.min(280, 20 + 6.6 * Math.max(8, ...labels.map((each) => String(each).length)));
    const span = Array.isArray(values.domain) ? values.domain.map(Number) : [0, 1];
    const doublings = Array.from({ length: 41 }, (_, i) => i - 20).filter((at) => at >= span[0] && at <= span[1]);
    return {
      labels,
      domain: span,
      scale: values.scale,
      ticks: values.scale === "share" ? [0, 0.2, 0.4, 0.6, 0.8, 1] : doublings,
      width: Math.max(180, Math.min(520, width - room - 130)),
      height: 34 * Math.max(1, labels.length),
    };
  },
  spec: {
    data: { name: "rows" },
    params: [
      { name: "labels", value: [] },
      { name: "domain", value: [0, 1] },
      { name: "scale", value: "share" },
      { name: "ticks", value: [0, 0.5, 1] },
    ],
    width: 420,
    height: 120,
    encoding: {
      y: {
        field: "label",
        type: "nominal",
        title: null,
        scale: { domain: { expr: "labels" } },
        axis: { domain: false, ticks: false, labelLimit: 280, labelPadding: 8, labelColor: INK, labelFontSize: 12 },
      },
    },
    layer: [
      {
        transform: [{ filter: "isValid(datum.from_at) && isValid(datum.to_at)" }],
        mark: { type: "rule", strokeWidth: 7, color: BLUE, opacity: 0.25, clip: true },
        encoding: {
          x: {
            ...place,
            field: "from_at",
            axis: { title: { expr: title }, values: { expr: "ticks" }, labelExpr: label },
          },
          x2: { field: "to_at" },
        },
      },
      {
        transform: [{ filter: "isValid(datum.now) && isValid(datum.best)" }],
        mark: { type: "rule", strokeWidth: 1.5, color: QUIET },
        encoding: { x: { ...place, field: "now" }, x2: { field: "best" } },
      },
      {
        transform: [{ filter: "isValid(datum.now)" }],
        mark: {
          type: "point",
          size: 90,
          filled: true,
          fill: PAPER,
          stroke: INK,
          strokeWidth: 2,
          opacity: 1,
          tooltip: { content: "data" },
        },
        encoding: { x: { ...place, field: "now" } },
      },
      {
        transform: [{ filter: "isValid(datum.best)" }],
        mark: { type: "point", size: 90, filled: true, color: BLUE, opacity: 1, tooltip: { content: "data" } },
        encoding: { x: { ...place, field: "best" } },
      },
      {
        mark: { type: "text", align: "left", dx: 10, fontSize: 12 },
        encoding: { x: { value: { expr: "width" } }, text: { field: "change" } },
      },
    ],
  },
};
