import type { FigureShape } from "../payload";

export const AXIS_FITS: FigureShape = {
  template: "axis-fits",
  templateVersion: 1,
  columns: [
    { name: "kind", label: "row", kind: "text" },
    { name: "panel", label: "axis", kind: "text" },
    { name: "order", label: "order", kind: "count" },
    { name: "x", label: "level", kind: "count" },
    { name: "y", label: "at the centre", kind: "percent" },
    { name: "low", label: "low", kind: "percent" },
    { name: "high", label: "high", kind: "percent" },
    { name: "part", label: "range", kind: "text" },
    { name: "setting", label: "setting", kind: "text" },
    { name: "held", label: "held out", kind: "flag" },
    { name: "observed", label: "observed", kind: "percent" },
    { name: "run", label: "run", kind: "text" },
    { name: "files", label: "files", kind: "files" },
  ],
  lookup: { dataset: "runs", key: "run", columns: ["run", "setting", "held", "observed", "files"] },
  tables: [
    { kind: "point", title: "Runs", columns: ["panel", "x", "y", "observed", "setting", "held", "run", "files"] },
    { kind: "curve", title: "Curves", columns: ["panel", "x", "y", "low", "high", "part", "setting"] },
  ],
};
