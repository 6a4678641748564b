/* Ambient modules, which other rooms that import this file (tests) would not find by themselves. */
/* eslint-disable @typescript-eslint/triple-slash-reference */
/// <reference path="./charts/compiled.d.ts" />
/// <reference path="./vega.d.ts" />
/* eslint-enable @typescript-eslint/triple-slash-reference */
import { functions, packed, transforms as used } from "charts:compiled";
import { transforms } from "vega-dataflow";
import { View } from "vega-view";

Object.assign(transforms, used);

type Any = Record<string, unknown>;
type Function_ = (...args: unknown[]) => unknown;
interface Context {
  readonly functions?: object;
}
interface Encode {
  readonly marktype: string;
  readonly set: Readonly<Any>;
  readonly by: Readonly<Record<string, number>>;
}

let flows: Promise<Readonly<Record<string, object>>> | undefined;

/** The dataflow of every chart, unpacked once. */
function dataflows(): Promise<Readonly<Record<string, object>>> {
  flows ??= (async () => {
    const bytes = Uint8Array.from(atob(packed), (c) => c.charCodeAt(0));
    const packedStream = new Response(bytes).body;
    if (!packedStream) throw new Error("The charts cannot be unpacked on this page.");
    const stream = packedStream.pipeThrough(
      new DecompressionStream("deflate-raw") as ReadableWritablePair<Uint8Array, Uint8Array>,
    );
    return JSON.parse(await new Response(stream).text()) as Record<string, object>;
  })();
  return flows;
}

/** Begins to unpack, so that the first figure need not wait for it. A failure is told by that figure. */
export function warm(): Promise<void> {
  return dataflows().then(
    () => undefined,
    () => undefined,
  );
}

const bound = (ctx: Context, { code }: { readonly code: number }): Function_ => functions[code].bind(ctx.functions);

const SWAPPED = new Set(["group", "image", "rect"]);

/** Vega's rule for marks that state two ends, or a centre, of a dimension. */
function place(item: Record<string, number>, has: (channel: string) => boolean, marktype: string): void {
  if (marktype === "rule") return;
  for (const [at, size] of [
    ["x", "width"],
    ["y", "height"],
  ]) {
    const to = `${at}2`;
    if (has(to) && has(at)) {
      if (SWAPPED.has(marktype) && item[at] > item[to]) [item[at], item[to]] = [item[to], item[at]];
      item[size] = item[to] - item[at];
    } else if (has(to)) item[at] = item[to] - (item[size] || 0);
    if (has(`${at}c`)) item[at] = item[`${at}c`] - (item[size] || 0) / 2;
  }
}

/** Gives Vega's runtime the functions made at build time, where it would otherwise compile code. */
const aheadOfTime = {
  operator: bound,
  parameter: bound,
  event: bound,
  handler: bound,
  encode(ctx: Context, { marktype, set, by }: Encode): Function_ {
    const constants = Object.entries(set);
    const computed = Object.entries(by).map(([name, index]) => [name, functions[index].bind(ctx.functions)] as const);
    const has = (channel: string): boolean => channel in set || channel in by;
    return (item, params) => {
      const target = item as Any;
      let modified = false;
      const assign = (name: string, value: unknown): void => {
        if (target[name] === value) return;
        target[name] = value;
        modified = true;
      };
      for (const [name, value] of constants) assign(name, value);
      for (const [name, compute] of computed) assign(name, compute(item, params, target.datum, item));
      place(target as Record<string, number>, has, marktype);
      return modified;
    };
  },
  codegen: {
    get(path: readonly string[]): Function_ {
      const [first] = path;
      return path.length === 1
        ? (row) => (row as Any)[first]
        : (row) => path.reduce<unknown>((value, key) => (value as Any)[key], row);
    },
    comparator(fields: readonly Function_[], orders: readonly number[]): Function_ {
      return (a, b) => {
        for (let i = 0; i < fields.length; i++) {
          const order = ascending(fields[i](a), fields[i](b));
          if (order !== 0) return order * orders[i];
        }
        return 0;
      };
    },
  },
};

/** Missing values first, then as JavaScript compares; NaN before numbers. */
function ascending(a: unknown, b: unknown): number {
  const [u, v] = [a instanceof Date ? +a : a, b instanceof Date ? +b : b] as [number, number];
  if ((u < v || u == null) && v != null) return -1;
  if ((u > v || v == null) && u != null) return 1;
  if (v !== v && u === u) return -1;
  return u !== u && v === v ? 1 : 0;
}

export type ChartView = InstanceType<typeof View>;

/** A view of a chart, not yet run; undefined for a template that this build does not have. */
export async function chartView(template: string): Promise<ChartView | undefined> {
  const all = await dataflows();
  if (!Object.hasOwn(all, template)) return undefined;
  return new View(all[template] as never, { renderer: "svg", expr: aheadOfTime, logLevel: 0 } as never);
}
