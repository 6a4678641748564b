/** A figure that can be live (a Vega view with its event handlers) or still (plain SVG nodes, a hundredth of the memory). */
export interface Resident {
  readonly element: Element;
  wake(): void;
  rest(): void;
}

const MOST_LIVE = 6;
/** Pixels beyond the page's edge at which a figure is woken. */
const NEAR = "300px";

const live: Resident[] = [];
const byElement = new Map<Element, Resident>();
let observer: IntersectionObserver | undefined;

/** Notes that a figure is live, and lets the one longest out of use rest when there are too many. */
export function used(resident: Resident): void {
  const at = live.indexOf(resident);
  if (at >= 0) live.splice(at, 1);
  live.push(resident);
  if (live.length > MOST_LIVE) live.shift()?.rest();
}

/** Wakes the figure whenever it comes near the viewport. */
export function watch(resident: Resident): void {
  if (typeof IntersectionObserver === "undefined") return;
  // With the document as root the margin also counts inside a cross-origin frame.
  observer ??= new IntersectionObserver((entries) => {
    for (const entry of entries) if (entry.isIntersecting) byElement.get(entry.target)?.wake();
  }, { root: document, rootMargin: NEAR });
  byElement.set(resident.element, resident);
  observer.observe(resident.element);
}

export function forget(resident: Resident): void {
  const at = live.indexOf(resident);
  if (at >= 0) live.splice(at, 1);
  byElement.delete(resident.element);
  observer?.unobserve(resident.element);
  if (byElement.size === 0) {
    observer?.disconnect();
    observer = undefined;
  }
}

/** Figures that hold a Vega view at the moment; for tests. */
export function liveCount(): number {
  return live.length;
}
