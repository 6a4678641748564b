import type { Model } from "../laws/model";
import type { Random } from "../numerics/random";
import { nonNegative } from "../numerics/linear";
import type { Observed } from "./likelihood";

/**
 * Starting points by variable projection: a grid over the exponents, non-negative least squares for the coefficients.
 * Half of the starts are the best of the grid, the rest spread over its ranking, so that other basins are tried too.
 */
export function startingPoints(
  model: Model,
  seen: Observed,
  link: "identity" | "log",
  count: number,
  random: Random,
): number[][] {
  const { projection } = model;
  if (!projection) return model.starts?.(seen.u, seen.m, seen.y, count, () => random.next()) ?? [];
  const { m, y, n } = seen;
  const weight = new Float64Array(m);
  for (let i = 0; i < m; i++) {
    const smooth = (y[i] * n[i] + 0.5) / (n[i] + 1);
    weight[i] = link === "log" ? 1 / (y[i] * y[i]) : n[i] > 1 ? n[i] / (smooth * (1 - smooth)) : 1;
  }
  const grid = exponentGrid(projection.exponents, random);
  const columns = new Float64Array((projection.maximumColumns + 1) * m);
  const ranked = grid.map((exponents) => {
    const terms = projection.bases(exponents, seen.u, m, columns),
      size = terms + 1;
    const g = new Float64Array(size * size),
      b = new Float64Array(size);
    // Column 0 stands for the floor: ones.
    for (let a = 0; a < size; a++) {
      for (let c = 0; c <= a; c++) {
        let sum = 0;
        for (let i = 0; i < m; i++)
          sum += weight[i] * (a === 0 ? 1 : columns[(a - 1) * m + i]) * (c === 0 ? 1 : columns[(c - 1) * m + i]);
        g[a * size + c] = g[c * size + a] = sum;
      }
      let sum = 0;
      for (let i = 0; i < m; i++) sum += weight[i] * y[i] * (a === 0 ? 1 : columns[(a - 1) * m + i]);
      b[a] = sum;
    }
    const { x, value } = nonNegative(g, b, size);
    return { value, theta: projection.assemble(exponents, x) };
  });
  ranked.sort((a, b) => a.value - b.value);
  const best = ranked.slice(0, Math.ceil(count / 2));
  const rest = ranked.slice(best.length),
    others = count - best.length;
  for (let i = 0; i < others && rest.length > 0; i++) best.push(rest[Math.floor((i * rest.length) / others)]);
  return best.map((start) => lift(start.theta, model));
}

/** A term that least squares emptied starts small but alive: at −∞ its exponent would never move. */
function lift(theta: number[], model: Model): number[] {
  const top = Math.max(...model.parameters.map((p, i) => (p.role === "log-coefficient" ? theta[i] : -Infinity)));
  return theta.map((value, i) => (model.parameters[i].role === "log-coefficient" ? Math.max(value, top - 5) : value));
}

function exponentGrid(k: number, random: Random): number[][] {
  if (k > 4)
    return Array.from({ length: 300 }, () => Array.from({ length: k }, () => 0.03 * Math.pow(40, random.next())));
  const levels = [0, 30, 9, 6, 4][k];
  const values = Array.from({ length: levels }, (_, i) => 0.04 * Math.pow(28, levels === 1 ? 0.5 : i / (levels - 1)));
  let grid: number[][] = [[]];
  for (let axis = 0; axis < k; axis++) grid = grid.flatMap((row) => values.map((value) => [...row, value]));
  return grid;
}
