/**
 * A larger run of the coverage simulations than the suite affords. By hand:
 *   npx esbuild test/studies/coverage.ts --bundle --platform=node --outfile=/tmp/coverage.cjs && node /tmp/coverage.cjs LAW RUNS REPEATS
 * Results are recorded in docs/maths.md.
 */
import { fitTable, openFit, predict } from "../../server/core/fit";
import { random } from "../../server/core/numerics/random";
import { Coverage, GRID, simulate, TRUTHS, type Levels } from "../core/fit/simulate";

const [name = "multiplicative", runs = "64", repeats = "100", law = "auto"] = process.argv.slice(2);
const truth = TRUTHS[name];
const targets: readonly Levels[] = [
  { tasks: 6400, environments: 256, trajectories: 16 },
  { tasks: 800, environments: 32, trajectories: 6 },
  { tasks: 12800, environments: 512, trajectories: 32 },
  { tasks: 20000, environments: 20, trajectories: 4 },
];
const coverage = new Coverage();
const chosen = new Map<string, number>();
const refusals = new Map<string, number>();
const started = performance.now();
for (let repeat = 0; repeat < Number(repeats); repeat++) {
  const stream = random(1000 + repeat);
  const levels = runs === "64" ? GRID : Array.from({ length: Number(runs) }, () => GRID[stream.below(GRID.length)]);
  const fit = fitTable(
    { rows: simulate(repeat + 1, truth.error, levels), notes: [] },
    { law, seed: repeat, bootstrap: 400, starts: Number(process.argv[6] ?? 50) },
  );
  if (!fit.ok) {
    refusals.set(fit.problem.code, (refusals.get(fit.problem.code) ?? 0) + 1);
    continue;
  }
  const { value } = fit;
  const label = value.variant ? `${value.law} (${value.variant})` : value.law;
  chosen.set(label, (chosen.get(label) ?? 0) + 1);
  if (value.law === name) {
    for (const [axis, alpha] of Object.entries(truth.exponents)) {
      const found = value.exponents[axis];
      if (found.status === "refused") refusals.set(axis, (refusals.get(axis) ?? 0) + 1);
      else coverage.add(`alpha ${axis}`, found, alpha);
    }
    coverage.add("floor", value.floor, truth.floor);
  }
  const opened = openFit(value);
  if (opened.ok)
    targets.forEach((at, i) => coverage.add(`prediction ${i}`, predict(opened.value, at).value, 1 - truth.error(at)));
}
console.log(
  name,
  runs,
  "runs:",
  coverage.intervals,
  "intervals,",
  coverage.pooled.toFixed(1),
  "% pooled,",
  ((performance.now() - started) / Number(repeats)).toFixed(0),
  "ms a fit",
);
console.log(coverage.each, Object.fromEntries(chosen), Object.fromEntries(refusals));
