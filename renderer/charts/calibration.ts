import { CALIBRATION } from "../../server/core/figures/shapes/calibration";
import type { FigurePayload } from "../../server/core/figures/payload";
import { decimal } from "../../server/core/numbers";
import { BLUE, INK, PALETTE, PAPER, QUIET, SHAPES } from "./style";
import { settingsOf, type ChartTemplate } from "./template";

const POINTS = "datum.kind === 'point'";
const colour = {
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
const difference = (value: number, { values }: FigurePayload): string =>
  String(values.format).endsWith("%") ? `${decimal(value, 2)} points` : String(Number(value.toPrecision(4)));
const predicted = {
  field: "predicted",
  type: "quantitative",
  scale: { domain: { expr: "domain" }, nice: false, zero: false },
  axis: { title: { expr: "xLabel" }, labelExpr: "format(datum.value, numbers)", tickCount: 5, grid: false },
};

const observed = {
  type: "quantitative",
  scale: { domain: { expr: "domain" }, nice: false, zero: false },
  axis: { title: { expr: "yLabel" }, labelExpr: "format(datum.value, numbers)", tickCount: 5 },
};
const residual = {
  type: "quantitative",
  scale: { domain: { expr: "residuals" }, nice: false },
  axis: { title: { expr: "residualLabel" }, tickCount: 5 },
};

/** A reference line over the whole width, with its height by an expression over `datum.end` (0 left, 1 right). */
const line = (v: string): Record<string, unknown> => ({
  data: { values: [{ end: 0 }, { end: 1 }] },
  transform: [
    { calculate: "domain[datum.end]", as: "predicted" },
    { calculate: v, as: "v" },
  ],
  mark: { type: "line", color: QUIET, strokeDash: [4, 3], strokeWidth: 1.5 },
});

const points = (y: Record<string, unknown>): unknown[] => [
  {
    transform: [{ filter: `${POINTS} && !datum.held` }],
    mark: { type: "point", filled: true, size: 32, opacity: 0.85, clip: true, tooltip: { content: "data" } },
    encoding: { y, color: colour, shape },
  },
  {
    transform: [{ filter: `${POINTS} && datum.held` }],
    mark: {
      type: "point",
      shape: "diamond",
      filled: true,
      size: 70,
      fill: PAPER,
      stroke: INK,
      strokeWidth: 1.5,
      opacity: 1,
      clip: true,
      tooltip: { content: "data" },
    },
    encoding: { y },
  },
];

export const calibrationChart: ChartTemplate = {
  shape: CALIBRATION,
  settings: settingsOf,
  zoom: [
    {
      group: "concat_0_group",
      x: { scale: "concat_0_x", column: "predicted" },
      y: { scale: "concat_0_y", column: "observed" },
    },
    {
      group: "concat_1_group",
      x: { scale: "concat_1_x", column: "predicted" },
      y: { scale: "concat_1_y", column: "residual", label: "residual", words: difference },
    },
  ],
  signals: ({ values }, rows, width) => {
    const side = Math.max(170, Math.min(330, Math.floor((width - 150) / 2)));
    return {
      domain: values.domain,
      residuals: values.residuals,
      xLabel: values.xLabel,
      yLabel: values.yLabel,
      residualLabel: values.residualLabel, // Without decimals the ticks of a narrow range would be told apart by nothing.
      numbers: values.format === ".0%" ? ".2~%" : values.format,
      settings: [...settingsOf(rows), ""],
      childWidth: side,
      height: Math.round(side * 0.85),
    };
  },
  spec: {
    data: { name: "rows" },
    params: [
      { name: "domain", value: [0, 1] },
      { name: "residuals", value: [-10, 10] },
      { name: "xLabel", value: "predicted success" },
      { name: "yLabel", value: "observed success" },
      { name: "residualLabel", value: "observed − predicted (points)" },
      { name: "numbers", value: ".2~%" },
      { name: "settings", value: [] },
      { name: "chosen", value: null },
    ],
    transform: [{ filter: "!isValid(chosen) || datum.setting === chosen" }],
    spacing: 40,
    hconcat: [
      {
        width: 260,
        height: 220,
        encoding: { x: predicted },
        layer: [
          { ...line("domain[datum.end]"), encoding: { y: { ...observed, field: "v" } } },
          {
            transform: [{ filter: POINTS }],
            mark: { type: "rule", color: BLUE, opacity: 0.3, strokeWidth: 1.5, clip: true },
            encoding: { y: { ...observed, field: "low" }, y2: { field: "high" } },
          },
          ...points({ ...observed, field: "observed" }),
        ],
      },
      {
        width: 260,
        height: 220,
        encoding: { x: predicted },
        layer: [
          { ...line("0"), encoding: { y: { ...residual, field: "v" } } },
          {
            transform: [{ filter: POINTS }],
            mark: { type: "rule", color: BLUE, opacity: 0.3, strokeWidth: 1.5, clip: true },
            encoding: { y: { ...residual, field: "from" }, y2: { field: "spread" } },
          },
          ...points({ ...residual, field: "residual" }),
        ],
        transform: [{ calculate: "-datum.spread", as: "from" }],
      },
    ],
  },
};
