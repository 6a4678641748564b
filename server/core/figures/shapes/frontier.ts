import type { FigureShape } from "../payload";

export const FRONTIER: FigureShape = {
  template: "frontier",
  templateVersion: 1,
  columns: [
    { name: "kind", label: "row", kind: "text" },
    { name: "path", label: "path", kind: "text" },
    { name: "x", label: "compute", kind: "count" },
    { name: "x2", label: "compute of the other path", kind: "count" },
    { name: "y", label: "success", kind: "percent" },
    { name: "low", label: "low", kind: "percent" },
    { name: "high", label: "high", kind: "percent" },
    { name: "part", label: "range", kind: "text" },
    { name: "words", label: "gain", kind: "text" },
  ],
  tables: [
    { kind: "gain", title: "Gain at equal success", columns: ["x", "x2", "y", "words"] },
    { kind: "place", title: "Where the config stands", columns: ["path", "x", "y", "low", "high"] },
    { kind: "path", title: "Paths", columns: ["path", "x", "y", "low", "high", "part"] },
  ],
};
