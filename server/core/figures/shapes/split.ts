import type { FigureShape } from "../payload";

export const SPLIT: FigureShape = {
  template: "split",
  templateVersion: 1,
  columns: [
    { name: "kind", label: "row", kind: "text" },
    { name: "axis", label: "axis", kind: "text" },
    { name: "label", label: "label", kind: "text" },
    { name: "place", label: "place", kind: "count" },
    { name: "now", label: "place now", kind: "number" },
    { name: "best", label: "place of the optimum", kind: "number" },
    { name: "from_at", label: "interval from", kind: "number" },
    { name: "to_at", label: "interval to", kind: "number" },
    { name: "current", label: "share now", kind: "percent" },
    { name: "optimum", label: "share at the optimum", kind: "percent" },
    { name: "low", label: "optimal share from", kind: "percent" },
    { name: "high", label: "to", kind: "percent" },
    { name: "change", label: "change", kind: "text" },
    { name: "from", label: "now", kind: "count" },
    { name: "to", label: "optimum", kind: "count" },
    { name: "held", label: "held", kind: "text" },
  ],
  tables: [
    {
      kind: "axis",
      title: "Split of the budget",
      columns: ["axis", "from", "to", "current", "optimum", "low", "high", "change", "held"],
    },
  ],
};
