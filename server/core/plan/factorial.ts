import type { AxisName } from "../axes";
import type { Levels } from "../cost";

/** A design as level numbers (0 lowest) per run and axis. */
export interface Design {
  /** `3 × 3 × 3`, `9 of 3 × 3 × 3`, `2 × 2 × 2 and the centre`. */
  readonly name: string;
  readonly runs: readonly (readonly number[])[];
  readonly levels: 2 | 3;
}

/**
 * The largest balanced design of three levels (two, with the centre, where fewer runs are allowed) within a number of runs.
 * Every pair of axes is orthogonal, so that no two axes scale together. Null: fewer than three runs, or no axis.
 */
export function chooseDesign(axes: number, runs: number): Design | null {
  if (axes < 1 || runs < 3) return null;
  for (let basis = axes; basis >= 1; basis--) {
    if (3 ** basis > runs || 3 ** basis < 3 ** Math.min(2, axes)) continue;
    if (axes > capacity(basis)) continue;
    return { levels: 3, runs: fraction(axes, basis), name: name(axes, basis) };
  }
  for (let basis = axes; basis >= 1; basis--) {
    if (2 ** basis + 1 > runs || axes > 2 ** basis - 1) continue;
    const corners = halves(axes, basis).map((run) => run.map((level) => 2 * level));
    const product = Array.from({ length: axes }, () => "2").join(" × ");
    return {
      levels: 2,
      runs: [...corners, Array.from({ length: axes }, () => 1)],
      name: `${basis === axes ? product : `${2 ** basis} of ${product}`} and the centre`,
    };
  }
  return null;
}

/** Axes that 3^basis runs can hold without two of them being confounded. */
function capacity(basis: number): number {
  return (3 ** basis - 1) / 2;
}

function name(axes: number, basis: number): string {
  const product = Array.from({ length: axes }, () => "3").join(" × ");
  return basis === axes ? product : `${3 ** basis} of ${product}`;
}

/** 3^basis runs; axes beyond the basis are sums of it modulo 3 (Latin squares), each along a direction of its own. */
function fraction(axes: number, basis: number): number[][] {
  const directions = generators(axes, basis, 3);
  return points(basis, 3).map((point) =>
    directions.map((direction) => direction.reduce((sum, weight, i) => sum + weight * point[i], 0) % 3),
  );
}

function halves(axes: number, basis: number): number[][] {
  const directions = generators(axes, basis, 2);
  return points(basis, 2).map((point) =>
    directions.map((direction) => direction.reduce((sum, weight, i) => sum + weight * point[i], 0) % 2),
  );
}

/** The basis itself, then every other direction whose first weight is 1: the directions of a projective space. */
function generators(axes: number, basis: number, modulus: number): number[][] {
  const unit = Array.from({ length: basis }, (_, i) => Array.from({ length: basis }, (__, j) => (i === j ? 1 : 0)));
  const others = points(basis, modulus)
    .filter((point) => point.find((weight) => weight !== 0) === 1 && point.filter((weight) => weight !== 0).length > 1)
    .sort((a, b) => b.filter((weight) => weight !== 0).length - a.filter((weight) => weight !== 0).length);
  return [...unit, ...others].slice(0, axes);
}

function points(dimensions: number, modulus: number): number[][] {
  let all: number[][] = [[]];
  for (let i = 0; i < dimensions; i++)
    all = all.flatMap((point) => Array.from({ length: modulus }, (_, level) => [...point, level]));
  return all;
}

export interface CoScaled {
  readonly axis: AxisName;
  /** Axes that it moves with. */
  readonly with: readonly AxisName[];
  /** 1/(1 − R²) of its logs against the others': above 10 the exponents can hardly be told apart. */
  readonly inflation: number;
}

/** Above this, a plan is refused as co-scaled. */
const MOST_INFLATION = 10;

/** Axes of a set of runs whose logs are nearly a combination of the others'. Axes of one level are left out. */
export function coScaled(runs: readonly Levels[], axes: readonly AxisName[], limit = MOST_INFLATION): CoScaled[] {
  const varied = axes.filter((axis) => new Set(runs.map((run) => run[axis])).size > 1);
  const logs = varied.map((axis) => {
    const column = runs.map((run) => Math.log(run[axis] ?? NaN));
    const mean = column.reduce((sum, log) => sum + log, 0) / column.length;
    return column.map((log) => log - mean);
  });
  return varied.flatMap((axis, i) => {
    const others = varied.filter((_, j) => j !== i);
    if (others.length === 0) return [];
    const left = remainder(
      logs[i],
      logs.filter((_, j) => j !== i),
    );
    const whole = logs[i].reduce((sum, log) => sum + log * log, 0);
    const inflation = left > 1e-12 * whole ? whole / left : Infinity;
    if (inflation <= limit) return [];
    const moving = others.filter((other) => Math.abs(correlation(logs[i], logs[varied.indexOf(other)])) > 0.7);
    return [{ axis, with: moving.length > 0 ? moving : others, inflation }];
  });
}

/** Sum of squares of a column that the others do not explain, by Gram–Schmidt. */
function remainder(column: readonly number[], others: readonly (readonly number[])[]): number {
  const basis: number[][] = [];
  const reduce = (vector: readonly number[]): number[] =>
    basis.reduce(
      (rest, unit) => {
        const along = dot(rest, unit);
        return rest.map((entry, i) => entry - along * unit[i]);
      },
      [...vector],
    );
  for (const other of others) {
    const rest = reduce(reduce(other));
    const size = Math.sqrt(dot(rest, rest));
    if (size > 1e-9 * Math.sqrt(dot(other, other))) basis.push(rest.map((entry) => entry / size));
  }
  const rest = reduce(column);
  return dot(rest, rest);
}

function dot(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, entry, i) => sum + entry * b[i], 0);
}

function correlation(a: readonly number[], b: readonly number[]): number {
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
}
