import type { FigureShape } from "../server/core/figures/payload";
import type { RowValue } from "./charts/template";
import { element } from "./dom";
import { cellWords } from "./table";

/**
 * Vega's tooltip hook: shows a row's readable columns in `tip`, beside the pointer. Text only, whatever the row holds. `tip` must stand
 * outside the drawing, which Vega empties and whose edges cut off what it contains.
 */
export function tooltip(tip: HTMLElement, shape: FigureShape) {
  return (_handler: unknown, event: MouseEvent, _item: unknown, value: unknown): void => {
    const row = value as Readonly<Record<string, RowValue>> | null | undefined;
    const table = shape.tables.find((candidate) => candidate.kind === row?.kind);
    if (!row || !table) {
      tip.classList.add("hidden");
      return;
    }
    const list = element("dl");
    for (const name of table.columns) {
      const column = shape.columns.find((candidate) => candidate.name === name);
      if (!column || column.kind === "files") continue;
      const words = cellWords(row[name], column);
      if (words) list.append(element("dt", {}, column.label), element("dd", {}, words));
    }
    tip.replaceChildren(list);
    tip.classList.remove("hidden");
    const width = tip.offsetWidth;
    const right = event.clientX + 14;
    tip.style.left = `${right + width > document.documentElement.clientWidth ? Math.max(0, event.clientX - width - 14) : right}px`;
    tip.style.top = `${event.clientY + 14}px`;
  };
}
