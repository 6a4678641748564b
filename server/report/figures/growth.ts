import type { GrowthPoint, GrowthInput } from "../../core/allocation/curveTypes";
import type { AxisName } from "../../core/axes";
import { figure, type FigureOptions } from "../../core/figures/rows";
import type { FigurePayload, FigureRow } from "../../core/figures/payload";
import { GROWTH } from "../../core/figures/shapes/growth";
import { count, decimal } from "../../core/numbers";

/** How the best split changes as the budget grows. */
export function growth(input: GrowthInput, options: FigureOptions): FigurePayload {
  const { points } = input;
  const axes = [...new Set(points.flatMap((point) => Object.keys(point.levels)))];
  const paid = [...new Set(points.flatMap((point) => Object.keys(point.shares)))];
  const rows: FigureRow[] = [];
  const rates = axes
    .flatMap((axis) => {
      const rate = exponent(points, axis);
      return rate === null ? [] : [{ axis, rate }];
    })
    .sort((a, b) => b.rate - a.rate);
  const moving = rates.filter(({ rate }) => Math.abs(rate) >= 0.005);
  const still = rates.filter(({ rate }) => Math.abs(rate) < 0.005).map(({ axis }) => axis);
  // A held axis says nothing here, and its size (8 billion parameters) would flatten the others.
  for (const { axis } of moving) {
    points.forEach((point, i) => {
      const y = point.levels[axis];
      if (y === undefined || !(y > 0)) return;
      const before = points[i - 1];
      if (before && before.beyond !== point.beyond)
        rows.push({ kind: "level", axis, x: point.cost, y, part: before.beyond ? "beyond" : "within" });
      rows.push({ kind: "level", axis, x: point.cost, y, part: point.beyond ? "beyond" : "within" });
    });
  }
  for (const point of points) {
    let from = 0;
    for (const name of paid) {
      const share = point.shares[name] ?? 0;
      rows.push({ kind: "share", axis: name, x: point.cost, share, low: from, high: from + share });
      from += share;
    }
  }
  return figure(
    GROWTH,
    rows,
    {
      title: `What grows with the budget: ${input.experiment}`,
      text:
        moving.length > 0
          ? `As compute grows, ${moving.map(({ axis, rate }) => `${axis} grow as C^${decimal(rate, 2)}`).join(", ")}${still.length > 0 ? `; unchanged: ${still.join(", ")}` : ""}. You are at ${count(input.here)} ${input.unit}.`
          : "No axis changes with the budget.",
      notes: [
        "Dashed: beyond the fitted range. Below: shares of spend at the best split.",
        ...(input.prior ? ["Every figure rests on the published prior, calibrated by one run."] : []),
      ],
      simulated: input.simulated,
      values: { unit: input.unit, here: input.here, axes: [...new Set([...moving.map(({ axis }) => axis), ...paid])] },
    },
    options,
  );
}

/** Slope of ln level on ln cost over the path, by least squares; null where the axis stands at fewer than two budgets. */
function exponent(points: readonly GrowthPoint[], axis: AxisName): number | null {
  const pairs = points.flatMap((point) => {
    const level = point.levels[axis];
    return level !== undefined && level > 0 ? [[Math.log(point.cost), Math.log(level)] as const] : [];
  });
  if (pairs.length < 2) return null;
  const mean = (k: 0 | 1): number => pairs.reduce((sum, pair) => sum + pair[k], 0) / pairs.length;
  const [mx, my] = [mean(0), mean(1)];
  const spread = pairs.reduce((sum, [x]) => sum + (x - mx) ** 2, 0);
  return spread > 0 ? pairs.reduce((sum, [x, y]) => sum + (x - mx) * (y - my), 0) / spread : null;
}
