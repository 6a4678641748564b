import type { RunForecast } from "../../core/forecast/runs";
import { figure, type FigureOptions } from "../../core/figures/rows";
import type { FigurePayload, FigureRow } from "../../core/figures/payload";
import { CURVES } from "../../core/figures/shapes/curves";
import { plural } from "../../core/numbers";
import { calibrationText, endText } from "../forecast";

/** More panels than this are a wall; the runs that are on come first. */
const MOST_PANELS = 24;
/** Points that a panel shows of a long curve. */
const MOST_POINTS = 150;

/** Measured points, forecast fan, the law's prediction and the planned end of each run: a panel per run. */
export function curves(found: readonly RunForecast[], simulated: boolean, options: FigureOptions): FigurePayload {
  const drawn = [...found]
    .filter(({ points }) => points.length > 0)
    .sort((a, b) => Number(b.state === "running") - Number(a.state === "running"))
    .slice(0, MOST_PANELS);
  const rows = drawn.flatMap((run, order) => panel(run, order));
  const left = found.length - drawn.length;
  return figure(
    CURVES,
    rows,
    {
      title: drawn.length === 1 ? `Where ${drawn[0].run} will end` : "Where runs will end",
      text: drawn.length === 0 ? "No run has a measured point." : `${drawn.map(sentence).slice(0, 6).join(" ")}`,
      notes: [
        `${calibrationText(drawn)} Between now and the end the fan is interpolated.`,
        "Dashed line: what the law says. Right edge: the planned end.",
        ...(left > 0 ? [`${plural(left, "run")} not shown.`] : []),
      ],
      simulated,
      values: {
        panels: drawn.map(({ run }) => run),
        headings: drawn.map(heading),
      },
    },
    options,
  );
}

function panel(run: RunForecast, order: number): FigureRow[] {
  const common = { panel: run.run, order };
  const every = Math.ceil(run.points.length / MOST_POINTS);
  const rows: FigureRow[] = run.points
    .filter((_, i) => i % every === 0 || i === run.points.length - 1)
    .map(({ step, rate }) => ({ ...common, kind: "point", x: step, y: rate }));
  for (const { step, estimate, low, high } of run.fan)
    rows.push({ ...common, kind: "fan", x: step, y: estimate, low, high });
  const end = run.plannedSteps ?? run.step ?? 0;
  if (run.final) {
    const { estimate, low, high } = run.final;
    rows.push({ ...common, kind: "end", x: end, y: estimate, low, high, words: run.advice.kind });
  }
  if (run.law) {
    rows.push({ ...common, kind: "law", x: run.points[0].step, y: run.law.success });
    rows.push({ ...common, kind: "law", x: end, y: run.law.success });
  }
  return rows;
}

function heading({ state, final, advice, measures }: RunForecast): string {
  const end = final ? `${measures === "training-reward" ? "reward " : ""}${endText(final)}` : "no forecast";
  return state === "finished" ? `finished: ${end}` : `${state}: ${end} · ${advice.kind}`;
}

function sentence(run: RunForecast): string {
  const { final, state } = run;
  if (!final) return `${run.run} has no forecast.`;
  const who = run.measures === "training-reward" ? `The training reward of ${run.run}` : run.run;
  return `${who} ${state === "finished" ? "ended at" : "is heading for"} ${endText(final)}.`;
}
