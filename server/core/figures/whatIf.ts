/** Success and split over what is spent: computed once, read between. */

/** A success rate in [0, 1] (or a loss) with its 95 % interval. */
type Rate = readonly [estimate: number, low: number, high: number];

export interface WhatIfPoint {
  /** In `unit`. */
  readonly cost: number;
  /** The split as it is, scaled to this cost; null where it cannot be. */
  readonly now: Rate | null;
  /** The best split of this cost; null where none is claimed. */
  readonly best: Rate | null;
  /** Amounts of the best split, by axis. */
  readonly levels: Readonly<Record<string, number>>;
  /** Shares of the best split's spend in [0, 1]. */
  readonly shares: Readonly<Record<string, number>>;
  /** Outside the fitted range. */
  readonly beyond: boolean;
}

export interface WhatIf {
  readonly unit: string;
  /** What the present split costs. */
  readonly cost: number;
  /** Amounts and shares of the present split. */
  readonly levels: Readonly<Record<string, number>>;
  readonly shares: Readonly<Record<string, number>>;
  /** By rising cost; one of them is at `cost`. */
  readonly points: readonly WhatIfPoint[];
}

/** How far the spend can be moved: from a quarter to eight times. */
export const WHAT_IF = { least: 0.25, most: 8 } as const;

/** The point at a cost, between the two beside it: amounts and costs in logarithms, rates and shares as they are. */
export function whatIfAt({ points }: WhatIf, cost: number): WhatIfPoint | null {
  if (points.length === 0) return null;
  const after = points.findIndex((point) => point.cost >= cost * (1 - 1e-9));
  if (after < 0) return points[points.length - 1];
  const [b, a] = [points[after], points[Math.max(0, after - 1)]];
  if (after === 0 || Math.abs(b.cost - cost) <= 1e-9 * cost) return b;
  const t = Math.log(cost / a.cost) / Math.log(b.cost / a.cost);
  return {
    cost,
    now: rate(a.now, b.now, t),
    best: rate(a.best, b.best, t),
    levels: each(a.levels, b.levels, (x, y) => (x > 0 && y > 0 ? Math.exp(mix(Math.log(x), Math.log(y), t)) : y)),
    shares: each(a.shares, b.shares, (x, y) => mix(x, y, t)),
    beyond: a.beyond && b.beyond,
  };
}

function mix(x: number, y: number, t: number): number {
  return x + t * (y - x);
}

function rate(x: Rate | null, y: Rate | null, t: number): Rate | null {
  return x && y ? [mix(x[0], y[0], t), mix(x[1], y[1], t), mix(x[2], y[2], t)] : null;
}

function each(
  x: Readonly<Record<string, number>>,
  y: Readonly<Record<string, number>>,
  at: (x: number, y: number) => number,
): Record<string, number> {
  return Object.fromEntries(Object.keys(y).map((key) => [key, key in x ? at(x[key], y[key]) : y[key]]));
}

/** What a notebook file holds, which anybody may have written; null where it is something else. */
export function readWhatIf(text: string): WhatIf | null {
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch {
    return null;
  }
  const { unit, cost, levels, shares, points } = (found ?? {}) as Readonly<Record<keyof WhatIf, unknown>>;
  const good =
    typeof unit === "string" &&
    isAmount(cost) &&
    isNumbers(levels) &&
    isNumbers(shares) &&
    Array.isArray(points) &&
    points.length > 0 &&
    points.length <= 200 &&
    points.every((point: Partial<WhatIfPoint> | null) => {
      const { cost: at, now = null, best = null } = point ?? {};
      return isAmount(at) && [now, best].every(isRate) && isNumbers(point?.levels) && isNumbers(point?.shares);
    });
  return good ? (found as WhatIf) : null;
}

function isAmount(value: unknown): boolean {
  return typeof value === "number" && value > 0 && Number.isFinite(value);
}

function isNumbers(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.values(value).every((one) => typeof one === "number");
}

function isRate(value: unknown): boolean {
  return (
    value === null || (Array.isArray(value) && value.length === 3 && value.every((one) => typeof one === "number"))
  );
}
