import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { FigurePayload } from "../../server/report/figures";
import { boxOf } from "../../renderer/brush";
import { CHARTS } from "../../renderer/charts/index";
import { figureOf } from "../../renderer/figure";
import {
  narrowed,
  zoomKey,
  zoomTicks,
  zoomTo,
  zoomWords,
  type DrawnPanel,
  type Scale,
  type Zoom,
} from "../../renderer/zoom";
import { allFigures } from "../core/figures/all";
import { sceneOf, type Scene } from "./scene";

const figures = allFigures();

/** A scale over 200 pixels, its inverse by the definition and not by Vega. */
function scale(low: number, high: number, type: "log" | "linear" = "linear"): Scale {
  return {
    type,
    domain: () => [low, high],
    invert: (pixel) => (type === "log" ? low * (high / low) ** (pixel / 200) : low + ((high - low) * pixel) / 200),
  };
}
const within = (a: readonly number[], b: readonly number[], part = 1e-9): void => {
  expect(a).toHaveLength(b.length);
  a.forEach((value, i) => expect(Math.abs(value - b[i])).toBeLessThanOrEqual(part * Math.max(1e-12, Math.abs(b[i]))));
};

describe("the range of a drag", () => {
  it("is linear on a linear scale and geometric on a log scale", () => {
    within(narrowed(scale(0, 1), [50, 100], [0, 1]) ?? [], [0.25, 0.5]);
    within(narrowed(scale(1, 10_000, "log"), [50, 100], [1, 10_000]) ?? [], [10, 100]);
  });

  it("is the same drawn from right to left, and on an axis that goes up", () => {
    within(narrowed(scale(0, 1), [100, 50], [0, 1]) ?? [], [0.25, 0.5]);
    const up: Scale = { type: "linear", domain: () => [0, 1], invert: (pixel) => 1 - pixel / 200 };
    within(narrowed(up, [20, 60], [0, 1]) ?? [], [0.7, 0.9]);
  });

  it("is none where it is the whole", () => {
    expect(narrowed(scale(1, 100, "log"), [0, 200], [1, 100])).toBeNull();
    expect(narrowed(scale(10, 100), [0, 200], [10, 100])).toBeNull();
    // All of what is seen at the moment, but not of what there is.
    expect(narrowed(scale(10, 20), [0, 200], [10, 100])).toEqual([10, 20]);
  });

  it("is none on a scale that has no numbers", () => {
    expect(narrowed(scale(NaN, NaN), [10, 50], [NaN, NaN])).toBeNull();
    expect(narrowed(scale(5, 5), [10, 50], [5, 5])).toBeNull();
    expect(narrowed(scale(0, 10, "log"), [10, 50], [0, 10])).toBeNull();
  });

  it("stays within the whole, is never too narrow to be labelled, and holds what was drawn over", () => {
    fc.assert(
      fc.property(
        fc.constantFrom("log" as const, "linear" as const),
        fc.double({ min: 1e-3, max: 1e20, noNaN: true }),
        fc.double({ min: 1.05, max: 1e6, noNaN: true }),
        fc.double({ min: 0, max: 200, noNaN: true }),
        fc.double({ min: 0, max: 200, noNaN: true }),
        (type, low, factor, from, to) => {
          const whole = [low, low * factor] as const;
          const own = scale(...whole, type);
          const found = narrowed(own, [from, to], whole);
          if (!found) {
            expect(Math.abs(to - from)).toBeGreaterThan(190);
            return;
          }
          const [a, b] = found;
          expect(a).toBeGreaterThanOrEqual(low * (1 - 1e-9));
          expect(b).toBeLessThanOrEqual(low * factor * (1 + 1e-9));
          if (type === "log") expect(b / a).toBeGreaterThan(1.0199);
          else expect(b - a).toBeGreaterThan((low * factor - low) / 501);
          const ends = [own.invert(from), own.invert(to)].sort((u, v) => u - v);
          expect(a).toBeLessThanOrEqual(ends[0] * (1 + 1e-9));
          expect(b).toBeGreaterThanOrEqual(ends[1] * (1 - 1e-9));
        },
      ),
    );
  });

  it("has ticks within it that differ, at least two and no more than asked for", () => {
    fc.assert(
      fc.property(
        fc.boolean(),
        fc.double({ min: 1e-3, max: 1e20, noNaN: true }),
        fc.double({ min: 1.02, max: 1e6, noNaN: true }),
        fc.integer({ min: 3, max: 6 }),
        (log, low, factor, most) => {
          const ticks = zoomTicks([low, low * factor], log, most);
          expect(ticks.length).toBeGreaterThanOrEqual(2);
          expect(ticks.length).toBeLessThanOrEqual(most + 2);
          expect(new Set(ticks).size).toBe(ticks.length);
          for (const tick of ticks) expect(tick >= low * (1 - 1e-6) && tick <= low * factor * (1 + 1e-6)).toBe(true);
        },
      ),
    );
    expect(zoomTicks([300, 2500], true, 4)).toEqual([500, 1000, 2000]);
    expect(zoomTicks([310, 390], true, 4)).toEqual([320, 340, 360, 380]);
    expect(zoomTicks([-3.2, 1.5], false, 6)).toEqual([-3, -2, -1, 0, 1]);
  });
});

