/**
 * What planned runs are worth: in simulated laboratories of 8 runs, 4 planned ones against 4 random ones that cost the same, by
 * the regret of the split that each table leads to, at TIMES the cost of the middle run.
 * `npm run studies -- plan LABORATORIES SEED TIMES [stopping]`: with
 * `stopping`, runs that are not worth their cost are not made.
 */
import { fitTable, openFit } from "../../../server/core/fit";
import { Bill } from "../../../server/core/plan/bill";
import { sequenceRuns } from "../../../server/core/plan/sequence";
import type { FittedLaw } from "../../../server/core/laws/law";
import { normalCdf } from "../../../server/core/numerics/special";
import type { RunRow } from "../../../server/core/table";
import { simulate, type Levels } from "../../core/fit/simulate";
import { AXES, bestSplit, FAMILIES, lab, levelsOf, middleAt, type Lab } from "../verdicts/lab";

const [laboratories = "40", first = "1", times = "4", stopping = "forced"] = process.argv.slice(2);
/** All runs are planned, also those of which the plan would say that they are not worth their cost. */
const forced = stopping === "forced";
/** Runs that a laboratory has, and how many more it makes. */
const [HAD, MORE] = [8, 4];
const NOISE = { trials: 500, noise: 0.02 };

const budget = (made: Lab): number => Number(times) * made.budget;

function fitted(rows: readonly RunRow[], seed: number): FittedLaw | null {
  const fit = fitTable({ rows, notes: [] }, { law: "auto", seed });
  const opened = fit.ok ? openFit(fit.value) : fit;
  return opened.ok ? opened.value : null;
}

const levels = (x: readonly number[]): Levels => Object.fromEntries(AXES.map((axis, i) => [axis, x[i]]));

function billed(made: Lab, runs: readonly Levels[]): number {
  const bill = new Bill(
    made.cost,
    made.rows.map(({ axes }) => axes),
  );
  for (const run of runs) bill.pay(run);
  return bill.total;
}

/** As many runs as planned, at random within a decade about the middle, made larger or smaller together until the bill is the same. */
function atRandom(made: Lab, count: number, cost: number): Levels[] {
  const middle = middleAt(made.cost, budget(made));
  const drawn = Array.from({ length: count }, () =>
    AXES.map((axis) => middle[axis] * 10 ** (made.stream.next() - 0.5)),
  );
  const sized = (factor: number) => drawn.map((run) => levels(run.map((level) => level * factor)));
  let [low, high] = [1e-3, 1e3];
  for (let i = 0; i < 60; i++) {
    const half = Math.sqrt(low * high);
    if (billed(made, sized(half)) < cost) low = half;
    else high = half;
  }
  return sized(Math.sqrt(low * high));
}

/** Points that the split of a table's fit loses against the best one, at the budget of the plan. */
function regretOf(made: Lab, rows: readonly RunRow[], seed: number): number | null {
  const law = fitted(rows, seed);
  const best = bestSplit(made, made.truth, budget(made));
  const ours = law && bestSplit(made, law, budget(made));
  return best && ours ? Math.max(0, 100 * (made.success(levelsOf(best)) - made.success(levelsOf(ours)))) : null;
}

interface Outcome {
  readonly before: number;
  readonly planned: number;
  readonly random: number;
  readonly runs: number;
}
const outcomes: Outcome[] = [];
for (let index = 0; index < Number(laboratories); index++) {
  const seed = 1000 * Number(first) + index;
  const made = lab(FAMILIES[index % FAMILIES.length], HAD, seed);
  const law = fitted(made.rows, seed);
  if (!law) continue;
  const plan = sequenceRuns(
    {
      law,
      cost: made.cost,
      current: middleAt(made.cost, budget(made)),
      existing: made.rows.map(({ axes }) => axes),
      noise: { trials: NOISE.trials, betweenRuns: NOISE.noise },
      seed,
    },
    MORE,
    !forced,
  );
  if (!plan.ok) {
    console.log(`${made.family} ${index}: ${plan.problem.message}`);
    continue;
  }
  const planned = plan.value.runs.map((run) => levels(AXES.map((axis) => run.levels[axis] ?? 1)));
  const before = regretOf(made, made.rows, seed);
  const at = (x: Levels): number => 1 - made.success(AXES.map((axis) => x[axis]));
  const after = (runs: readonly Levels[], salt: number) =>
    regretOf(made, [...made.rows, ...simulate(seed + salt, at, runs, NOISE)], seed);
  const others = atRandom(made, planned.length, billed(made, planned));
  // Where no run is worth its cost, none is made.
  const [own, random] = planned.length === 0 ? [before, before] : [after(planned, 7), after(others, 7)];
  if (before === null || own === null || random === null) continue;
  outcomes.push({ before, planned: own, random, runs: planned.length });
  console.log(
    `${made.family} ${index}: ${planned.length} runs; regret ${before.toFixed(2)} → planned ${own.toFixed(2)}, random ${random.toFixed(2)}`,
  );
}

const mean = (values: readonly number[]): number => values.reduce((sum, one) => sum + one, 0) / values.length;
const gains = outcomes.map(({ planned, random }) => random - planned);
const spread = Math.sqrt(mean(gains.map((gain) => (gain - mean(gains)) ** 2)) / (gains.length - 1));
const [won, lost] = [gains.filter((gain) => gain > 0).length, gains.filter((gain) => gain < 0).length];
console.log(
  `${outcomes.length} laboratories, ${mean(outcomes.map(({ runs }) => runs)).toFixed(1)} runs each. Mean regret before ${mean(outcomes.map(({ before }) => before)).toFixed(2)}, planned ${mean(outcomes.map(({ planned }) => planned)).toFixed(2)}, random ${mean(outcomes.map(({ random }) => random)).toFixed(2)} points`,
);
console.log(
  `planned is better by ${mean(gains).toFixed(2)} points (paired, one-sided p = ${normalCdf(-mean(gains) / spread).toFixed(4)}); better in ${won}, worse in ${lost}`,
);
process.exit(mean(gains) > 0 && normalCdf(-mean(gains) / spread) < 0.05 ? 0 : 1);
