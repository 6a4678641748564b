// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { allFigures } from "../core/figures/all";
import { button, page } from "./page";

const figures = allFigures();
/** jsdom has none. */
class Pointer extends MouseEvent {
  readonly pointerId: number;
  readonly pointerType: string;
  readonly isPrimary: boolean;
  constructor(name: string, { pointerId = 7, pointerType = "mouse", isPrimary = true, ...rest }: PointerEventInit) {
    super(name, { bubbles: true, cancelable: true, composed: true, ...rest });
    this.pointerId = pointerId;
    this.pointerType = pointerType;
    this.isPrimary = isPrimary;
  }
}
let opened: ReturnType<typeof page>[] = [];
const captured: number[] = [];

beforeEach(() => {
  // jsdom lays nothing out, so that the page's pixels are the drawing's; and it has no capture.
  Element.prototype.setPointerCapture = (id) => void captured.push(id);
});
afterEach(() => {
  for (const each of opened) each.renderer.disposeOutputItem?.(undefined);
  opened = [];
  captured.length = 0;
  document.body.replaceChildren();
});

async function shown(
  payload: unknown,
): Promise<{ root: ShadowRoot; posted: unknown[]; show: ReturnType<typeof page>["show"] }> {
  const made = page();
  opened.push(made);
  return { root: await made.show("a", payload), posted: made.posted, show: made.show };
}

type Place = readonly [number, number];
function send(root: ShadowRoot, name: string, [clientX, clientY]: Place, more: PointerEventInit = {}): Event {
  const event = new Pointer(name, { clientX, clientY, buttons: name === "pointerup" ? 0 : 1, ...more });
  root.querySelector("svg.marks")?.dispatchEvent(event);
  return event;
}
/** Where the panels of a drawing are, as its SVG says. */
function panels(root: ShadowRoot): { x: number; y: number; width: number; height: number }[] {
  const shift = (node: Element | null): number[] =>
    /translate\(([-\d.]+),([-\d.]+)\)/
      .exec(node?.getAttribute("transform") ?? "")
      ?.slice(1)
      .map(Number) ?? [0, 0];
  const [left, top] = shift(root.querySelector("svg.marks > g"));
  return [...root.querySelectorAll(".cell > g")].map((group) => {
    const [x, y] = shift(group);
    const [, width, height] =
      /h([\d.]+)v([\d.]+)/.exec(group.querySelector(":scope > .background")?.getAttribute("d") ?? "") ?? [];
    return { x: left + x, y: top + y, width: Number(width), height: Number(height) };
  });
}
function drag(root: ShadowRoot, from: Place, to: Place, more: PointerEventInit = {}): Event[] {
  return [
    send(root, "pointerdown", from, more),
    send(root, "pointermove", [(from[0] + to[0]) / 2, (from[1] + to[1]) / 2], more),
    send(root, "pointermove", to, more),
    send(root, "pointerup", to, more),
  ];
}
const words = (root: ShadowRoot): string => root.querySelector("[role=status]")?.textContent ?? "";
const labels = (root: ShadowRoot): string =>
  [...root.querySelectorAll(".role-axis-label text")].map((text) => text.textContent).join(" ");
/** A drag over the middle of the first panel, waited for. */
async function zoomed(root: ShadowRoot, more: PointerEventInit = {}): Promise<void> {
  const [{ x, y, width, height }] = panels(root);
  const before = labels(root);
  drag(root, [x + width * 0.3, y + height / 2], [x + width * 0.6, y + height / 2 + 8], more);
  await expect.poll(() => labels(root)).not.toBe(before);
}
async function saved(root: ShadowRoot, label: string): Promise<string> {
  const link = new Promise<HTMLAnchorElement>((resolve) => {
    root.addEventListener("click", (event) => {
      if (!(event.target instanceof HTMLAnchorElement)) return;
      event.preventDefault();
      resolve(event.target);
    });
  });
  button(root, label).click();
  const { href } = await link;
  // Text files are saved in base64: notebook pages save no other kind.
  return Buffer.from(href.slice(href.indexOf(",") + 1), "base64").toString("utf8");
}