describe("the box of a drag", () => {
  const panel = (y: boolean): DrawnPanel => ({
    panel: { group: "", x: { scale: "x", column: "x" }, ...(y ? { y: { scale: "y", column: "y" } } : {}) },
    of: "",
    x: 0,
    y: 0,
    width: 200,
    height: 100,
    scale: () => undefined,
  });
  it.each([
    ["a click", [50, 50], [53, 52], null],
    ["across", [50, 50], [120, 60], { x: [50, 120], y: null }],
    ["down", [50, 20], [55, 80], { x: null, y: [20, 80] }],
    ["both", [50, 20], [120, 80], { x: [50, 120], y: [20, 80] }],
    ["a small box", [50, 50], [62, 61], { x: [50, 62], y: [50, 61] }],
    ["beyond the edges", [-4, -30], [260, 500], { x: [0, 200], y: [0, 100] }],
  ] as const)("%s", (_, from, to, box) => {
    expect(boxOf(panel(true), from, to)).toEqual(box);
  });

  it("goes across only where the panels share their y axis", () => {
    expect(boxOf(panel(false), [50, 20], [120, 80])).toEqual({ x: [50, 120], y: null });
    expect(boxOf(panel(false), [50, 20], [52, 80])).toBeNull();
  });
});

/** A figure, and the same after a drag over the middle half of a panel. */
async function zoomedIn(payload: FigurePayload, at: number): Promise<{ whole: Scene; closer: Scene; zoom: Zoom }> {
  const figure = figureOf(payload);
  if (!figure) throw new Error(payload.template);
  const whole = await sceneOf(payload);
  const panel = whole.panels[at];
  const zoom = zoomTo({}, figure, panel, {
    x: [panel.width / 4, (3 * panel.width) / 4],
    y: panel.panel.y ? [panel.height / 4, (3 * panel.height) / 4] : null,
  });
  return { whole, closer: await sceneOf(payload, { zoom }), zoom };
}

interface Node {
  readonly marktype?: string;
  readonly role?: string;
  readonly name?: string;
  readonly clip?: unknown;
  readonly items?: readonly Node[];
}
interface Text {
  readonly x: number;
  readonly y: number;
  readonly opacity?: number;
  readonly bounds: { readonly x1: number; readonly x2: number };
}

/** The data marks within every group of a name. */
function marksIn(scene: Scene, name: string): Node[][] {
  const root = (scene.view.scenegraph() as unknown as { root: Node }).root.items?.[0];
  const groups =
    name === "" ? [root] : (root?.items ?? []).filter((mark) => mark.name === name).flatMap(({ items }) => items ?? []);
  const visit = (node: Node | undefined): Node[] =>
    (node?.items ?? []).flatMap((inner) =>
      inner.role === "mark"
        ? [inner]
        : inner.marktype === "group" && inner.role === "scope"
          ? (inner.items ?? []).flatMap(visit)
          : [],
    );
  return groups.map(visit);
}

const CASES = Object.entries(figures).flatMap(([name, payload]) => {
  const zoom = CHARTS.find(({ shape }) => shape.template === payload.template)?.zoom ?? [];
  return zoom.map((panel, i) => [`${name} ${panel.group}`, payload, i] as const);
});

