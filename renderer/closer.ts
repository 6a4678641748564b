import { brush } from "./brush";
import type { ChartView } from "./dataflow";
import { element } from "./dom";
import type { Figure } from "./figure";
import { panelsOf, zoomTo, zoomWords, type Zoom } from "./zoom";

/** A figure that can be looked at closer. */
export interface Closer {
  readonly figure: Figure;
  readonly drawing: HTMLElement;
  /** The live drawing; undefined while it is still. */
  view(): ChartView | undefined;
  /** A drag has begun over the drawing. */
  started(): void;
  changed(zoom: Zoom): void;
  /** The button of the way back is about to go: whoever is on it is led elsewhere in the figure. */
  leave(): void;
}

/** Lets a drag look closer. The line says what is seen and has the way back; it is empty while the figure is whole. */
export function closer({ figure, drawing, view, started, changed, leave }: Closer): {
  readonly line: HTMLElement;
  readonly stop: () => void;
} {
  const words = element("span", { role: "status" });
  const reset = element("button", { type: "button", class: "hidden", title: "Show the whole figure" }, "Reset zoom");
  let zoom: Zoom = {};
  const show = (next: Zoom): void => {
    zoom = next;
    words.textContent = zoomWords(next);
    reset.classList.toggle("hidden", words.textContent === "");
    changed(next);
  };
  reset.addEventListener("click", () => {
    leave();
    show({});
  });
  const stop = brush(drawing, {
    panels: () => {
      const svg = drawing.querySelector("svg")?.getBoundingClientRect();
      const live = view();
      return {
        panels: live ? panelsOf(live, figure.template.zoom ?? []) : [],
        left: svg?.left ?? 0,
        top: svg?.top ?? 0,
      };
    },
    started,
    chosen: (panel, box) => show(zoomTo(zoom, figure, panel, box)),
  });
  return { line: element("p", { class: "zoomed" }, words, reset), stop };
}
