import type { PathPoint, FrontierInput } from "../../core/allocation/curveTypes";
import { figure, type FigureOptions } from "../../core/figures/rows";
import type { FigurePayload, FigureRow } from "../../core/figures/payload";
import { FRONTIER } from "../../core/figures/shapes/frontier";
import { count, percent, times } from "../../core/numbers";
import { percentInterval } from "../numbers";

const NAMES = { current: "current split, scaled", optimum: "best split" } as const;

/** Success against compute for the split as it is and the best one, with the gain at equal success. */
export function frontier(input: FrontierInput, options: FigureOptions): FigurePayload {
  const { here, best, gain, unit } = input;
  const rows: FigureRow[] = [...path("current", input.current), ...path("optimum", input.optimum)];
  rows.push({
    kind: "place",
    path: NAMES.current,
    x: here.cost,
    y: here.success.estimate,
    low: here.success.low,
    high: here.success.high,
    words: "now",
  });
  rows.push({
    kind: "place",
    path: NAMES.optimum,
    x: best.cost,
    y: best.success.estimate,
    low: best.success.low,
    high: best.success.high,
    words: "optimum",
  });
  const drawn = gain !== null && input.equalSuccessCost !== null;
  if (drawn)
    rows.push({ kind: "gain", x: here.cost, x2: input.equalSuccessCost, y: here.success.estimate, words: times(gain) });
  const at = `${count(here.cost)} ${unit}`;
  const saved = gain && { estimate: 1 - 1 / gain.estimate, low: 1 - 1 / gain.low, high: 1 - 1 / gain.high };
  const worth =
    drawn && saved
      ? `the best split needs ${percent(saved.estimate)} ${percentInterval(saved)} less compute for the same success`
      : "the best split's curve does not pass this success, so no gain is shown";
  const points = [...input.current, ...input.optimum];
  const ys = points
    .flatMap(({ success }) => [success.low, success.high, success.estimate])
    .filter((value) => Number.isFinite(value));
  return figure(
    FRONTIER,
    rows,
    {
      title: `Success against compute: ${input.experiment}`,
      text: `At ${at} the current split gives ${percent(here.success.estimate)} and the best one ${percent(best.success.estimate)}; ${worth}.`,
      notes: [
        `Bands: 95 % of the draws. Dashed: beyond the fitted range.`,
        ...(input.prior ? ["Every figure rests on the published prior, calibrated by one run."] : []),
      ],
      simulated: input.simulated,
      values: {
        unit,
        domain: [Math.max(0, Math.min(...ys)), Math.min(1, Math.max(...ys))],
        paths: [NAMES.current, NAMES.optimum],
      },
    },
    options,
  );
}

/** Rows of one path, cut where it leaves or enters the fitted range; the pieces share their ends, so that lines meet. */
function path(name: keyof typeof NAMES, points: readonly PathPoint[]): FigureRow[] {
  const rows: FigureRow[] = [];
  let piece = 0;
  points.forEach((point, i) => {
    const row = (beyond: boolean): FigureRow => ({
      kind: "path",
      path: NAMES[name],
      x: point.cost,
      y: point.success.estimate,
      low: point.success.low,
      high: point.success.high,
      part: `${beyond ? "beyond" : "within"} ${piece}`,
    });
    const before = points[i - 1];
    if (before && before.beyond !== point.beyond) {
      rows.push(row(before.beyond));
      piece++;
    }
    rows.push(row(point.beyond));
  });
  return rows;
}
