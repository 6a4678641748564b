import type { AxisName } from "../axes";
import type { Estimate } from "../estimate";
import type { FittedLaw } from "../laws/law";
import type { RunRow } from "../table";
import { centre, logMargin, logSpace, logTicks, overDraws } from "./bands";
import { toCsv } from "./csv";
import { drawKindNote, observedError } from "./observed";
import { FIGURE_FORMAT, PAYLOAD_VERSION, type FigurePayload, type FigureRow, type FigureShape } from "./payload";
import { decimal, interval, list, plural } from "./words";

export const AXIS_FITS: FigureShape = {
  template: "axis-fits",
  templateVersion: 1,
  columns: [
    { name: "kind", label: "row", kind: "text" },
    { name: "panel", label: "axis", kind: "text" },
    { name: "order", label: "order", kind: "count" },
    { name: "x", label: "level", kind: "count" },
    { name: "y", label: "failure rate at the centre", kind: "percent" },
    { name: "low", label: "low", kind: "percent" },
    { name: "high", label: "high", kind: "percent" },
    { name: "part", label: "range", kind: "text" },
    { name: "setting", label: "setting", kind: "text" },
    { name: "held", label: "held out", kind: "flag" },
    { name: "observed", label: "observed failure", kind: "percent" },
    { name: "run", label: "run", kind: "text" },
    { name: "files", label: "files", kind: "files" },
  ],
  tables: [
    { kind: "point", title: "Runs", columns: ["panel", "x", "y", "observed", "setting", "held", "run", "files"] },
    { kind: "curve", title: "Curves", columns: ["panel", "x", "y", "low", "high", "part"] },
  ],
};

export interface AxisExponent extends Estimate {
  readonly axis: AxisName;
  readonly status: "fitted" | "prior" | "refused";
  readonly reason?: string;
}

/** One fitted setting (or all runs pooled, with `setting` empty). */
export interface SettingFit {
  readonly setting: string;
  readonly law: FittedLaw;
  readonly rows: readonly RunRow[];
  readonly exponents: readonly AxisExponent[];
}

export interface AxisFitsInput {
  readonly fits: readonly SettingFit[];
  /** Ids of runs that were not fitted but predicted. */
  readonly heldOut?: ReadonlySet<string>;
  /** RMSE on the held-out runs, as a share; absent when none were held out. */
  readonly heldOutRmse?: number;
  readonly link: string;
}

/** How far beyond the data a curve is drawn, as a factor on both sides. */
const BEYOND = 3;
const GRID = 25;

/**
 * Failure rate (or loss) against one axis at a time, in logs. A run is drawn where it would stand with its other axes at the
 * fitted centre: its failure rate times law(level, centre)/law(levels), so that points and curve can be compared.
 */
