import type { FigureShape } from "../payload";

export const EXPONENT_FOREST: FigureShape = {
  template: "exponent-forest",
  templateVersion: 1,
  columns: [
    { name: "kind", label: "row", kind: "text" },
    { name: "panel", label: "axis", kind: "text" },
    { name: "order", label: "order", kind: "count" },
    { name: "label", label: "exponent of", kind: "text" },
    { name: "place", label: "place", kind: "count" },
    { name: "estimate", label: "exponent", kind: "number" },
    { name: "low", label: "low", kind: "number" },
    { name: "high", label: "high", kind: "number" },
    { name: "status", label: "status", kind: "text" },
    { name: "doubted", label: "doubted", kind: "flag" },
    { name: "setting", label: "setting", kind: "text" },
  ],
  tables: [
    { kind: "one", title: "Exponents", columns: ["panel", "label", "estimate", "low", "high", "status"] },
    { kind: "pooled", title: "Over settings", columns: ["panel", "label", "estimate", "low", "high"] },
    { kind: "next", title: "For a setting not yet seen", columns: ["panel", "low", "high"] },
  ],
};
