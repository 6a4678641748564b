import { logTicks } from "../server/core/figures/ticks";
import { list } from "../server/core/numbers";
import type { ZoomPanel, ZoomScale } from "./charts/template";
import type { ChartView } from "./dataflow";
import type { Figure } from "./figure";
import { cellWords } from "./table";

type Range = readonly [number, number];

/** A scale that has been narrowed; `whole` is what it spans otherwise. */
interface Zoomed {
  readonly domain: Range;
  readonly whole: Range;
  readonly ticks: readonly number[];
  /** Which of the repeated panels it belongs to; "" where none is repeated. */
  readonly of: string;
  /** `success 40–60 %`. */
  readonly words: string;
}

/** What is looked at closer, by column and panel: the value of the compiled charts' signal `zoom`. */
export type Zoom = Readonly<Record<string, Zoomed>>;

/** A continuous scale of Vega's. */
export interface Scale {
  readonly type?: string;
  domain(): readonly number[];
  invert(pixel: number): number;
}

/** A panel as it is drawn: its place in the drawing in pixels, and its scales. */
export interface DrawnPanel {
  readonly panel: ZoomPanel;
  /** Which of the repeated groups it is; "" where it is not repeated. */
  readonly of: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly scale: (name: string) => Scale | undefined;
}

/** A stretch of a panel in its own pixels; a dimension that is null stays as it is. */
export interface Box {
  readonly x: Range | null;
  readonly y: Range | null;
}

/** Looking closer ends where labels of three digits would repeat. */
const LEAST_FACTOR = Math.log(1.02);
const LEAST_PART = 1 / 500;
/** Closer to the whole than this is the whole. */
const ALL = 0.005;

/** The range of a scale between two of its pixels, wide enough to be labelled; null where that is all of it. */
export function narrowed(scale: Scale, [from, to]: Range, whole: Range): Range | null {
  const log = scale.type === "log";
  const [inward, outward] = log ? [Math.log, Math.exp] : [Number, Number];
  const [first, last] = whole.map(inward);
  const ends = [scale.invert(from), scale.invert(to)].map(inward).sort((a, b) => a - b);
  if (![first, last, ...ends].every(Number.isFinite) || !(last > first)) return null;
  const least = Math.min(last - first, Math.max((last - first) * LEAST_PART, log ? LEAST_FACTOR : 0));
  const half = Math.max(ends[1] - ends[0], least) / 2;
  const centre = Math.min(last - half, Math.max(first + half, (ends[0] + ends[1]) / 2));
  const [low, high] = [Math.max(first, centre - half), Math.min(last, centre + half)];
  return low - first < ALL * (last - first) && last - high < ALL * (last - first)
    ? null
    : [outward(low), outward(high)];
}

/** Two ticks or more, and if possible no more than `most`, that a reader can name; those of a log scale where it has three. */
export function zoomTicks([low, high]: Range, log: boolean, most: number): number[] {
  const named = log ? logTicks(low, high, most).filter((tick) => tick >= low && tick <= high) : [];
  if (named.length >= 3) return named;
  const size = 10 ** Math.floor(Math.log10((high - low) / most));
  const choices = [10, 5, 2, 1, 0.5]
    .map((part) => multiples(low, high, part * size))
    .filter((ticks) => ticks.length >= 2);
  return choices.filter((ticks) => ticks.length <= most).pop() ?? choices[0] ?? [low, high];
}

function multiples(low: number, high: number, step: number): number[] {
  const first = Math.ceil(low / step - 1e-9);
  return Array.from({ length: Math.max(0, Math.floor(high / step + 1e-9) - first + 1) }, (_, i) =>
    Number(((first + i) * step).toPrecision(12)),
  );
}

/** The key of a scale in `Zoom`, as the compiled charts ask for it. */
export const zoomKey = (column: string, by: string | undefined, of: string): string =>
  by === undefined ? column : `${column}:${of}`;

