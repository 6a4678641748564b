import type { FigureShape } from "../payload";

export const GROWTH: FigureShape = {
  template: "growth",
  templateVersion: 1,
  columns: [
    { name: "kind", label: "row", kind: "text" },
    { name: "axis", label: "axis", kind: "text" },
    { name: "x", label: "compute", kind: "count" },
    { name: "y", label: "units", kind: "count" },
    { name: "share", label: "share of spend", kind: "percent" },
    { name: "low", label: "from", kind: "percent" },
    { name: "high", label: "to", kind: "percent" },
    { name: "part", label: "range", kind: "text" },
  ],
  tables: [
    { kind: "level", title: "Best amounts", columns: ["axis", "x", "y", "part"] },
    { kind: "share", title: "Shares of spend", columns: ["axis", "x", "share"] },
  ],
};
