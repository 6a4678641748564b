import { axisWord } from "../server/core/axes";
import { whatIfAt, WHAT_IF, type WhatIf, type WhatIfPoint } from "../server/core/figures/whatIf";
import { capitalised, count, decimal, spend } from "../server/core/numbers";
import { element } from "./dom";

const SVG = "http://www.w3.org/2000/svg";
/** Steps of the slider for a doubling. */
const STEPS = 10;
const HEIGHT = 190;
const LEFT = 44;
const RIGHT = 14;
const TOP = 10;
const BOTTOM = 34;

type Attributes = Readonly<Record<string, string | number>>;

function shape(name: string, attributes: Attributes, text?: string): SVGElement {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  if (text !== undefined) made.textContent = text;
  return made;
}

function rate([estimate, low, high]: readonly [number, number, number]): string {
  const digits = 100 * (high - low) >= 1 ? 0 : 1;
  const show = (value: number) => decimal(100 * value, digits);
  return Number.isFinite(low) && Number.isFinite(high)
    ? `${show(estimate)} % [${show(low)}–${show(high)}]`
    : `${show(estimate)} %`;
}

const label = (axis: string): string => capitalised(axisWord(axis));

/** What the spend at the slider comes to, in a sentence. */
function sentence({ unit, cost }: WhatIf, at: WhatIfPoint): string {
  const factor = at.cost / cost;
  const times = Math.abs(factor - 1) < 0.005 ? "now" : `${decimal(factor, factor < 1.1 ? 2 : 1)}×`;
  const said = [
    ...(at.now ? [`${rate(at.now)} with the split as it is`] : []),
    ...(at.best ? [`${rate(at.best)} with the best split`] : []),
  ];
  return `${spend(at.cost, unit)} (${times}): ${said.join(", ") || "unknown"}.${at.beyond ? " Beyond the fitted runs." : ""}`;
}

/** A slider of the spend that redraws success and split; with a chart, where no other stands beside it. */
export function whatIfPanel(data: WhatIf, { chart }: { readonly chart: boolean }): HTMLElement {
  const slider = element("input", {
    type: "range",
    min: String(Math.log2(WHAT_IF.least) * STEPS),
    max: String(Math.log2(WHAT_IF.most) * STEPS),
    step: "1",
    value: "0",
    "aria-label": "Spend",
    class: "spend",
  });
  const said = element("p", { class: "what-if", role: "status" });
  const drawing = element("div", { class: "chart" });
  const split = element("div", { class: "split" });
  let width = 0;
  const redraw = (): void => {
    const at = whatIfAt(data, data.cost * 2 ** (Number(slider.value) / STEPS));
    if (!at) return;
    const text = sentence(data, at);
    said.textContent = text;
    slider.setAttribute("aria-valuetext", text);
    split.replaceChildren(splitTable(data, at));
    if (chart && width > 0) drawing.replaceChildren(chartOf(data, at, width));
  };
  slider.addEventListener("input", redraw);
  if (chart && typeof ResizeObserver !== "undefined")
    new ResizeObserver(([entry]) => {
      const now = Math.floor(entry.contentRect.width);
      if (now === width || now < 120) return;
      width = now;
      redraw();
    }).observe(drawing);
  const panel = element(
    "div",
    { class: "what-if-panel" },
    ...(chart ? [drawing] : []),
    element(
      "label",
      { class: "spend-row" },
      "What if the spend were ",
      element("span", {}, "¼×"),
      slider,
      element("span", {}, "8×"),
    ),
    said,
    split,
  );
  redraw();
  return panel;
}

/** There are no parts of a task; between two splits that were worked out, amounts are rounded. */
const whole = (amount: number): number => (amount >= 1 ? Math.round(amount) : amount);