describe("a drag over a panel", () => {
  it("zooms to it and says so; the button takes it back", async () => {
    const { root, posted } = await shown(figures.axisFits);
    const reset = button(root, "Reset zoom");
    const before = labels(root);
    expect(reset.classList.contains("hidden")).toBe(true);
    expect(words(root)).toBe("");
    await zoomed(root);
    expect(words(root)).toMatch(/^Zoomed to tasks /);
    expect(reset.classList.contains("hidden")).toBe(false);
    expect(root.querySelectorAll("svg.marks")).toHaveLength(1);
    expect(root.querySelector("svg.marks")?.getAttribute("aria-label")).toBe(figures.axisFits.text);
    reset.focus();
    reset.click();
    await expect.poll(() => labels(root)).toBe(before);
    expect(words(root)).toBe("");
    expect(reset.classList.contains("hidden")).toBe(true);
    expect(root.activeElement?.closest(".bar")).not.toBeNull();
    expect(posted).toEqual([]);
  });

  it("shows what would be zoomed to, and captures the pointer from there on", async () => {
    const { root } = await shown(figures.axisFits);
    const [{ x, y, width, height }] = panels(root);
    send(root, "pointerdown", [x + 50, y + 60]);
    send(root, "pointermove", [x + 52, y + 60]);
    expect(captured).toEqual([]);
    expect(root.querySelector(".brush")).toBeNull();
    send(root, "pointermove", [x + 90, y + 70]);
    expect(captured).toEqual([7]);
    const { style } = root.querySelector(".brush") as HTMLElement;
    expect([style.left, style.top, style.width, style.height].map(parseFloat)).toEqual([x + 50, y, 40, height]);
    // As far as the panel's edge, and no further.
    send(root, "pointermove", [x + 900, y + 70]);
    expect(parseFloat(style.width)).toBe(width - 50);
    send(root, "pointercancel", [x + 900, y + 70]);
    expect(root.querySelector(".brush")).toBeNull();
    expect(words(root)).toBe("");
  });

  it("of a pen is the same; a finger scrolls", async () => {
    const { root } = await shown(figures.axisFits);
    const drawing = root.querySelector(".drawing") as HTMLElement;
    const [{ x, y, width, height }] = panels(root);
    send(root, "pointerover", [x, y], { pointerType: "touch" });
    expect(drawing.style.touchAction).toBe("");
    const [down] = drag(root, [x + width * 0.3, y + height / 2], [x + width * 0.6, y + height / 2], {
      pointerType: "touch",
    });
    expect(down.defaultPrevented).toBe(false);
    expect(captured).toEqual([]);
    expect(words(root)).toBe("");
    send(root, "pointerover", [x, y], { pointerType: "pen" });
    expect(drawing.style.touchAction).toBe("none");
    await zoomed(root, { pointerType: "pen" });
  });

  it("is none with another button, from beside the panels, or where there is no such scale", async () => {
    const { root } = await shown(figures.axisFits);
    const [{ x, y, width, height }] = panels(root);
    drag(root, [x + width * 0.3, y + 40], [x + width * 0.6, y + 40], { button: 2 });
    drag(root, [x + width * 0.3, y + height + 20], [x + width * 0.6, y + height + 20]);
    expect(words(root)).toBe("");
    const forest = await shown(figures.forest);
    drag(forest.root, [200, 40], [300, 60]);
    expect(forest.root.querySelector("[role=status], .brush")).toBeNull();
  });

  it("holds with a setting chosen, and ends with another run of the cell", async () => {
    const { root, show } = await shown(figures.axisFitsThree);
    await zoomed(root);
    const ticks = labels(root);
    const points = (): number => root.querySelectorAll(".mark-symbol path").length;
    const all = points();
    button(root, "Qwen3-4B grpo tool-use").click();
    await expect.poll(points).toBe(all / 3);
    expect(labels(root)).toBe(ticks);
    expect(words(root)).toMatch(/^Zoomed to tasks /);
    await show("a", figures.axisFitsThree, root.host as HTMLElement);
    expect(words(root)).toBe("");
    expect(labels(root)).not.toBe(ticks);
  });

  it("traps neither wheel nor keys while zoomed", async () => {
    const { root } = await shown(figures.axisFits);
    await zoomed(root);
    const reached = vi.fn();
    document.addEventListener("keydown", reached);
    document.addEventListener("wheel", reached);
    const target = root.querySelector("svg.marks");
    for (const key of ["Escape", "Tab", "ArrowDown"]) {
      const event = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, composed: true });
      target?.dispatchEvent(event);
      expect(event.defaultPrevented).toBe(false);
    }
    const wheel = new WheelEvent("wheel", { bubbles: true, cancelable: true, composed: true });
    target?.dispatchEvent(wheel);
    expect(wheel.defaultPrevented).toBe(false);
    expect(reached).toHaveBeenCalledTimes(4);
    document.removeEventListener("keydown", reached);
    document.removeEventListener("wheel", reached);
    expect(words(root)).toMatch(/^Zoomed to tasks /);
  });
});

