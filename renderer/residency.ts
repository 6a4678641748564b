/** A figure that can be live (a Vega view with its event handlers) or still (plain SVG nodes, a hundredth of the memory). */
export interface Resident {
  readonly element: Element;
  /** True while it holds a view that shows what it should. */
  readonly awake: boolean;
  wake(): Promise<void>;
  rest(): void;
}

const MOST_LIVE = 6;
/** Pixels beyond the page's edge at which a figure counts as near. */
const MARGIN = "300px";
/** Figures wake this long after the last scroll, one a turn: a wake costs a drawing, and a scroll must not wait for it. */
const QUIET_MS = 150;

const live: Resident[] = [];
const byElement = new Map<Element, Resident>();
const near = new Set<Resident>();
let observer: IntersectionObserver | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Notes that a figure is live, and lets the one longest out of use rest when there are too many. */
export function used(resident: Resident): void {
  drop(resident);
  live.push(resident);
  if (live.length <= MOST_LIVE) return;
  const idle = live.find((other) => other !== resident && !near.has(other)) ?? live[0];
  drop(idle);
  idle.rest();
}

function drop(resident: Resident): void {
  const at = live.indexOf(resident);
  if (at >= 0) live.splice(at, 1);
}

/** Whether it is on the page or close to it; true where that cannot be known. */
export function isNear(resident: Resident): boolean {
  return observer === undefined || near.has(resident);
}

/** Wakes the figure when it comes near the viewport. */
export function watch(resident: Resident): void {
  if (typeof IntersectionObserver === "undefined") return;
  // With the document as root the margin also counts inside a cross-origin frame.
  observer ??= new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        const found = byElement.get(target);
        if (found && isIntersecting) near.add(found);
        else if (found) near.delete(found);
      }
      schedule();
    },
    { root: document, rootMargin: MARGIN },
  );
  byElement.set(resident.element, resident);
  observer.observe(resident.element);
}

function schedule(): void {
  clearTimeout(timer);
  timer = setTimeout(() => {
    // No more than may be live, or figures would wake and put each other to rest for ever.
    const next = [...near].slice(0, MOST_LIVE).find((resident) => !resident.awake);
    if (next) void next.wake().then(schedule, () => undefined);
  }, QUIET_MS);
}

export function forget(resident: Resident): void {
  drop(resident);
  near.delete(resident);
  byElement.delete(resident.element);
  observer?.unobserve(resident.element);
  if (byElement.size > 0) return;
  observer?.disconnect();
  observer = undefined;
  clearTimeout(timer);
}

/** Figures that hold a Vega view at the moment; for tests. */
export function liveCount(): number {
  return live.length;
}
