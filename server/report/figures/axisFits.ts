import type { AxisName } from "../../core/axes";
import type { Estimate } from "../../core/estimate";
import type { FitFile, FitRun } from "../../core/fit/file/file";
import type { FittedLaw } from "../../core/laws/law";
import { centre, logMargin, logSpace, logTicks, overDraws } from "../../core/figures/ticks";
import { figure, type FigureOptions } from "../../core/figures/rows";
import { estimateOf, fittedSettings, observedError, runNote, type OpenSetting } from "./fitted";
import type { FigurePayload, FigureRow } from "../../core/figures/payload";
import { AXIS_FITS } from "../../core/figures/shapes/axisFits";
import { decimal, interval, list, plural } from "../../core/numbers";

/** How far beyond the data a curve is drawn, as a factor on both sides. */
const BEYOND = 3;
const GRID = 25;

/**
 * Failure rate (or loss) against one axis at a time, in logs. A run is drawn where it would stand with its other axes at the
 * fitted centre: its failure rate times law(level, centre)/law(levels), so that points and curve can be compared.
 */
export function axisFits(fit: FitFile, options: FigureOptions): FigurePayload {
  const settings = fittedSettings(fit);
  const axes = fit.axes.filter((axis) => settings.some((one) => isDrawn(one.law, axis)));
  const loss = fit.response === "loss";
  const rows: FigureRow[] = [];
  const undrawn = new Set<string>();
  const drawn = new Set<string>();
  const sentences = axes.map((axis, order) => {
    let points = 0;
    for (const { setting, law, runs } of settings) {
      if (!isDrawn(law, axis)) continue;
      rows.push(...curve(setting, law, axis, order));
      for (const run of runs) {
        const level = run.axes[axis];
        const error = observedError(run);
        const point = level === undefined || error === null ? null : atCentre(law, axis, run, error);
        if (point === null) continue;
        if (!(point > 0)) {
          undrawn.add(run.id);
          continue;
        }
        drawn.add(run.id);
        points++;
        rows.push({
          kind: "point",
          panel: axis,
          order,
          x: level,
          y: point,
          observed: error,
          setting,
          held: run.heldOut,
          run: run.id,
          files: options.files?.[run.id]?.join(" "),
        });
      }
    }
    return `${axis}: ${exponentWords(axis, settings)}, ${plural(points, "run")}`;
  });
  sentences.push(...refusals(fit, settings));

  const heldOut = fit.selection[0]?.heldOutRmse;
  const error =
    heldOut == null ? "" : `; held-out error ${loss ? decimal(heldOut, 3) : `${decimal(100 * heldOut, 1)} points`}`;
  const values = rows.flatMap((row) =>
    row.kind === "point" ? [Number(row.y)] : [Number(row.low ?? row.y), Number(row.high ?? row.y)],
  );
  const [floor, ceiling] = logMargin(
    values.filter((value) => value > 1e-4),
    1.08,
  );
  // A law without a link passes 1 outside its data; the axis does not.
  const domain = [floor, loss ? ceiling : Math.min(1, ceiling)];
  return figure(
    AXIS_FITS,
    rows,
    {
      title: `${loss ? "Loss" : "Failure rate"} against each axis`,
      text: `${sentences.join("; ")}${error}.`,
      notes: [
        `${runNote(fit, drawn.size)}; dashed: beyond the fitted range${rows.some((row) => row.held) ? "; hollow: the largest runs, held out to choose the law" : ""}.`,
        ...(axes.length > 1 ? ["Points are adjusted to typical values of the other axes."] : []),
        ...(undrawn.size > 0
          ? [
              `${plural(undrawn.size, "run")} without a failure cannot stand on a log scale and ${undrawn.size === 1 ? "is" : "are"} not drawn.`,
            ]
          : []),
      ],
      simulated: fit.simulated,
      values: {
        label: loss ? "loss (log)" : "failure rate (log)",
        format: loss ? ".3~g" : ".2~%",
        domain,
        ticks: logTicks(domain[0], domain[1], 6),
        panels: axes,
        headings: axes.map((axis) => heading(axis, settings)),
      },
    },
    options,
  );
}