describe("a press without a drag", () => {
  const run = (root: ShadowRoot): Element => [...root.querySelectorAll(".mark-symbol path")][0];
  const press = (root: ShadowRoot, from: Place, to: Place): void => {
    drag(root, from, to);
    run(root).dispatchEvent(
      new MouseEvent("click", { clientX: to[0], clientY: to[1], bubbles: true, cancelable: true, composed: true }),
    );
  };

  it("opens the run that is clicked, and zooms nothing; at the end of a drag nothing is clicked", async () => {
    const { root, posted } = await shown(figures.withFiles);
    const [{ x, y, height }] = panels(root);
    press(root, [x + 60, y + height / 2], [x + 61, y + height / 2]);
    expect(posted).toHaveLength(1);
    expect(words(root)).toBe("");
    press(root, [x + 60, y + height / 2], [x + 120, y + height / 2]);
    expect(posted).toHaveLength(1);
    expect(words(root)).not.toBe("");
  });

  it("has a crosshair over a panel and none beside it", async () => {
    const { root } = await shown(figures.axisFits);
    const drawing = root.querySelector(".drawing");
    const [{ x, y, height }] = panels(root);
    send(root, "pointermove", [x + 60, y + 60], { buttons: 0 });
    expect(drawing?.classList.contains("brushable")).toBe(true);
    send(root, "pointermove", [x + 60, y + height + 25], { buttons: 0 });
    expect(drawing?.classList.contains("brushable")).toBe(false);
  });
});

describe("tooltips", () => {
  const hover = (root: ShadowRoot, name: "pointermove" | "mouseout"): void => {
    root.querySelector(".mark-symbol path")?.dispatchEvent(new Pointer(name, { clientX: 100, clientY: 100 }));
  };

  it("show a run's numbers beside the pointer, before and after a zoom", async () => {
    const { root } = await shown(figures.axisFits);
    const tip = root.querySelector(".tip");
    // Outside the drawing, which is emptied with every redraw.
    expect(tip?.closest(".drawing")).toBeNull();
    hover(root, "pointermove");
    expect(tip?.classList.contains("hidden")).toBe(false);
    expect(tip?.textContent).toContain("observed");
    await zoomed(root);
    expect(tip?.classList.contains("hidden")).toBe(true);
    hover(root, "pointermove");
    expect(tip?.classList.contains("hidden")).toBe(false);
    hover(root, "mouseout");
    expect(tip?.classList.contains("hidden")).toBe(true);
    expect(root.querySelectorAll(".tip")).toHaveLength(1);
  });
});

describe("a zoomed figure", () => {
  it("is saved as it is seen, with the range in its caption", async () => {
    const { root } = await shown(figures.axisFits);
    const whole = await saved(root, "SVG");
    expect(whole).not.toContain("Zoomed");
    await zoomed(root);
    const svg = await saved(root, "SVG");
    const said = words(root);
    const file = new DOMParser().parseFromString(svg, "image/svg+xml");
    expect(file.querySelector("parsererror")).toBeNull();
    expect([...file.querySelectorAll("svg > text")].map(({ textContent }) => textContent)).toContain(said);
    expect(file.querySelector("desc")?.textContent).toContain(said);
    expect([...file.querySelectorAll(".role-axis-label text")].map((text) => text.textContent).join(" ")).toBe(
      labels(root),
    );
  });

  it("has all its numbers in its table, in the CSV and in the Vega-Lite source", async () => {
    const { root } = await shown(figures.axisFits);
    button(root, "Table").click();
    const rows = (): number => root.querySelectorAll("tbody tr").length;
    const [before, csv, source] = [rows(), await saved(root, "CSV"), await saved(root, "Vega-Lite")];
    await zoomed(root);
    expect(rows()).toBe(before);
    expect(await saved(root, "CSV")).toBe(csv);
    expect(await saved(root, "Vega-Lite")).toBe(source);
    expect(source).not.toContain("zoom");
  });
});
