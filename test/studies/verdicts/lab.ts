/** Simulated laboratories: a random truth, noisy runs of it, and what several methods make of them. All from one seed. */
import { allocate, type Allocation } from "../../../server/core/allocation";
import { posynomialCost } from "../../../server/core/cost";
import type { FittedLaw, LawInstance } from "../../../server/core/laws/law";
import { random, type Random } from "../../../server/core/numerics/random";
import { simulate, type Levels } from "../../core/fit/simulate";
import type { RunRow } from "../../../server/core/table";

export const AXES = ["tasks", "environments", "trajectories"] as const;
export const FAMILIES = ["multiplicative", "additive", "interaction", "nested", "logistic"] as const;
const CENTRE = [1000, 16, 8];
const LEVELS = [
  [300, 1000, 3000],
  [5, 16, 50],
  [3, 8, 24],
];
const TRIALS = 500;

export interface Lab {
  readonly family: (typeof FAMILIES)[number];
  readonly truth: FittedLaw;
  readonly success: (x: readonly number[]) => number;
  readonly rows: readonly RunRow[];
  readonly cost: ReturnType<typeof posynomialCost>;
  /** Cost of the middle of the runs. */
  readonly budget: number;
  readonly stream: Random;
}

/** A lab of `runs` runs out of 27 about one centre. */
export function lab(family: (typeof FAMILIES)[number], runs: number, seed: number): Lab {
  const stream = random(seed);
  const error = truthOf(family, stream);
  const grid = LEVELS[0].flatMap((a) => LEVELS[1].flatMap((b) => LEVELS[2].map((c) => [a, b, c])));
  const levels = grid
    .map((x) => ({ x, key: stream.next() }))
    .sort((one, other) => one.key - other.key)
    .slice(0, runs)
    .map(({ x }): Levels => Object.fromEntries(AXES.map((axis, i) => [axis, x[i]])));
  const shares = AXES.map(() => 0.15 + stream.next());
  const total = shares.reduce((sum, one) => sum + one, 0);
  // Prices at which the middle costs 1000, a random share on each axis.
  const cost = posynomialCost(
    AXES.map((axis, i) => ({
      id: axis,
      label: axis,
      axis,
      part: "all" as const,
      coefficient: (1000 * shares[i]) / total / CENTRE[i],
      exponents: { [axis]: 1 },
      owned: 0,
    })),
  );
  const at = (x: Levels): number => error(AXES.map((axis) => x[axis]));
  const instance: LawInstance = { axes: AXES, error, gradient: (x) => slopes(error, x), posynomial: () => null };
  const truth: FittedLaw = {
    law: family,
    response: "success",
    axes: AXES,
    point: instance,
    draws: [],
    drawKind: "posterior",
    ranges: {},
    refused: [],
    priorOnly: [],
  };
  return {
    family,
    truth,
    success: (x) => 1 - error(x),
    rows: simulate(seed + 1, at, levels, { trials: TRIALS, noise: 0.02 }),
    cost,
    budget: 1000,
    stream,
  };
}

function slopes(error: (x: readonly number[]) => number, x: readonly number[]): number[] {
  const step = 1e-5;
  return x.map((_, i) => {
    const at = (by: number): number => error(x.map((level, j) => (i === j ? level * Math.exp(by) : level)));
    return (at(step) - at(-step)) / (2 * step);
  });
}

/** Exponents about the published ones (sd 0.5 of the logarithm), a floor about 0.12, an error of 0.3 to 0.6 above it in the middle. */
function truthOf(family: (typeof FAMILIES)[number], stream: Random): (x: readonly number[]) => number {
  const alpha = [0.25, 0.315, 0.12].map((published) => published * Math.exp(0.5 * stream.normal()));
  const floor = 1 / (1 + Math.exp(2 - 0.7 * stream.normal()));
  const middle = Math.min(0.95 - floor, 0.25 + 0.3 * stream.next());
  const parts = AXES.map(() => 0.3 + stream.next());
  const sum = parts.reduce((one, other) => one + other, 0);
  const u = (x: readonly number[]): number[] => x.map((level, i) => Math.log(level / CENTRE[i]));
  const soft = (error: number): number => (error < 0.97 ? error : 0.97 + 0.03 * Math.tanh((error - 0.97) / 0.03));
  switch (family) {
    case "multiplicative":
      return (x) => soft(floor + middle * Math.exp(-u(x).reduce((total, one, i) => total + alpha[i] * one, 0)));
    case "additive":
      return (x) =>
        soft(
          floor +
            u(x).reduce((total, one, i) => total + ((middle * parts[i]) / sum) * Math.exp(-2 * alpha[i] * one), 0),
        );
    case "interaction":
      return (x) => {
        const [t, e, r] = u(x);
        const inside = (1 + parts[0] * Math.exp(-2 * alpha[0] * t)) * (1 + parts[2] * Math.exp(-2 * alpha[2] * r));
        return soft(floor + (middle * Math.exp(-alpha[1] * e) * inside) / ((1 + parts[0]) * (1 + parts[2])));
      };
    case "nested":
      return (x) => {
        const [t, e, r] = u(x);
        const terms = [alpha[1] * e, alpha[1] * e + alpha[0] * t, alpha[1] * e + alpha[0] * t + alpha[2] * r];
        return soft(floor + terms.reduce((total, one, j) => total + ((middle * parts[j]) / sum) * Math.exp(-one), 0));
      };
    case "logistic":
      return (x) => {
        const start = Math.log((1 - floor - middle) / Math.max(0.05, middle));
        const odds = start + u(x).reduce((total, one, i) => total + 2 * alpha[i] * one, 0);
        return floor + (1 - floor) / (1 + Math.exp(odds));
      };
  }
}