describe("a closer look", () => {
  it("is offered by the charts with a continuous x axis over many points", () => {
    expect(CHARTS.filter(({ zoom }) => zoom).map(({ shape }) => shape.template)).toEqual([
      "axis-fits",
      "synthesis-ratio",
      "frontier",
      "calibration",
      "growth",
      "curves",
    ]);
  });

  it.each(CASES)("%s: the scales take the range, others stay, and ticks lie within", async (_, payload, at) => {
    const { whole, closer, zoom } = await zoomedIn(payload, at);
    const { panel, of } = whole.panels[at];
    const keys = [panel.x, panel.y].flatMap((each) => (each ? [zoomKey(each.column, panel.by, of)] : []));
    expect(Object.keys(zoom)).toEqual(keys);
    for (const [i, drawn] of closer.panels.entries()) {
      for (const each of [drawn.panel.x, drawn.panel.y]) {
        if (!each) continue;
        const narrow = zoom[zoomKey(each.column, drawn.panel.by, drawn.of)];
        const domain = drawn.scale(each.scale)?.domain() ?? [];
        within(domain, narrow?.domain ?? whole.panels[i].scale(each.scale)?.domain() ?? []);
        if (narrow)
          expect(narrow.ticks.filter((tick) => tick >= domain[0] && tick <= domain[1]).length).toBeGreaterThanOrEqual(
            2,
          );
      }
    }
  });

  it.each(CASES)("%s: what lies outside is cut at the panel's edge, and no text is cut", async (_, payload, at) => {
    const { whole, closer } = await zoomedIn(payload, at);
    const { panel } = whole.panels[at];
    const of = whole.panels.filter((each) => each.panel === panel).indexOf(whole.panels[at]);
    const { width, height } = closer.panels[at];
    for (const mark of marksIn(closer, panel.group)[of]) {
      expect(mark.clip, mark.name).toBeTruthy();
      if (mark.marktype !== "text") continue;
      for (const text of (mark.items ?? []) as unknown as readonly Text[]) {
        if (text.opacity === 0) continue;
        expect(text.x >= 0 && text.x <= width && text.y >= 0 && text.y <= height, mark.name).toBe(true);
        expect(text.bounds.x1 >= -1 && text.bounds.x2 <= width + 1, mark.name).toBe(true);
      }
    }
    // The layout does not grow by what is cut.
    const size = (scene: Scene): number[] => [scene.view.width(), scene.view.height()];
    expect(size(closer)).toEqual(size(whole));
    const drawn = async (scene: Scene): Promise<number[]> => {
      const [, w, h] = /width="([\d.]+)" height="([\d.]+)"/.exec(await scene.view.toSVG()) ?? [];
      return [Number(w), Number(h)];
    };
    const [before, after] = [await drawn(whole), await drawn(closer)];
    for (const i of [0, 1]) expect(Math.abs(after[i] - before[i])).toBeLessThan(40);
  });

  it.each(CASES)("%s: is as ever without a drag", async (_, payload, at) => {
    const { whole } = await zoomedIn(payload, at);
    // Vega numbers its clipping paths through the page.
    const svg = async (scene: Scene): Promise<string> => (await scene.view.toSVG()).replaceAll(/clip\d+/g, "clip");
    expect((await svg(await sceneOf(payload, { zoom: {} }))) === (await svg(whole))).toBe(true);
    for (const marks of marksIn(whole, whole.panels[at].panel.group)) {
      for (const mark of marks)
        if (mark.marktype === "text")
          for (const text of (mark.items ?? []) as unknown as readonly Text[]) expect(text.opacity ?? 1).toBe(1);
    }
  });

  it("leaves out a label that would be cut, however far away it stands", async () => {
    const figure = figureOf(figures.frontier);
    const whole = await sceneOf(figures.frontier);
    const [panel] = whole.panels;
    const texts = (scene: Scene): Record<string, boolean> =>
      Object.fromEntries(scene.marks("text").map((mark) => [mark.text, (mark as { opacity?: number }).opacity !== 0]));
    if (!figure) throw new Error();
    const gain = whole.marks("text").find(({ text }) => text?.includes("×"));
    if (!gain?.text) throw new Error();
    expect(texts(whole)).toEqual({ now: true, optimum: true, [gain.text]: true });
    // From just before the label's end on: half of it would be read as another number.
    const half = await sceneOf(figures.frontier, {
      zoom: zoomTo({}, figure, panel, { x: [gain.x - 15, panel.width], y: null }),
    });
    expect(texts(half)).toEqual({ now: true, optimum: true, [gain.text]: false });
    const corner = await sceneOf(figures.frontier, {
      zoom: zoomTo({}, figure, panel, { x: [0.95 * panel.width, panel.width], y: [0.95 * panel.height, panel.height] }),
    });
    expect(texts(corner)).toEqual({ now: false, optimum: false, [gain.text]: false });
    const size = async (scene: Scene): Promise<number[]> =>
      /width="([\d.]+)" height="([\d.]+)"/
        .exec(await scene.view.toSVG())
        ?.slice(1)
        .map(Number) ?? [];
    const [before, after] = [await size(whole), await size(corner)];
    for (const i of [0, 1]) expect(Math.abs(after[i] - before[i])).toBeLessThan(40);
  });

  it("keeps to one panel of the axis fits", async () => {
    const { closer, zoom } = await zoomedIn(figures.axisFits, 0);
    expect(Object.keys(zoom)).toEqual(["x:tasks"]);
    expect(marksIn(closer, "cell")).toHaveLength(3);
    // In the zoomed panel some runs lie outside, and they are the ones that are cut.
    const runs = closer.marks("symbol").filter(({ datum }) => datum.panel === "tasks");
    const { width } = closer.panels[0];
    expect(runs.some(({ x }) => x < 0 || x > width)).toBe(true);
    for (const { x, datum } of runs) {
      const [low, high] = zoom["x:tasks"].domain;
      expect(x >= 0 && x <= width).toBe(Number(datum.x) >= low && Number(datum.x) <= high);
    }
  });

  it("moves both panels of the predictions along their common axis", async () => {
    const { closer, zoom } = await zoomedIn(figures.calibration, 0);
    expect(Object.keys(zoom)).toEqual(["predicted", "observed"]);
    within(closer.panels[1].scale("concat_1_x")?.domain() ?? [], zoom.predicted.domain);
  });

  it("says its range in the reader's units", async () => {
    const words = async (payload: FigurePayload, at = 0): Promise<string> =>
      zoomWords((await zoomedIn(payload, at)).zoom);
    expect(zoomWords({})).toBe("");
    expect(await words(figures.axisFits)).toMatch(/^Zoomed to tasks \d[\d.]*k?–\d[\d.]*k?\.$/);
    expect(await words(figures.frontier)).toMatch(
      /^Zoomed to compute \d[\d.]*e\d+–\d[\d.]*e\d+ FLOPs and success [\d.]+–[\d.]+ %\.$/,
    );
    expect(await words(figures.calibration)).toMatch(
      /^Zoomed to predicted [\d.]+–[\d.]+ % and observed [\d.]+–[\d.]+ %\.$/,
    );
    expect(await words(figures.calibration, 1)).toMatch(
      /^Zoomed to predicted [\d.]+–[\d.]+ % and residual −[\d.]+ to [\d.]+ points\.$/,
    );
    expect(await words(figures.synthesisRatio)).toMatch(
      /^Zoomed to environments · genenv synthetic ÷ real [\d.]+–[\d.]+ and effective ÷ real [\d.]+–[\d.]+\.$/,
    );
  });

  it("names the edges of the synthesis axis, which are no ratios", async () => {
    const figure = figureOf(figures.synthesisRatio);
    const scene = await sceneOf(figures.synthesisRatio);
    if (!figure) throw new Error();
    const { width } = scene.panels[0];
    expect(zoomWords(zoomTo({}, figure, scene.panels[0], { x: [0, width / 2], y: null }))).toContain("÷ real 0–");
    const right = zoomTo({}, figure, scene.panels[0], { x: [width / 2, width], y: null });
    // No interval of r* is open here: the right edge is a ratio like any.
    expect(zoomWords(right)).toMatch(/–[\d.]+\.$/);
    expect(Object.values(right)[0].ticks).not.toContain(figures.synthesisRatio.values.infinite);
  });

  it("goes deeper, and back by drawing over everything there is", async () => {
    const figure = figureOf(figures.axisFits);
    if (!figure) throw new Error();
    const first = (await zoomedIn(figures.axisFits, 0)).zoom;
    const scene = await sceneOf(figures.axisFits, { zoom: first });
    const deeper = zoomTo(first, figure, scene.panels[0], { x: [0, scene.panels[0].width / 2], y: null });
    expect(deeper["x:tasks"].whole).toEqual(first["x:tasks"].whole);
    expect(deeper["x:tasks"].domain[1]).toBeLessThan(first["x:tasks"].domain[1]);
    const whole = await sceneOf(figures.axisFits);
    expect(zoomTo(deeper, figure, whole.panels[0], { x: [0, whole.panels[0].width], y: null })).toEqual({});
  });
});
