import type { FigureShape } from "../payload";

export const DISCOUNTS: FigureShape = {
  template: "discounts",
  templateVersion: 1,
  columns: [
    { name: "kind", label: "row", kind: "text" },
    { name: "axis", label: "axis", kind: "text" },
    { name: "method", label: "method", kind: "text" },
    { name: "label", label: "label", kind: "text" },
    { name: "place", label: "place", kind: "count" },
    { name: "estimate", label: "κ", kind: "number" },
    { name: "low", label: "low", kind: "number" },
    { name: "high", label: "high", kind: "number" },
    { name: "words", label: "κ in words", kind: "text" },
    { name: "source", label: "source", kind: "text" },
    { name: "doubted", label: "doubted", kind: "flag" },
  ],
  tables: [
    { kind: "one", title: "Discount per method", columns: ["axis", "method", "estimate", "low", "high", "source"] },
  ],
};
