import { count } from "../../numbers";
import { axisWord, shortAxis, type AxisName } from "../../axes";
import type { Problem } from "../../result";
import type { RefusedAxis } from "../file/file";
import { invert } from "../../numerics/linear";
import type { Run } from "../../solve/run";
import { PUBLISHED_EXPONENTS } from "../../solve/priors";

/** Above this, an axis is nearly a combination of others, and its exponent nearly arbitrary. */
export const VIF_LIMIT = 100;

export interface Identified {
  /** Axes that enter the law: those that vary, and of axes that move together only as many as move freely. */
  readonly axes: readonly AxisName[];
  readonly refused: readonly RefusedAxis[];
  readonly warnings: readonly Problem[];
}

function oneLevel(axis: AxisName, level: string): string {
  return axis === "parameters"
    ? `All runs use ${level}, so the effect of ${shortAxis(axis)} can't be measured.`
    : `All runs have ${level} ${axisWord(axis)}, so the effect of ${axisWord(axis)} can't be measured.`;
}

/**
 * Which exponents the design of the runs can tell at all, before anything is fitted.
 * Refusals: `one-level`, `co-scaled`. Warnings: `axis.few-levels`, `axis.short-range`.
 */
export function identify(runs: readonly Run[], wanted: readonly AxisName[]): Identified {
  const refused: RefusedAxis[] = [],
    warnings: Problem[] = [];
  const logs = new Map(wanted.map((axis) => [axis, runs.map((run) => Math.log(run.row.axes[axis]!))] as const));
  const levelOf = (axis: AxisName): number => Math.exp(mean(logs.get(axis)!));
  let axes = wanted.filter((axis) => {
    const x = logs.get(axis)!;
    if (Math.max(...x) - Math.min(...x) > 1e-6) return true;
    refused.push({
      axis,
      level: levelOf(axis),
      code: "one-level",
      reason: oneLevel(axis, count(levelOf(axis))),
    });
    return false;
  });

  // Axes that move together: drop the most inflated until none is above the limit; everything it moved with is refused too.
  const partners = new Map<AxisName, Set<AxisName>>();
  for (;;) {
    const worst = mostInflated(axes, logs);
    if (!worst) break;
    const group = [worst.axis, ...worst.with];
    for (const axis of group) {
      const known = partners.get(axis) ?? new Set<AxisName>();
      for (const other of group) if (other !== axis) known.add(other);
      partners.set(axis, known);
    }
    // Of axes that are equally inflated the steepest stays to stand for them, so that the path's own slope points down.
    const weakest = worst.equal.reduce((a, b) =>
      (PUBLISHED_EXPONENTS[b] ?? 0.25) <= (PUBLISHED_EXPONENTS[a] ?? 0.25) ? b : a,
    );
    axes = axes.filter((axis) => axis !== weakest);
  }
  for (const axis of wanted) {
    const others = partners.get(axis);
    if (!others) continue;
    const names = [...others];
    const slope = raySlope(axis, names, logs);
    refused.push({
      axis,
      level: levelOf(axis),
      code: "co-scaled",
      with: names,
      ...(slope === null ? {} : { ray: slope }),
      reason: `${axis} moves together with ${names.join(" and ")} in these runs, so their exponents cannot be told apart: only predictions along the runs' own path hold. Runs that vary one without the other would separate them.`,
    });
  }

  for (const axis of axes) {
    const x = logs.get(axis)!;
    const levels = new Set(x.map((v) => Math.round(v * 1e6))).size,
      decades = (Math.max(...x) - Math.min(...x)) / Math.LN10;
    if (levels < 3)
      warnings.push({
        code: "axis.few-levels",
        message: `${axis} has only ${levels} levels: the law's bend along it cannot be checked.`,
      });
    if (decades < 0.9)
      warnings.push({
        code: "axis.short-range",
        message: `${axis} spans ${decades.toFixed(2)} decades, less than 0.9: its exponent is weakly held and should not be carried far.`,
      });
  }
  return { axes, refused, warnings };
}

/** The axis with the largest variance inflation above the limit, and the axes that explain it. */
function mostInflated(
  axes: readonly AxisName[],
  logs: ReadonlyMap<AxisName, readonly number[]>,
): { axis: AxisName; with: AxisName[]; equal: AxisName[] } | null {
  if (axes.length < 2) return null;
  const z = axes.map((axis) => standardised(logs.get(axis)!));
  const m = z[0].length;
  const r = axes.map((_, a) => axes.map((_, b) => z[a].reduce((sum, v, i) => sum + v * z[b][i], 0) / m));
  // A ridge far below the limit keeps an exactly collinear design invertible: its inflation is then huge, not undefined.
  const inverse = invert(r.map((row, a) => row.map((v, b) => v + (a === b ? 1e-9 : 0))));
  if (!inverse) return null;
  let worst = -1;
  axes.forEach((_, a) => {
    if (inverse[a][a] > VIF_LIMIT && (worst < 0 || inverse[a][a] > inverse[worst][worst] * (1 + 1e-6))) worst = a;
  });
  if (worst < 0) return null;
  // Row of the inverse = the regression of the axis on the others; small coefficients are bystanders.
  const explained = axes.filter((_, b) => b !== worst && Math.abs(inverse[worst][b] / inverse[worst][worst]) > 0.1);
  const equal = axes.filter(
    (axis, a) => (a === worst || explained.includes(axis)) && inverse[a][a] > 0.5 * inverse[worst][worst],
  );
  return { axis: axes[worst], with: explained, equal };
}

/** Standard deviation of the axis's log, signed against the first of the group; null where the group does not move along one line. */
function raySlope(
  axis: AxisName,
  others: readonly AxisName[],
  logs: ReadonlyMap<AxisName, readonly number[]>,
): number | null {
  const group = [...logs.keys()].filter((one) => one === axis || others.includes(one));
  const lead = standardised(logs.get(group[0])!),
    own = standardised(logs.get(axis)!);
  const along = group.every((one) => Math.abs(mean(standardised(logs.get(one)!).map((v, i) => v * lead[i]))) > 0.98);
  const sd = Math.sqrt(mean(logs.get(axis)!.map((v) => (v - mean(logs.get(axis)!)) ** 2)));
  return along ? Math.sign(mean(own.map((v, i) => v * lead[i]))) * sd : null;
}

function standardised(x: readonly number[]): number[] {
  const centre = mean(x),
    sd = Math.sqrt(mean(x.map((v) => (v - centre) ** 2)));
  return x.map((v) => (v - centre) / sd);
}

function mean(x: readonly number[]): number {
  return x.reduce((sum, v) => sum + v, 0) / x.length;
}