function splitTable(data: WhatIf, at: WhatIfPoint): HTMLElement {
  const axes = Object.keys({ ...data.levels, ...at.levels }).filter((axis) => axis !== "rewardDensity");
  const claimed = at.best !== null;
  const cell = (levels: WhatIf["levels"], shares: WhatIf["shares"], axis: string, kind: string): HTMLElement => {
    const share = shares[axis];
    const bar = element("span", { class: `share ${kind}`, "aria-hidden": "true" });
    bar.style.width = `${Math.round(100 * (share ?? 0))}%`;
    return element(
      "td",
      {},
      element("span", { class: "amount" }, axis in levels ? count(whole(levels[axis])) : "—"),
      element("span", { class: "track" }, bar),
      element("span", { class: "percent" }, share === undefined ? "" : `${decimal(100 * share, 0)} %`),
    );
  };
  return element(
    "table",
    { class: "what-if-split" },
    element(
      "thead",
      {},
      element(
        "tr",
        {},
        element("th", { scope: "col" }, ""),
        element("th", { scope: "col" }, "now, share of spend"),
        ...(claimed ? [element("th", { scope: "col" }, `best split of ${spend(at.cost, data.unit)}`)] : []),
      ),
    ),
    element(
      "tbody",
      {},
      ...axes.map((axis) =>
        element(
          "tr",
          {},
          element("th", { scope: "row" }, label(axis)),
          cell(data.levels, data.shares, axis, "now"),
          ...(claimed ? [cell(at.levels, at.shares, axis, "best")] : []),
        ),
      ),
    ),
  );
}

/** Success against what is spent: two lines with their bands, where one is now, and where the slider stands. */
function chartOf(data: WhatIf, at: WhatIfPoint, width: number): SVGElement {
  const { points, cost, unit } = data;
  const [first, last] = [cost * WHAT_IF.least, cost * WHAT_IF.most];
  const shown = points.filter((point) => point.cost >= first * 0.999 && point.cost <= last * 1.001);
  const ends = [first, last].flatMap((end) => {
    const point = whatIfAt(data, end);
    return point ? [{ ...point, cost: end }] : [];
  });
  const line = [...ends, ...shown].sort((a, b) => a.cost - b.cost);
  const rates = line.flatMap(({ now, best }) => [...(now ?? []), ...(best ?? [])]).filter(Number.isFinite);
  const [low, high] = [Math.max(0, Math.min(...rates) - 0.02), Math.min(1, Math.max(...rates) + 0.02)];
  const x = (value: number) => LEFT + ((width - LEFT - RIGHT) * Math.log(value / first)) / Math.log(last / first);
  const y = (value: number) => TOP + (HEIGHT - TOP - BOTTOM) * (1 - (value - low) / (high - low || 1));
  const path = (kind: "now" | "best", end: 0 | 1 | 2) =>
    line.flatMap((point) => {
      const value = point[kind];
      return value && Number.isFinite(value[end]) ? [`${x(point.cost).toFixed(1)},${y(value[end]).toFixed(1)}`] : [];
    });
  const svg = shape("svg", {
    width,
    height: HEIGHT,
    viewBox: `0 0 ${width} ${HEIGHT}`,
    role: "img",
    "aria-label": sentence(data, at),
    class: "what-if-chart",
  });
  const step = [0.05, 0.1, 0.2].find((one) => (high - low) / one <= 5) ?? 0.25;
  for (let tick = Math.ceil(low / step) * step; tick <= high + 1e-9; tick += step)
    svg.append(
      shape("line", { x1: LEFT, x2: width - RIGHT, y1: y(tick), y2: y(tick), class: "grid" }),
      shape("text", { x: LEFT - 6, y: y(tick) + 4, "text-anchor": "end" }, `${decimal(100 * tick, 0)} %`),
    );
  const factors = width < 420 ? [0.25, 1, 8] : [0.25, 0.5, 1, 2, 4, 8];
  for (const factor of factors) {
    const anchor = factor === 0.25 ? "start" : factor === 8 ? "end" : "middle";
    const place = x(factor * cost);
    const at = factor === 0.25 ? place - 6 : factor === 8 ? place + RIGHT - 4 : place;
    svg.append(
      shape("line", { x1: place, x2: place, y1: HEIGHT - BOTTOM, y2: HEIGHT - BOTTOM + 4, class: "grid" }),
      shape("text", { x: at, y: HEIGHT - BOTTOM + 17, "text-anchor": anchor }, spend(factor * cost, unit)),
    );
  }
  svg.append(shape("text", { x: LEFT, y: HEIGHT - 3, class: "title" }, "success against what the run costs"));
  for (const kind of ["now", "best"] as const) {
    const [under, over] = [path(kind, 1), path(kind, 2)];
    if (under.length > 1 && over.length > 1)
      svg.append(shape("polygon", { points: [...under, ...over.reverse()].join(" "), class: `band ${kind}` }));
    const middle = path(kind, 0);
    if (middle.length > 1) svg.append(shape("polyline", { points: middle.join(" "), class: `line ${kind}` }));
  }
  svg.append(shape("line", { x1: x(at.cost), x2: x(at.cost), y1: TOP, y2: HEIGHT - BOTTOM, class: "cursor" }));
  const here = whatIfAt(data, cost);
  const dots: readonly (readonly ["now" | "best", WhatIfPoint | null, string])[] = [
    ["now", here, "now"],
    ["best", at, "best split"],
  ];
  for (const [kind, point, words] of dots) {
    const value = point?.[kind];
    if (!point || !value) continue;
    const [cx, cy] = [x(point.cost), y(value[0])];
    const right = cx < width - 110;
    svg.append(
      shape("circle", { cx, cy, r: 4.5, class: `dot ${kind}` }),
      shape(
        "text",
        {
          x: cx + (right ? 9 : -9),
          y: kind === "now" ? cy + 16 : cy - 8,
          "text-anchor": right ? "start" : "end",
          class: "mark",
        },
        `${words} ${decimal(100 * value[0], 0)} %`,
      ),
    );
  }
  return svg;
}

