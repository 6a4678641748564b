import type { FitFile } from "../../core/fit/file/file";
import type { SynthesisEstimate } from "../../core/synthesis/drawn";
import { logSpace } from "../../core/figures/ticks";
import { figure, type FigureOptions } from "../../core/figures/rows";
import { estimateOf, runNote } from "./fitted";
import type { FigurePayload, FigureRow } from "../../core/figures/payload";
import { SYNTHESIS_RATIO } from "../../core/figures/shapes/synthesisRatio";
import { effectiveRatio } from "../../core/synthesis/mix";
import { interval, plural } from "../../core/numbers";

/** What synthetic units add at each ratio to real ones, per axis and method, with the ratio at which they stop to add. */
export function synthesisRatio(fit: FitFile, options: FigureOptions): FigurePayload {
  const panels = Object.entries(fit.synthesis).flatMap(([axis, methods]) =>
    Object.entries(methods).map(([method, value]) => ({ name: `${axis} · ${method}`, value })),
  );
  const ratios = panels.flatMap(({ value }) => value.evidence.map((entry) => entry.ratio).filter((ratio) => ratio > 0));
  const low = ratios.length > 0 ? Math.min(...ratios) : 0.5;
  const high = ratios.length > 0 ? Math.max(...ratios) : 10;
  // A log axis has no 0 and no ∞: where a run or an interval is there, they stand at the edges, apart from the curve, named by their ticks.
  const hasZero = panels.some(({ value }) => value.evidence.some((entry) => entry.ratio === 0));
  const hasInfinite = panels.some(
    ({ value }) => estimateOf(value.criticalRatio) && !Number.isFinite(value.criticalRatio.high),
  );
  const zero = low / (hasZero ? 2 : 1.15);
  const infinite = high * (hasInfinite ? 2 : 1.25);
  const rows: FigureRow[] = [];
  const sentences: string[] = [];
  panels.forEach(({ name, value }, order) => {
    // A little past the last ratio that was tried: what a falling shape does further out is nobody's finding.
    rows.push(...curve(name, order, value, low / 1.1, 1.2 * high));
    for (const { id, ratio, discount } of value.evidence) {
      if (discount === null && ratio > 0) continue;
      rows.push({
        kind: "point",
        panel: name,
        order,
        at: ratio > 0 ? ratio : zero,
        ratio,
        y: 1 + (discount ?? 0) * ratio,
        discount,
        run: id,
        files: options.files?.[id]?.join(" "),
      });
    }
    const unreached = value.evidence.filter((entry) => entry.discount === null && entry.ratio > 0).length;
    const critical = estimateOf(value.criticalRatio);
    const reason = (value.criticalRatio.reason ?? "not identified").replace(/\.$/, "");
    if (critical) {
      rows.push({
        kind: "critical",
        panel: name,
        order,
        at: critical.estimate,
        ratio: critical.estimate,
        low: Math.max(zero, Number.isFinite(critical.low) ? critical.low : zero),
        high: Math.min(infinite, Number.isFinite(critical.high) ? critical.high : infinite),
      });
    }
    sentences.push(
      `${name}: ${critical ? `r* ${interval(critical, 1)}` : `no r* (${reason})`}, ${value.criticalRatio.shape} shape, ${value.criticalRatio.source}${unreached > 0 ? `; ${plural(unreached, "run")} outside the law's reach` : ""}`,
    );
  });
  return figure(
    SYNTHESIS_RATIO,
    rows,
    {
      title: "How far synthesis carries",
      text: panels.length > 0 ? `${sentences.join("; ")}.` : "No run of this fit states synthetic data.",
      notes: [
        `${runNote(fit)}.`,
        "Line and band: the chosen shape with κ at its estimate and at the ends of its interval. Shaded: interval of r*. Points: each run, its real equivalent read off the law.",
      ],
      simulated: fit.simulated,
      values: {
        zero,
        infinite,
        hasZero,
        hasInfinite,
        panels: panels.map(({ name }) => name),
        headings: panels.map(({ value }) => heading(value)),
      },
    },
    options,
  );
}

function heading({ criticalRatio }: SynthesisEstimate): string {
  const critical = estimateOf(criticalRatio);
  return critical
    ? `r* ${interval(critical, 1)} (${criticalRatio.shape}${criticalRatio.source === "published" ? ", published" : ""})`
    : `r* not identified (${criticalRatio.shape})`;
}

function curve(panel: string, order: number, value: SynthesisEstimate, first: number, last: number): FigureRow[] {
  const kappa = estimateOf(value.discount);
  if (!kappa) return [];
  const { shape, estimate } = value.criticalRatio;
  const g = (r: number, k: number): number => effectiveRatio(shape, k, estimate, value.shapeParameter, r);
  // The corner of a cap lies between the points of any grid.
  const grid = [
    ...logSpace(first, last, 40),
    ...(estimate !== null && estimate > first && estimate < last ? [estimate] : []),
  ].sort((a, b) => a - b);
  return grid.map((ratio) => ({
    kind: "curve",
    panel,
    order,
    at: ratio,
    ratio,
    y: g(ratio, kappa.estimate),
    low: Number.isFinite(kappa.low) ? g(ratio, kappa.low) : null,
    high: Number.isFinite(kappa.high) ? g(ratio, kappa.high) : null,
  }));
}

/** `0.44 [0.37, 0.52]`: κ in words, or why there is none. */
export function discountWords(value: SynthesisEstimate["discount"]): string {
  const known = estimateOf(value);
  return known
    ? `${interval(known)}${value.source === "prior" ? " (prior)" : ""}`
    : `unknown (${(value.reason ?? "not identified").replace(/\.$/, "")})`;
}
