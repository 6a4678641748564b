/** What a quantity measures: exponents of the base dimensions. A plain count has none. */
export interface Dimension {
  readonly flops?: number;
  readonly gpu?: number;
  readonly hour?: number;
  readonly usd?: number;
}

export interface Unit {
  readonly factor: number;
  readonly dimension: Dimension;
}

const PREFIXES: readonly (readonly [string, number])[] = [
  ["k", 1e3],
  ["K", 1e3],
  ["M", 1e6],
  ["G", 1e9],
  ["B", 1e9],
  ["T", 1e12],
  ["P", 1e15],
  ["E", 1e18],
  ["Z", 1e21],
  ["Y", 1e24],
];

const SCALES: ReadonlyMap<string, number> = new Map(PREFIXES.slice(0, 6));

const NAMED = new Map<string, Unit>();

function define(names: readonly string[], factor: number, dimension: Dimension, prefixed: boolean): void {
  for (const name of names) {
    NAMED.set(name, { factor, dimension });
    if (prefixed)
      for (const [prefix, scale] of PREFIXES) NAMED.set(prefix + name, { factor: scale * factor, dimension });
  }
}

define(["FLOPs", "FLOP", "flops", "flop"], 1, { flops: 1 }, true);
// By custom FLOPS (capital S) is a rate: operations a second.
define(["FLOPS"], 3600, { flops: 1, hour: -1 }, true);
define(["GPUh", "GPUhours", "gpuh", "GPU_hours"], 1, { gpu: 1, hour: 1 }, true);
define(["GPU", "GPUs", "gpu", "gpus"], 1, { gpu: 1 }, false);
define(["USD", "usd", "dollars", "dollar"], 1, { usd: 1 }, true);
define(["h", "hr", "hrs", "hour", "hours"], 1, { hour: 1 }, false);
define(["s", "sec", "second", "seconds"], 1 / 3600, { hour: 1 }, false);
define(["min", "minutes"], 1 / 60, { hour: 1 }, false);
define(["day", "days", "d"], 24, { hour: 1 }, false);
define(
  ["tokens", "token", "tasks", "task", "environments", "environment", "rollouts", "parameters", "params"],
  1,
  {},
  false,
);

/** Looks up a unit or a bare scale (`512k`, `5M`, `8B`). */
export function unitNamed(name: string): Unit | undefined {
  const scale = SCALES.get(name);
  return scale === undefined ? NAMED.get(name) : { factor: scale, dimension: {} };
}

export function unitNames(): readonly string[] {
  return [...SCALES.keys(), ...NAMED.keys()];
}

export function multiplied(a: Dimension, b: Dimension, power = 1): Dimension {
  const result: Record<string, number> = {};
  for (const key of ["flops", "gpu", "hour", "usd"] as const) {
    const exponent = (a[key] ?? 0) + power * (b[key] ?? 0);
    if (exponent !== 0) result[key] = exponent;
  }
  return result;
}

export function sameDimension(a: Dimension, b: Dimension): boolean {
  return (["flops", "gpu", "hour", "usd"] as const).every((key) => (a[key] ?? 0) === (b[key] ?? 0));
}

const SYMBOLS = { flops: "FLOPs", gpu: "GPU", hour: "h", usd: "USD" } as const;

/** `USD/h`, `GPU·h`, `a plain number`. */
export function describeDimension(dimension: Dimension): string {
  const parts = (["flops", "gpu", "usd", "hour"] as const).filter((key) => (dimension[key] ?? 0) !== 0);
  if (parts.length === 0) return "a plain number";
  const over = parts.filter((key) => (dimension[key] ?? 0) > 0).map((key) => power(SYMBOLS[key], dimension[key] ?? 0));
  const under = parts
    .filter((key) => (dimension[key] ?? 0) < 0)
    .map((key) => power(SYMBOLS[key], -(dimension[key] ?? 0)));
  return (over.length === 0 ? "1" : over.join("·")) + (under.length === 0 ? "" : `/${under.join("/")}`);
}

function power(symbol: string, exponent: number): string {
  return exponent === 1 ? symbol : `${symbol}^${exponent}`;
}
