import type { FigureShape } from "../payload";

export const CURVES: FigureShape = {
  template: "curves",
  templateVersion: 1,
  columns: [
    { name: "kind", label: "row", kind: "text" },
    { name: "panel", label: "run", kind: "text" },
    { name: "order", label: "order", kind: "count" },
    { name: "x", label: "step", kind: "count" },
    { name: "y", label: "success", kind: "percent" },
    { name: "low", label: "low", kind: "percent" },
    { name: "high", label: "high", kind: "percent" },
    { name: "words", label: "advice", kind: "text" },
  ],
  tables: [
    { kind: "end", title: "Where each run ends", columns: ["panel", "x", "y", "low", "high", "words"] },
    { kind: "point", title: "Measured", columns: ["panel", "x", "y"] },
    { kind: "fan", title: "Forecasts", columns: ["panel", "x", "y", "low", "high"] },
    { kind: "law", title: "What the law says", columns: ["panel", "y"] },
  ],
};
