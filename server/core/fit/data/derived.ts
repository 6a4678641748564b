import { isKnownAxis, type AxisName } from "../../axes";
import { solveSymmetric } from "../../numerics/linear";
import type { Problem } from "../../result";
import type { Run } from "../../solve/run";

/** Columns that are computed from the others by their names. */
const DERIVED = /flop|compute|cost|usd|hours|seconds|time/i;

/** A regression of logs that explains more than this leaves nothing of its own to an axis. */
const EXPLAINED = 0.9999;

const FLOP = /^(training_?)?(flops?|compute)$/i;

/** Axes that say something of their own, and notes on those that do not: `axis.is-outcome`, `axis.derived`. */
export function ownAxes(runs: readonly Run[], axes: readonly AxisName[], warnings: Problem[]): AxisName[] {
  let own = axes.filter((axis) => {
    if (isKnownAxis(axis) || runs.length < 3 || !isOutcome(runs, axis)) return true;
    warnings.push({
      code: "axis.is-outcome",
      message: `The column ${axis} repeats the outcome of the runs: it is no axis, and is left out.`,
    });
    return false;
  });
  for (;;) {
    const redundant = [...own]
      .sort((a, b) => Number(DERIVED.test(b)) - Number(DERIVED.test(a)))
      .find((axis) => !isKnownAxis(axis) && explainedByOthers(runs, axis, own));
    if (redundant === undefined) return own;
    const others = own.filter((axis) => axis !== redundant);
    warnings.push({
      code: "axis.derived",
      message: `${redundant} follows from ${others.join(" and ")} in every run (as FLOP = 6·N·D does): it is left out, and the rest are fitted.`,
    });
    own = others;
  }
}

/**
 * Where parameters N and training FLOP C stand alone, the tokens D = C/(6N) that they imply take the place of C: laws of pre-training
 * are in N and D.
 */
export function withTokens(
  runs: readonly Run[],
  axes: readonly AxisName[],
  wanted: readonly AxisName[] | undefined,
  warnings: Problem[],
): { readonly runs: readonly Run[]; readonly axes: readonly AxisName[] } {
  const flop = [...new Set(runs.flatMap(({ row }) => Object.keys(row.axes)))].find((axis) => FLOP.test(axis));
  const asked = wanted ? wanted.includes("tokens") : axes.length === 2 && flop !== undefined && axes.includes(flop);
  const lacking = runs.some(({ row }) => row.axes["tokens"] === undefined);
  if (
    !asked ||
    !lacking ||
    flop === undefined ||
    !axes.includes("parameters") ||
    runs.some(({ row }) => row.outcome.kind !== "loss")
  )
    return { runs, axes };
  warnings.push({
    code: "axis.tokens-derived",
    message: `${flop} stands beside parameters without tokens: tokens D = C/(6N) are fitted in its place. Name the axes (parameters, ${flop}) to fit the column itself.`,
  });
  return {
    axes: [...axes.filter((axis) => axis !== flop && axis !== "tokens"), "tokens"],
    runs: runs.map((run) => {
      const { parameters, [flop]: total } = run.row.axes as Readonly<Record<string, number | undefined>>;
      return parameters === undefined || total === undefined
        ? run
        : { ...run, row: { ...run.row, axes: { ...run.row.axes, tokens: total / (6 * parameters) } } };
    }),
  };
}

/** Whether a column is the outcome under another name: the rate, the error, either in percent, the successes, the loss. */
function isOutcome(runs: readonly Run[], axis: AxisName): boolean {
  const readings: ((run: Run) => number)[] = [
    ({ y }) => y,
    ({ y }) => 1 - y,
    ({ y }) => 100 * y,
    ({ y }) => 100 * (1 - y),
    ({ y, n }) => n * (1 - y),
    ({ y, n }) => n * y,
  ];
  if (new Set(runs.map(({ y }) => y)).size < 3) return false;
  return readings.some((reading) =>
    runs.every((run) => {
      const level = run.row.axes[axis],
        seen = reading(run);
      return level === undefined || Math.abs(level - seen) <= 6e-3 * Math.max(Math.abs(seen), 1e-9);
    }),
  );
}

function explainedByOthers(runs: readonly Run[], axis: AxisName, axes: readonly AxisName[]): boolean {
  const others = axes.filter((one) => one !== axis);
  const rows = runs.filter(({ row }) => axes.every((one) => (row.axes[one] ?? 0) > 0));
  const k = others.length + 1;
  // Axes that merely move together are another matter: only what takes two or more others to explain is derived.
  if (others.length < 2 || rows.length < k + 2) return false;
  const x = rows.map(({ row }) => [1, ...others.map((one) => Math.log(row.axes[one]!))]);
  const y = rows.map(({ row }) => Math.log(row.axes[axis]!));
  const middle = y.reduce((sum, one) => sum + one, 0) / y.length;
  const total = y.reduce((sum, one) => sum + (one - middle) ** 2, 0);
  const centre = others.map((_, j) => x.reduce((sum, row) => sum + row[j + 1], 0) / x.length);
  const g = new Float64Array(k * k),
    b = new Float64Array(k),
    solution = new Float64Array(k);
  const value = (row: readonly number[], j: number): number => (j === 0 ? 1 : row[j] - centre[j - 1]);
  x.forEach((row, i) => {
    for (let a = 0; a < k; a++) {
      b[a] += value(row, a) * (y[i] - middle);
      for (let c = 0; c < k; c++) g[a * k + c] += value(row, a) * value(row, c);
    }
  });
  for (let a = 0; a < k; a++) g[a * k + a] *= 1 + 1e-12;
  if (!(total > 1e-9) || !solveSymmetric(g, k, k, b, solution, new Float64Array(k * k))) return false;
  const used = others.filter((_, j) => Math.abs(solution[j + 1]) > 0.05).length;
  let left = 0;
  x.forEach((row, i) => {
    let fitted = middle;
    for (let a = 0; a < k; a++) fitted += solution[a] * value(row, a);
    left += (y[i] - fitted) ** 2;
  });
  return used >= 2 && 1 - left / total > EXPLAINED;
}