/** The best split of a budget under a law, anywhere. */
export function bestSplit(
  { cost }: Lab,
  law: FittedLaw,
  budget: number,
  trust: number | null = null,
): Allocation | null {
  const current = middleAt(cost, budget);
  const found = allocate({
    law,
    cost,
    current,
    trust,
    mode: { kind: "budget", amount: budget },
    options: { sensitivity: false, starts: 3, large: false },
  });
  return found.ok ? found.value : null;
}

/** The middle of the runs, scaled to a budget in proportion. */
export function middleAt(_cost: Lab["cost"], budget: number): Record<string, number> {
  return Object.fromEntries(AXES.map((axis, i) => [axis, (CENTRE[i] * budget) / 1000]));
}

export function levelsOf(allocation: Allocation): number[] {
  return AXES.map((axis) => allocation.best.levels[axis] ?? 1);
}

/** 20 lines of least squares: ln(1 − P) = a − Σ α·ln x, exponents at least 0.01; spend shares α/Σα. */
export function leastSquares(rows: readonly RunRow[], { cost }: Lab, budget: number): number[] {
  const table = rows.map(({ axes, outcome }) => {
    const rate = outcome.kind === "counts" ? outcome.successes / outcome.trials : 0.5;
    return {
      x: [1, ...AXES.map((axis, i) => Math.log((axes[axis] ?? 1) / CENTRE[i]))],
      y: Math.log(Math.max(1e-3, 1 - rate)),
    };
  });
  const k = 4;
  const m = Array.from({ length: k }, (_, i) => [
    ...Array.from({ length: k }, (__, j) => table.reduce((sum, { x }) => sum + x[i] * x[j], i === j ? 1e-9 : 0)),
    table.reduce((sum, { x, y }) => sum + x[i] * y, 0),
  ]);
  for (let i = 0; i < k; i++)
    for (let row = 0; row < k; row++) {
      if (row === i) continue;
      const factor = m[row][i] / m[i][i];
      for (let j = i; j <= k; j++) m[row][j] -= factor * m[i][j];
    }
  const alpha = [1, 2, 3].map((i) => Math.max(0.01, -m[i][k] / m[i][i]));
  const sum = alpha.reduce((one, other) => one + other, 0);
  return AXES.map(
    (axis, i) => (budget * alpha[i]) / sum / (cost.terms[i].axis === axis ? cost.terms[i].coefficient : NaN),
  );
}

/** A Gaussian process over ln x with a linear mean (squared exponential, length 1 sd of the levels), best of 3,000 random splits. */
export function gaussianProcess(rows: readonly RunRow[], { cost }: Lab, budget: number): number[] {
  const scale = 1;
  // Of its own, so that budgets are the same without this baseline.
  const stream = random(rows.length);
  const points = rows.map(({ axes }) => AXES.map((axis, i) => Math.log((axes[axis] ?? 1) / CENTRE[i]) / scale));
  const y = rows.map(({ outcome }) => (outcome.kind === "counts" ? outcome.successes / outcome.trials : 0.5));
  const noise = 0.02 ** 2 + 0.25 / TRIALS;
  // A linear mean is a linear kernel with wide weights.
  const kernel = (a: readonly number[], b: readonly number[]): number =>
    0.05 ** 2 * Math.exp(-0.5 * a.reduce((sum, one, i) => sum + (one - b[i]) ** 2, 0)) +
    1 +
    0.2 ** 2 * a.reduce((sum, one, i) => sum + one * b[i], 0);
  const n = points.length;
  const m = points.map((a, i) => [...points.map((b, j) => kernel(a, b) + (i === j ? noise : 0)), y[i]]);
  for (let i = 0; i < n; i++)
    for (let row = 0; row < n; row++) {
      if (row === i) continue;
      const factor = m[row][i] / m[i][i];
      for (let j = i; j <= n; j++) m[row][j] -= factor * m[i][j];
    }
  const weights = m.map((row, i) => row[n] / row[i]);
  let best: number[] = [];
  let most = -Infinity;
  for (let trial = 0; trial < 3000; trial++) {
    const shares = AXES.map(() => -Math.log(1 - stream.next()));
    const sum = shares.reduce((one, other) => one + other, 0);
    const x = AXES.map((_, i) => (budget * shares[i]) / sum / cost.terms[i].coefficient);
    const at = x.map((level, i) => Math.log(level / CENTRE[i]) / scale);
    const value = points.reduce((total, point, i) => total + weights[i] * kernel(point, at), 0);
    if (value > most) {
      most = value;
      best = x;
    }
  }
  return best;
}
