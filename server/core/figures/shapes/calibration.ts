import type { FigureShape } from "../payload";

export const CALIBRATION: FigureShape = {
  template: "calibration",
  templateVersion: 1,
  columns: [
    { name: "kind", label: "row", kind: "text" },
    { name: "predicted", label: "predicted", kind: "percent" },
    { name: "observed", label: "observed", kind: "percent" },
    { name: "low", label: "expected from", kind: "percent" },
    { name: "high", label: "expected to", kind: "percent" },
    { name: "residual", label: "residual (points)", kind: "points" },
    { name: "spread", label: "expected spread (points)", kind: "points" },
    { name: "covered", label: "in its interval", kind: "flag" },
    { name: "held", label: "held out", kind: "flag" },
    { name: "setting", label: "setting", kind: "text" },
    { name: "run", label: "run", kind: "text" },
    { name: "files", label: "files", kind: "files" },
  ],
  tables: [
    {
      kind: "point",
      title: "Runs",
      columns: ["predicted", "observed", "low", "high", "residual", "covered", "held", "setting", "run", "files"],
    },
  ],
};
