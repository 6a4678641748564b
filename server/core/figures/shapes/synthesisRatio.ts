import type { FigureShape } from "../payload";

export const SYNTHESIS_RATIO: FigureShape = {
  template: "synthesis-ratio",
  templateVersion: 1,
  columns: [
    { name: "kind", label: "row", kind: "text" },
    { name: "panel", label: "axis and method", kind: "text" },
    { name: "order", label: "order", kind: "count" },
    { name: "at", label: "place on the axis", kind: "number" },
    { name: "ratio", label: "synthetic ÷ real", kind: "number" },
    { name: "y", label: "effective ÷ real", kind: "number" },
    { name: "low", label: "low", kind: "number" },
    { name: "high", label: "high", kind: "number" },
    { name: "discount", label: "κ of the run", kind: "number" },
    { name: "run", label: "run", kind: "text" },
    { name: "files", label: "files", kind: "files" },
  ],
  tables: [
    { kind: "point", title: "Runs", columns: ["panel", "ratio", "y", "discount", "run", "files"] },
    { kind: "critical", title: "Critical ratio", columns: ["panel", "ratio", "low", "high"] },
    { kind: "curve", title: "Curve", columns: ["panel", "ratio", "y", "low", "high"] },
  ],
};
