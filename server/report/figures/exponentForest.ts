import type { AxisName } from "../../core/axes";
import type { Estimate } from "../../core/estimate";
import type { ExponentEstimate, FitFile } from "../../core/fit/file/file";
import { figure, type FigureOptions } from "../../core/figures/rows";
import { estimateOf, runNote } from "./fitted";
import type { FigurePayload, FigureRow } from "../../core/figures/payload";
import { EXPONENT_FOREST } from "../../core/figures/shapes/exponentForest";
import { decimal, interval, percent, plural } from "../../core/numbers";

const POOLED = "all settings";
const NEXT = "next setting";

/** Exponents with their intervals: a panel an axis and a row a setting; or, for one setting, a row an axis. */
export function exponentForest(fit: FitFile, options: FigureOptions): FigurePayload {
  const several = fit.settings.filter((one) => !one.refused).length > 1;
  const rows = several ? bySetting(fit) : byAxis(fit);
  const refused = rows.filter((row) => row.status === "refused").length;
  const probability = fit.ordering.probability;
  const order = fit.ordering.axes.join(" > ");
  const sentences = several
    ? fit.summary.map(
        ({ axis, mean, heterogeneity, settings }) =>
          `${axis}: pooled exponent ${interval(mean)} over ${plural(settings, "setting")}, heterogeneity ${percent(heterogeneity)}`,
      )
    : Object.entries(fit.exponents).map(([axis, value]) => `${axis}: ${words(value)}`);
  if (probability !== null && fit.ordering.axes.length > 1)
    sentences.push(`the order ${order} has probability ${percent(probability)}`);
  // A prediction interval over three settings can be ten times as wide as everything else: its ends are in the table.
  const values = rows
    .filter((row) => row.kind !== "next")
    .flatMap((row) =>
      [row.low, row.high, row.estimate].flatMap((value) =>
        typeof value === "number" && Number.isFinite(value) ? [value] : [],
      ),
    );
  return figure(
    EXPONENT_FOREST,
    rows,
    {
      title: "Exponents of the law",
      text: `${sentences.join("; ")}.`,
      notes: [
        `${runNote(fit)}.`,
        ...(several
          ? [
              "Diamond: random-effects mean with its Hartung–Knapp interval; thin line: 95 % for a setting not yet seen.",
            ]
          : []),
        ...(rows.some((row) => row.doubted) ? ["Hollow: from published values, or at a limit."] : []),
        ...(refused > 0
          ? [`${plural(refused, "exponent")} could not be identified and ${refused === 1 ? "is" : "are"} not drawn.`]
          : []),
      ],
      simulated: fit.simulated,
      values: {
        labels: [
          ...new Set([...rows].sort((a, b) => Number(a.place) - Number(b.place)).map((row) => String(row.label))),
        ],
        panels: [...new Set(rows.map((row) => String(row.panel)))],
        domain: [Math.min(0, ...values), Math.max(0.1, ...values) * 1.05],
      },
    },
    options,
  );
}

function words(value: ExponentEstimate): string {
  const known = estimateOf(value);
  if (!known) return `refused (${(value.reason ?? "not identified").replace(/\.$/, "")})`;
  return `exponent ${interval(known)}${value.status === "prior" ? " (prior)" : ""}`;
}

function one(
  panel: string,
  order: number,
  label: string,
  place: number,
  value: ExponentEstimate,
  setting: string,
  bounded: boolean,
): FigureRow {
  const known: Partial<Estimate> = estimateOf(value) ?? {};
  return {
    kind: "one",
    panel,
    order,
    label,
    place,
    ...known,
    status: value.status,
    doubted: value.status !== "fitted" || bounded,
    setting,
  };
}

function bySetting(fit: FitFile): FigureRow[] {
  return fit.axes.flatMap((axis, order) => {
    const summary = fit.summary.find((entry) => entry.axis === axis);
    const rows = fit.settings
      .filter((entry) => !entry.refused && entry.exponents[axis])
      .map((entry, place) => one(axis, order, entry.setting, place, entry.exponents[axis], entry.setting, false));
    if (!summary) return rows;
    const last = fit.settings.length;
    return [
      ...rows,
      {
        kind: "pooled",
        panel: axis,
        order,
        label: POOLED,
        place: last,
        ...summary.mean,
        status: "fitted",
        doubted: false,
        setting: "",
      },
      {
        kind: "next",
        panel: axis,
        order,
        label: NEXT,
        place: last + 1,
        estimate: null,
        low: summary.prediction.low,
        high: summary.prediction.high,
        status: `τ ${decimal(summary.tau, 3)}`,
        doubted: false,
        setting: "",
      },
    ];
  });
}

function byAxis(fit: FitFile): FigureRow[] {
  const setting = fit.reference;
  const entries: [AxisName, ExponentEstimate][] = Object.entries(fit.exponents);
  if (fit.worldsAndStructures) {
    for (const axis of ["worlds", "structures"]) {
      const value = fit.worldsAndStructures.exponents[axis];
      if (value && !(axis in fit.exponents)) entries.push([axis, value]);
    }
  }
  return entries
    .sort(([, a], [, b]) => (b.estimate ?? -1) - (a.estimate ?? -1))
    .map(([axis, value], place) =>
      one(setting || "all runs", 0, axis, place, value, setting, fit.parameters[`alpha_${axis}`]?.atBound ?? false),
    );
}