/** Axes without an exponent, and why. What the runs of one setting lack is not said of all. */
function refusals(fit: FitFile, settings: readonly OpenSetting[]): string[] {
  const refused = (axis: AxisName, reason: string) => `${axis}: refused (${reason.replace(/\.$/, "")})`;
  if (settings.length < 2) return fit.refused.map(({ axis, reason }) => refused(axis, reason));
  const axes = new Set(settings.flatMap(({ exponents }) => Object.keys(exponents)));
  return [...axes].flatMap((axis) => {
    const own = settings.flatMap(({ setting, exponents }) =>
      exponents[axis]?.status === "refused"
        ? [`${setting}: ${(exponents[axis].reason ?? "not identified").replace(/\.$/, "")}`]
        : [],
    );
    return own.length === 0 ? [] : [refused(axis, own.join("; "))];
  });
}

function isDrawn(law: FittedLaw, axis: AxisName): boolean {
  return (
    law.axes.includes(axis) && !law.refused.some((entry) => entry.axis === axis) && (law.ranges[axis]?.min ?? 0) > 0
  );
}

function exponentWords(axis: AxisName, settings: readonly OpenSetting[]): string {
  const known = settings.flatMap(({ setting, exponents }) => {
    const value = estimateOf(exponents[axis]);
    return value ? [{ setting, value, prior: exponents[axis].status === "prior" }] : [];
  });
  if (known.length === 0) return "no exponent of its own";
  if (known.length > 2) {
    const values = known.map(({ value }) => value.estimate);
    return `exponents ${decimal(Math.min(...values), 2)} to ${decimal(Math.max(...values), 2)} in ${known.length} settings`;
  }
  return list(
    known.map(
      ({ setting, value, prior }) =>
        `${settings.length > 1 ? `${setting} ` : ""}exponent ${interval(value)}${prior ? " (prior)" : ""}`,
    ),
  );
}

function heading(axis: AxisName, settings: readonly OpenSetting[]): string {
  const values = settings.flatMap(({ exponents }) => (estimateOf(exponents[axis]) ? [exponents[axis]] : []));
  if (values.length !== 1) return values.length === 0 ? "" : `${values.length} settings`;
  const value = estimateOf(values[0]);
  return value ? `α ${interval(value)}${values[0].status === "prior" ? " prior" : ""}` : "";
}

function curve(setting: string, law: FittedLaw, axis: AxisName, order: number): FigureRow[] {
  const i = law.axes.indexOf(axis);
  const range = law.ranges[axis];
  const at = (x: number): Estimate => {
    const levels = centre(law);
    levels[i] = x;
    return overDraws(law, (instance) => instance.error(levels));
  };
  const lowest = axis === "parameters" ? range.min / BEYOND : Math.max(range.min / BEYOND, Math.min(1, range.min));
  const parts: [string, number, number][] = [
    ["below", lowest, range.min],
    ["within", range.min, range.max],
    ["above", range.max, range.max * BEYOND],
  ];
  return parts
    .filter(([, from, to]) => to > from)
    .flatMap(([part, from, to]) =>
      logSpace(from, to, part === "within" ? GRID : 6).map((x): FigureRow => {
        const value = at(x);
        return {
          kind: "curve",
          panel: axis,
          order,
          x,
          y: value.estimate,
          low: value.low,
          high: value.high,
          part,
          setting,
        };
      }),
    );
}

/** The run's failure rate with every other axis moved to the centre; null when a level is missing. */
function atCentre(law: FittedLaw, axis: AxisName, run: FitRun, error: number): number | null {
  const middle = centre(law);
  const own = law.axes.map((name, i) =>
    law.refused.some((entry) => entry.axis === name) ? middle[i] : run.axes[name],
  );
  if (own.some((level) => level === undefined || !(level > 0))) return null;
  const levels = own as number[];
  const moved = middle.map((level, i) => (law.axes[i] === axis ? levels[i] : level));
  const here = law.point.error(levels);
  return here > 0 ? (error * law.point.error(moved)) / here : null;
}
