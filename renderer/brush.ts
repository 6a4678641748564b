import { element } from "./dom";
import type { Box, DrawnPanel } from "./zoom";

/** What a brush asks of the figure it is on. Places are in pixels of the drawing. */
export interface Brushed {
  /** The panels under the pointer's reach at the moment, none while the figure is not live; and the drawing's place on the page. */
  panels(): { readonly panels: readonly DrawnPanel[]; readonly left: number; readonly top: number };
  /** A drag has begun. */
  started(): void;
  chosen(panel: DrawnPanel, box: Box): void;
}

/** A press that moves less than this is a click. */
const DRAG = 5;
/** A dimension counts when it is this long, or not much shorter than the other. */
const LONG = 20;
const PROPORTION = 0.6;
/** How far beside a panel a drag may begin: a point on its edge wants to be inside. */
const BESIDE = 6;

const between = (value: number, low: number, high: number): number => Math.min(high, Math.max(low, value));

/** The stretch of a panel between two points of it: across, down or both, as the drag went; null for a click. */
export function boxOf(
  { panel, width, height }: DrawnPanel,
  from: readonly [number, number],
  to: readonly [number, number],
): Box | null {
  const x = [from[0], to[0]].map((each) => between(each, 0, width)).sort((a, b) => a - b);
  const y = [from[1], to[1]].map((each) => between(each, 0, height)).sort((a, b) => a - b);
  const [across, down] = [x[1] - x[0], panel.y ? y[1] - y[0] : 0];
  if (Math.max(across, down) < DRAG) return null;
  const counts = (own: number, other: number): boolean => own >= DRAG && own >= Math.min(LONG, PROPORTION * other);
  return { x: counts(across, down) ? [x[0], x[1]] : null, y: counts(down, across) ? [y[0], y[1]] : null };
}

/** Lets a mouse or a pen draw a box over a panel. Touch scrolls as everywhere, and neither wheel nor keys are listened to. Returns the way to stop. */
export function brush(drawing: HTMLElement, figure: Brushed): () => void {
  const shade = element("div", { class: "brush" });
  const stop = new AbortController();
  let from: readonly [number, number] | undefined;
  let drag: { readonly panel: DrawnPanel; readonly left: number; readonly top: number } | undefined;

  const under = ([clientX, clientY]: readonly [number, number]): typeof drag => {
    const { panels, left, top } = figure.panels();
    const [x, y] = [clientX - left, clientY - top];
    const panel = panels.find(
      (one) =>
        x >= one.x - BESIDE &&
        x <= one.x + one.width + BESIDE &&
        y >= one.y - BESIDE &&
        y <= one.y + one.height + BESIDE,
    );
    return panel && { panel, left: left + panel.x, top: top + panel.y };
  };
  const box = ({ panel, left, top }: NonNullable<typeof drag>, event: PointerEvent): Box | null =>
    boxOf(panel, [(from?.[0] ?? 0) - left, (from?.[1] ?? 0) - top], [event.clientX - left, event.clientY - top]);
  const end = (): void => {
    from = undefined;
    drag = undefined;
    shade.remove();
  };
  const on = (
    name: "pointerdown" | "pointermove" | "pointerup" | "pointercancel" | "pointerover",
    run: (event: PointerEvent) => void,
  ): void => drawing.addEventListener(name, run, { signal: stop.signal });

  // A pen would scroll the page; a finger should.
  on("pointerover", ({ pointerType }) => {
    drawing.style.touchAction = pointerType === "pen" ? "none" : "";
  });
  on("pointerdown", (event) => {
    end();
    if (event.pointerType !== "touch" && event.isPrimary && event.button === 0) from = [event.clientX, event.clientY];
  });
  on("pointermove", (event) => {
    if (from && event.buttons === 0) end();
    if (!from) {
      drawing.classList.toggle(
        "brushable",
        event.pointerType !== "touch" && under([event.clientX, event.clientY]) !== undefined,
      );
      return;
    }
    if (!drag) {
      if (Math.hypot(event.clientX - from[0], event.clientY - from[1]) < DRAG) return;
      drag = under(from);
      if (!drag) return;
      // Only now: a captured press would never be a click on a run.
      drawing.setPointerCapture(event.pointerId);
      figure.started();
    }
    const { panel, left, top } = drag;
    const drawn = box(drag, event);
    if (!drawn) return shade.remove();
    const [x, y] = [drawn.x ?? [0, panel.width], drawn.y ?? [0, panel.height]];
    const own = drawing.getBoundingClientRect();
    Object.assign(shade.style, {
      left: `${left + x[0] - own.left + drawing.scrollLeft}px`,
      top: `${top + y[0] - own.top + drawing.scrollTop}px`,
      width: `${x[1] - x[0]}px`,
      height: `${y[1] - y[0]}px`,
    });
    if (!shade.isConnected) drawing.append(shade);
  });
  on("pointerup", (event) => {
    const drawn = drag && box(drag, event);
    if (drag) drawing.addEventListener("click", swallow, { capture: true, once: true });
    // The click comes in the same turn, if it comes.
    setTimeout(() => drawing.removeEventListener("click", swallow, { capture: true }));
    if (drag && drawn) figure.chosen(drag.panel, drawn);
    end();
  });
  on("pointercancel", end);
  return () => {
    stop.abort();
    shade.remove();
  };
}

/** The end of a drag is no click on the run beneath it. */
function swallow(event: Event): void {
  event.stopPropagation();
}