export function axisFits(input: AxisFitsInput): FigurePayload {
  const rows: FigureRow[] = [];
  const sentences: string[] = [];
  const axes = [...new Set(input.fits.flatMap((fit) => fit.law.axes.filter((axis) => isDrawn(fit, axis))))];
  const loss = input.fits.some((fit) => fit.law.response === "loss");
  let zero = 0;
  let points = 0;

  axes.forEach((axis, order) => {
    const named: string[] = [];
    for (const fit of input.fits.filter((candidate) => candidate.law.axes.includes(axis) && isDrawn(candidate, axis))) {
      const exponent = fit.exponents.find((candidate) => candidate.axis === axis);
      if (exponent) named.push(`${fit.setting ? `${fit.setting} ` : ""}exponent ${interval(exponent)}${exponent.status === "prior" ? " (prior)" : ""}`);
      rows.push(...curve(fit, axis, order));
      for (const row of fit.rows) {
        const level = row.axes[axis];
        const error = observedError(row);
        if (level === undefined || error === null) continue;
        const point = atCentre(fit.law, axis, row, error);
        if (point === null || !(point > 0)) {
          if (order === 0) zero++;
          continue;
        }
        if (order === 0) points++;
        rows.push({
          kind: "point", panel: axis, order, x: level, y: point, observed: error, setting: fit.setting,
          held: input.heldOut?.has(row.id) ?? false, run: row.id, files: row.files.join(" "),
        });
      }
    }
    const runs = rows.filter((row) => row.kind === "point" && row.panel === axis).length;
    sentences.push(`${axis}: ${named.length > 3 ? `exponents of ${named.length} settings` : list(named) || "no exponent"}, ${plural(runs, "run")}`);
  });

  const error = input.heldOutRmse === undefined ? "" : `; held-out error ${decimal(100 * input.heldOutRmse, 1)} points`;
  const drawn = rows.flatMap((row) => (row.kind === "point" ? [Number(row.y)] : [Number(row.low), Number(row.high)]));
  const [floor, ceiling] = logMargin(drawn.filter((value) => value > 1e-4), 1.08);
  // A law without a link passes 1 outside its data; the axis does not.
  const domain = [floor, loss ? ceiling : Math.min(1, ceiling)];
  const simulated = input.fits.some((fit) => fit.rows.some((row) => row.simulated));
  const law = input.fits[0]?.law;
  return {
    format: FIGURE_FORMAT, version: PAYLOAD_VERSION, template: AXIS_FITS.template, templateVersion: AXIS_FITS.templateVersion,
    title: `${loss ? "Loss" : "Failure rate"} against each axis`,
    text: `${sentences.join("; ")}${error}.`,
    notes: [
      `n = ${points} runs${law ? `, ${law.law} law, band ${drawKindNote(law)}` : ""}; dashed: beyond the fitted range.`,
      "Each run is moved to the centre of the other axes by the law.",
      ...(zero > 0 ? [`${plural(zero, "run")} without a failure cannot stand on a log scale and ${zero === 1 ? "is" : "are"} not drawn.`] : []),
    ],
    simulated,
    link: input.link,
    data: { rows: toCsv(AXIS_FITS.columns, rows) },
    values: {
      loss, domain, ticks: logTicks(domain[0], domain[1], 6), panels: axes,
      headings: axes.map((axis) => heading(axis, input.fits)),
    },
  };
}

function isDrawn(fit: SettingFit, axis: AxisName): boolean {
  const range = fit.law.ranges[axis];
  return !fit.law.refused.some((entry) => entry.axis === axis) && range !== undefined && range.min > 0;
}

function heading(axis: AxisName, fits: readonly SettingFit[]): string {
  const exponents = fits.flatMap((fit) => fit.exponents.filter((exponent) => exponent.axis === axis));
  return exponents.length === 1 ? `α ${interval(exponents[0])}${exponents[0].status === "prior" ? " prior" : ""}` : `${exponents.length} settings`;
}

function curve(fit: SettingFit, axis: AxisName, order: number): FigureRow[] {
  const { law } = fit;
  const i = law.axes.indexOf(axis);
  const range = law.ranges[axis];
  const at = (x: number): Estimate => {
    const levels = centre(law);
    levels[i] = x;
    return overDraws(law, (instance) => instance.error(levels));
  };
  const parts: [string, number, number][] = [["below", range.min / BEYOND, range.min], ["within", range.min, range.max], ["above", range.max, range.max * BEYOND]];
  return parts.flatMap(([part, from, to]) =>
    logSpace(Math.max(from, axis === "parameters" ? from : Math.min(1, range.min)), to, part === "within" ? GRID : 7)
      .map((x): FigureRow => {
        const value = at(x);
        return { kind: "curve", panel: axis, order, x, y: value.estimate, low: value.low, high: value.high, part, setting: fit.setting };
      }));
}

/** The run's failure rate with every other axis moved to the centre; null when a level is missing. */
function atCentre(law: FittedLaw, axis: AxisName, row: RunRow, error: number): number | null {
  const middle = centre(law);
  const own = law.axes.map((name, i) => (law.refused.some((entry) => entry.axis === name) ? middle[i] : row.axes[name]));
  if (own.some((level) => level === undefined || !(level > 0))) return null;
  const levels = own as number[];
  const moved = middle.map((level, i) => (law.axes[i] === axis ? levels[i] : level));
  const here = law.point.error(levels);
  return here > 0 ? (error * law.point.error(moved)) / here : null;
}
