/**
 * Coverage of what `auto` says from few runs, by the law that is true. By hand:
 *   npx esbuild test/studies/fewRuns.ts --bundle --platform=node --outfile=/tmp/few.cjs && node /tmp/few.cjs TRUTHS RUNS REPEATS
 * TRUTHS: names of `simulate.ts`, or `multiplicative*` and `additive*` for truths drawn about the published exponents. Results are
 * recorded in docs/maths.md.
 */
import { fitTable, openFit, predict, PUBLISHED_EXPONENTS } from "../../server/core/fit";
import { random, type Random } from "../../server/core/numerics/random";
import { Coverage, GRID, simulate, TRUTHS, type Levels, type Truth } from "../core/fit/simulate";

const [names = "additive", sizes = "8,20", repeats = "300"] = process.argv.slice(2);
const TARGETS: Readonly<Record<string, Levels>> = {
  corner: { tasks: 6400, environments: 256, trajectories: 16 },
  middle: { tasks: 800, environments: 32, trajectories: 6 },
  "twice the largest": { tasks: 12800, environments: 512, trajectories: 32 },
  "far along tasks": { tasks: 20000, environments: 20, trajectories: 4 },
};
const CENTRE: Levels = { tasks: 800, environments: 32, trajectories: 5.66 };

function drawn(
  additive: boolean,
  stream: Random,
  levels: readonly Levels[],
): { readonly error: Truth; readonly exponents: Readonly<Record<string, number>> } {
  const floor = 1 / (1 + Math.exp(2 - stream.normal()));
  const exponents = Object.fromEntries(
    Object.keys(CENTRE).map((axis) => [
      axis,
      Math.min(1.4, Math.max(0.03, PUBLISHED_EXPONENTS[axis] * Math.exp((additive ? 0.8 : 0.5) * stream.normal()))),
    ]),
  );
  const shares = Object.fromEntries(Object.keys(CENTRE).map((axis) => [axis, 0.3 + stream.next()]));
  const total = Object.values(shares).reduce((sum, share) => sum + share, 0);
  const reducible = (x: Levels): number =>
    additive
      ? Object.entries(exponents).reduce(
          (sum, [axis, alpha]) => sum + (shares[axis] / total) * (x[axis] / CENTRE[axis]) ** -alpha,
          0,
        )
      : Object.entries(exponents).reduce((product, [axis, alpha]) => product * x[axis] ** -alpha, 1);
  const worst = Math.max(...levels.map(reducible)),
    top = (0.93 - floor) * (0.5 + 0.5 * stream.next());
  return { error: (x) => floor + (top * reducible(x)) / worst, exponents };
}

for (const name of names.split(","))
  for (const size of sizes.split(",").map(Number)) {
    const coverage = new Coverage(),
      chosen = new Map<string, number>();
    for (let repeat = 0; repeat < Number(repeats); repeat++) {
      const stream = random(9000 + 100 * size + repeat);
      const levels = Array.from({ length: size }, (_, i): Levels =>
        size === 8
          ? { tasks: i & 1 ? 3200 : 200, environments: i & 2 ? 128 : 8, trajectories: i & 4 ? 16 : 2 }
          : GRID[stream.below(GRID.length)],
      );
      const truth = name.endsWith("*") ? drawn(name.startsWith("additive"), stream, levels) : TRUTHS[name];
      const fit = fitTable(
        { rows: simulate(repeat + 1, truth.error, levels), notes: [] },
        { seed: repeat, bootstrap: 300, starts: 8 },
      );
      if (!fit.ok) continue;
      chosen.set(fit.value.law, (chosen.get(fit.value.law) ?? 0) + 1);
      if (name.startsWith(fit.value.law))
        for (const [axis, alpha] of Object.entries(truth.exponents))
          coverage.add(`exponent of ${axis}`, fit.value.exponents[axis], alpha);
      const law = openFit(fit.value);
      if (law.ok)
        for (const [where, at] of Object.entries(TARGETS))
          coverage.add(where, predict(law.value, at).value, 1 - truth.error(at));
    }
    console.log(
      name,
      size,
      "runs:",
      coverage.pooled.toFixed(1),
      "% of",
      coverage.intervals,
      coverage.each,
      Object.fromEntries(chosen),
    );
  }
