/**
 * What verdicts are worth (docs/maths.md): the key experiment (regret of the split chosen from noisy runs, against least squares and a Gaussian
 * process on the same runs) and how often each verdict is right. `npm run studies -- verdicts TRUTHS RUNS SEED`.
 */
import { fitTable, openFit } from "../../../server/core/fit";
import { allocate } from "../../../server/core/allocation";
import { verdictOf } from "../../../server/assessment/verdict";
import { type VerdictKind } from "../../../server/assessment/verdictTypes";
import type { AllocationView, LawInForce } from "../../../server/assessment/types";
import { AXES, bestSplit, FAMILIES, gaussianProcess, lab, leastSquares, levelsOf, middleAt } from "./lab";

const [truths = "60", runs = "12", first = "1"] = process.argv.slice(2);
const regrets: Record<string, number[]> = {};
const add = (name: string, value: number): void => void (regrets[name] ??= []).push(value);
const covered = new Map<string, [number, number]>();

interface Judged {
  readonly kind: VerdictKind;
  /** True gain of the recommended split, and of the best one, in points. */
  readonly gain: number;
  readonly most: number;
}
/** In proportion to the middle of the runs; off the true optimum by some 1.6× on each axis, and by some 1.15×. */
const judged: Record<string, Judged[]> = { "in proportion": [], "near the optimum": [], "at the optimum": [] };

for (let index = 0; index < Number(truths); index++) {
  const family = FAMILIES[index % FAMILIES.length];
  const made = lab(family, Number(runs), 1000 * Number(first) + index);
  const fit = fitTable({ rows: made.rows, notes: [] }, { law: "auto", seed: index });
  const opened = fit.ok ? openFit(fit.value) : fit;
  if (!opened.ok) {
    console.log(`${family} ${index}: ${opened.problem.message}`);
    continue;
  }
  for (const times of [1, 4]) {
    const budget = times * made.budget;
    const best = bestSplit(made, made.truth, budget);
    const ours = bestSplit(made, opened.value, budget);
    if (!best || !ours) continue;
    const top = made.success(levelsOf(best));
    const lost = (x: readonly number[]): number => Math.max(0, 100 * (top - made.success(x)));
    add(`ours ${times}×`, lost(levelsOf(ours)));
    add(`least squares ${times}×`, lost(leastSquares(made.rows, made, budget)));
    add(`Gaussian process ${times}×`, lost(gaussianProcess(made.rows, made, budget)));
    const { low, high } = ours.best.predicted;
    const true_ = made.success(levelsOf(ours));
    const [inside, all] = covered.get(family) ?? [0, 0];
    covered.set(family, [inside + (low <= true_ && true_ <= high ? 1 : 0), all + 1]);
  }
  const trusted = bestSplit(made, made.truth, made.budget);
  /** The best split of the truth, each axis off by a random factor. */
  const about = (sd: number): Record<string, number> =>
    Object.fromEntries(
      AXES.map((axis, i) => [axis, (trusted ? levelsOf(trusted)[i] : 1) * Math.exp(sd * made.stream.normal())]),
    );
  const starts = {
    "in proportion": middleAt(made.cost, made.budget),
    "near the optimum": about(0.5),
    "at the optimum": about(0.15),
  };
  for (const [name, current] of Object.entries(starts)) {
    const found = allocate({
      law: opened.value,
      cost: made.cost,
      current,
      trust: 3,
      options: { sensitivity: false, starts: 2 },
    });
    const cost = made.cost.cost(current);
    if (!found.ok || !cost.ok) continue;
    const verdict = verdictOf({
      law: { fit: { prior: false, runs: made.rows.length }, borrowed: false } as LawInForce,
      allocation: { result: found.value } as AllocationView,
      noFit: null,
      unvaried: [],
      beyond: found.value.current.extrapolation as Record<string, number>,
    });
    const now = made.success(AXES.map((axis) => current[axis]));
    const best = bestSplit(made, made.truth, cost.value);
    judged[name].push({
      kind: verdict.kind,
      gain: 100 * (made.success(levelsOf(found.value)) - now),
      most: best ? 100 * (made.success(levelsOf(best)) - now) : NaN,
    });
  }
}

const mean = (values: readonly number[]): number => values.reduce((sum, one) => sum + one, 0) / values.length;
console.log(`${truths} truths, ${runs} runs, seed ${first}. Regret in points (no trust region): mean / worst`);
for (const [name, values] of Object.entries(regrets))
  console.log(`  ${name}: ${mean(values).toFixed(2)} / ${Math.max(...values).toFixed(1)}  (n = ${values.length})`);
console.log("Coverage of the success at the chosen split, by family");
for (const [family, [inside, all]] of covered) console.log(`  ${family}: ${inside} of ${all}`);
for (const [name, all] of Object.entries(judged)) {
  console.log(`Verdicts, budgets ${name} (n = ${all.length})`);
  for (const kind of ["better-split", "likely-better", "no-better-split", "not-known"] as const) {
    const own = all.filter((one) => one.kind === kind);
    if (own.length === 0) continue;
    const share = (count: number): string => `${((100 * count) / own.length).toFixed(1)} %`;
    console.log(
      `  ${kind}: ${((100 * own.length) / all.length).toFixed(0)} % of budgets; truly gains ${share(own.filter((one) => one.gain > 0).length)}; loses over 0.5 ${share(own.filter((one) => one.gain < -0.5).length)}; best gain over 3 ${share(own.filter((one) => one.most > 3).length)}; worst ${Math.min(...own.map((one) => one.gain)).toFixed(2)}`,
    );
  }
}
