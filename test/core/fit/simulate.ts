import type { RunRow } from "../../../server/core/table";
import { random, type Random } from "../../../server/core/numerics/random";

export type Levels = Readonly<Record<string, number>>;
export type Truth = (x: Levels) => number;

/** 4 × 4 × 4 runs: the usual full factorial. */
export const GRID: readonly Levels[] = [100, 400, 1600, 6400].flatMap((tasks) =>
  [4, 16, 64, 256].flatMap((environments) =>
    [2, 4, 8, 16].map((trajectories) => ({ tasks, environments, trajectories })),
  ),
);

/** True laws whose error stays within 0.1 to 0.8 on the grid; `exponents` are what a fit should find. */
export const TRUTHS: Readonly<
  Record<
    string,
    { readonly error: Truth; readonly exponents: Readonly<Record<string, number>>; readonly floor: number }
  >
> = {
  multiplicative: {
    error: (x) =>
      0.08 + 0.18 * (x.tasks / 800) ** -0.25 * (x.environments / 32) ** -0.315 * (x.trajectories / 5.66) ** -0.12,
    exponents: { tasks: 0.25, environments: 0.315, trajectories: 0.12 },
    floor: 0.08,
  },
  additive: {
    error: (x) =>
      0.05 +
      0.12 * (x.tasks / 800) ** -0.3 +
      0.15 * (x.environments / 32) ** -0.35 +
      0.08 * (x.trajectories / 5.66) ** -0.4,
    exponents: { tasks: 0.3, environments: 0.35, trajectories: 0.4 },
    floor: 0.05,
  },
  interaction: {
    error: (x) =>
      0.08 +
      0.022 * (x.environments / 32) ** -0.3 * (1 + (x.tasks / 800) ** -0.6) * (1 + (x.trajectories / 5.66) ** -0.9),
    exponents: { tasks: 0.6, environments: 0.3, trajectories: 0.9 },
    floor: 0.08,
  },
  nested: {
    error: (x) => {
      const e = x.environments / 32,
        t = x.tasks / 800,
        r = x.trajectories / 5.66;
      return 0.05 + 0.1 * e ** -0.5 + 0.05 * (e * t) ** -0.35 + 0.03 * (e * t * r) ** -0.15;
    },
    exponents: { environments: 0.5, tasks: 0.35, trajectories: 0.15 },
    floor: 0.05,
  },
};

export interface SimulationOptions {
  readonly trials?: number;
  /** Standard deviation of the run-to-run noise in the success rate. */
  readonly noise?: number;
  readonly setting?: string;
}

/** One simulated run: its own true rate varies about the law's by the run noise, then a binomial evaluation. */
export function simulatedRun(
  stream: Random,
  id: string,
  axes: Levels,
  error: number,
  { trials = 600, noise = 0.02, setting = "" }: SimulationOptions = {},
): RunRow {
  const rate = Math.min(1, Math.max(0, 1 - error + noise * stream.normal()));
  return {
    id,
    axes,
    outcome: { kind: "counts", successes: stream.binomial(trials, rate), trials },
    setting,
    simulated: true,
    files: [],
  };
}

export function simulate(
  seed: number,
  error: Truth,
  levels: readonly Levels[],
  options: SimulationOptions = {},
): RunRow[] {
  const stream = random(seed);
  return levels.map((axes, i) => simulatedRun(stream, `${options.setting ?? ""}run-${i}`, axes, error(axes), options));
}

/** Tallies how often an interval holds the truth. */
export class Coverage {
  readonly #hits = new Map<string, { inside: number; all: number }>();

  add(name: string, interval: { readonly low: number | null; readonly high: number | null }, truth: number): void {
    if (interval.low === null || interval.high === null) return;
    const tally = this.#hits.get(name) ?? { inside: 0, all: 0 };
    tally.all++;
    if (interval.low <= truth && truth <= interval.high) tally.inside++;
    this.#hits.set(name, tally);
  }

  get intervals(): number {
    return [...this.#hits.values()].reduce((sum, one) => sum + one.all, 0);
  }

  /** Percent of all intervals that hold the truth. */
  get pooled(): number {
    return (100 * [...this.#hits.values()].reduce((sum, one) => sum + one.inside, 0)) / this.intervals;
  }

  /** Percent by name. */
  get each(): Record<string, number> {
    return Object.fromEntries(
      [...this.#hits].map(([name, { inside, all }]) => [name, Math.round((1000 * inside) / all) / 10]),
    );
  }
}