export const WHAT_IF_STYLE = `
.what-if-panel { max-width: 720px; }
.what-if-chart { display: block; max-width: 100%; }
.what-if-chart text { font: 11px var(--vscode-font-family, system-ui, sans-serif); fill: var(--vscode-foreground, #333); }
.what-if-chart .mark { font-weight: 600; paint-order: stroke; stroke: var(--vscode-editor-background, #fff); stroke-width: 3px; }
.what-if-chart .grid { stroke: color-mix(in srgb, var(--vscode-foreground, #333) 16%, transparent); }
.what-if-chart .cursor { stroke: var(--vscode-foreground, #333); stroke-dasharray: 3 3; }
.what-if-chart .line { fill: none; stroke-width: 2; }
.what-if-chart .band { opacity: .18; }
.what-if-chart .line.now { stroke: var(--vscode-charts-orange, #b85c00); stroke-dasharray: 6 4; }
.what-if-chart .band.now, .what-if-chart .dot.now { fill: var(--vscode-charts-orange, #b85c00); }
.what-if-chart .line.best { stroke: var(--vscode-charts-blue, #0b62c4); }
.what-if-chart .band.best, .what-if-chart .dot.best { fill: var(--vscode-charts-blue, #0b62c4); }
.what-if-chart .dot { stroke: var(--vscode-editor-background, #fff); stroke-width: 1.5; }
.spend-row { display: flex; flex-wrap: wrap; align-items: center; gap: 4px 8px; }
.spend-row input { flex: 1 1 140px; min-width: 100px; accent-color: var(--vscode-charts-blue, #0b62c4); }
.what-if { margin: 4px 0 6px; min-height: 2.6em; }
.what-if-split { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
.what-if-split th, .what-if-split td { text-align: left; padding: 2px 10px 2px 0; font-weight: 400; border: 0; }
.what-if-split thead th { color: var(--vscode-descriptionForeground, #616161); font-size: 12px; }
.what-if-split td { width: 38%; white-space: nowrap; }
.what-if-split .amount { display: inline-block; min-width: 3.4em; font-weight: 600; }
.what-if-split .track { display: inline-block; width: calc(100% - 7.5em); min-width: 10px; height: 8px; vertical-align: middle; }
.what-if-split .share { display: block; height: 100%; min-width: 1px; }
.what-if-split .share.now { background: var(--vscode-charts-orange, #b85c00); }
.what-if-split .share.best { background: var(--vscode-charts-blue, #0b62c4); }
.what-if-split .percent { display: inline-block; min-width: 3em; padding-left: .5em; color: var(--vscode-descriptionForeground, #616161); }
`;