/** The zoom after a box has been drawn in a panel. A range that spans everything is none. */
export function zoomTo(zoom: Zoom, { payload, shape }: Figure, drawn: DrawnPanel, box: Box): Zoom {
  const next: Record<string, Zoomed> = { ...zoom };
  const { panel, of } = drawn;
  const narrow = (to: ZoomScale | undefined, pixels: Range | null, most: number): void => {
    const scale = to && drawn.scale(to.scale);
    if (!to || !scale || !pixels) return;
    const key = zoomKey(to.column, panel.by, of);
    const [a = NaN, b = NaN] = scale.domain();
    const whole: Range = zoom[key]?.whole ?? [Math.min(a, b), Math.max(a, b)];
    const domain = narrowed(scale, pixels, whole);
    if (!domain) {
      delete next[key];
      return;
    }
    const ticks = [...zoomTicks(domain, scale.type === "log", most), ...(to.ticks?.(payload) ?? [])].sort(
      (u, v) => u - v,
    );
    const column = shape.columns.find(({ name }) => name === to.column);
    const words = domain.map(
      (value) => to.words?.(value, payload) ?? (column ? cellWords(value, column) : String(value)),
    );
    const unit = to.unit ? payload.values[to.unit] : undefined;
    next[key] = {
      domain,
      whole,
      ticks,
      of,
      words: [to.label ?? column?.label ?? "", range(words), typeof unit === "string" ? unit : ""]
        .filter(Boolean)
        .join(" "),
    };
  };
  narrow(panel.x, box.x, Math.max(3, Math.min(6, Math.floor(drawn.width / 48))));
  narrow(panel.y, box.y, Math.max(3, Math.min(6, Math.floor(drawn.height / 40))));
  return next;
}

/** `40–60 %`, and `−3 to 5`, which a dash would hide. */
function range([from, to]: readonly string[]): string {
  const unit = / \D+$/.exec(to)?.[0] ?? "";
  const start = unit !== "" && from.endsWith(unit) ? from.slice(0, -unit.length) : from;
  return `${start}${`${from}${to}`.includes("−") ? " to " : "–"}${to}`;
}

/** The caption of a figure that is looked at closer; "" where it is shown whole. */
export function zoomWords(zoom: Zoom): string {
  const all = Object.values(zoom);
  const parts = [...new Set(all.map(({ of }) => of))].map((panel) =>
    `${panel} ${list(all.filter(({ of }) => of === panel).map(({ words }) => words))}`.trim(),
  );
  return parts.length > 0 ? `Zoomed to ${parts.join("; ")}.` : "";
}

interface SceneGroup {
  readonly x?: number;
  readonly y?: number;
  readonly width?: number;
  readonly height?: number;
  readonly datum?: Readonly<Record<string, unknown>>;
  readonly items?: readonly SceneMark[];
  readonly context?: { readonly scales: Readonly<Record<string, { readonly value: Scale } | undefined>> };
}
interface SceneMark {
  readonly name?: string;
  readonly marktype?: string;
  readonly items?: readonly SceneGroup[];
}

/** The panels of a live drawing. Groups stand at most one deep: in the chart itself. */
export function panelsOf(view: ChartView, panels: readonly ZoomPanel[]): DrawnPanel[] {
  const frame = (view.scenegraph() as unknown as { root: SceneMark }).root.items?.[0];
  const padding = view.padding() as { left: number; top: number };
  const [left, top] = view.origin();
  const drawn = (panel: ZoomPanel, group: SceneGroup, inside: boolean): DrawnPanel => ({
    panel,
    of: panel.by ? String(group.datum?.[panel.by]) : "",
    x: left + padding.left + (inside ? (group.x ?? 0) : 0),
    y: top + padding.top + (inside ? (group.y ?? 0) : 0),
    width: group.width ?? 0,
    height: group.height ?? 0,
    scale: (name) => group.context?.scales[name]?.value,
  });
  return panels.flatMap((panel) => {
    if (!frame) return [];
    if (panel.group === "") return [drawn(panel, frame, false)];
    return (frame.items ?? [])
      .filter(({ name }) => name === panel.group)
      .flatMap(({ items }) => items ?? [])
      .map((group) => drawn(panel, group, true));
  });
}
