import type { FitFile } from "../../core/fit/file/file";
import { figure, type FigureOptions } from "../../core/figures/rows";
import { estimateOf, runNote } from "./fitted";
import type { FigurePayload, FigureRow } from "../../core/figures/payload";
import { DISCOUNTS } from "../../core/figures/shapes/discounts";
import { discountWords } from "./synthesisRatio";
import { interval } from "../../core/numbers";

/** κ of every method on every axis: how much real data one synthetic unit is worth. Best first. */
export function discounts(fit: FitFile, options: FigureOptions): FigurePayload {
  const entries = Object.entries(fit.synthesis)
    .flatMap(([axis, methods]) =>
      Object.entries(methods).map(([method, { discount }]) => ({
        axis,
        method,
        discount,
        known: estimateOf(discount),
      })),
    )
    .sort((a, b) => (b.known?.estimate ?? -Infinity) - (a.known?.estimate ?? -Infinity));
  const rows = entries.map(({ axis, method, discount, known }, place): FigureRow => ({
    kind: "one",
    axis,
    method,
    label: `${method} · ${axis}`,
    place,
    ...known,
    words: known ? interval(known) : "unknown",
    source: discount.source,
    doubted: discount.source !== "fitted",
  }));
  const known = entries.filter((entry) => entry.known);
  const [best] = known;
  const worst = known[known.length - 1];
  const name = (entry: (typeof entries)[number]): string =>
    `${entry.method} on ${entry.axis}, κ ${discountWords(entry.discount)}`;
  const text =
    known.length === 0
      ? "No method's discount is known: no run of this fit states synthetic data that the law can weigh."
      : known.length === 1
        ? `${name(best)}.`
        : `Best: ${name(best)}; worst: ${name(worst)}; ${known.length} in all.`;
  const values = known.flatMap((entry) => [entry.known?.low ?? 0, entry.known?.high ?? 1].filter(Number.isFinite));
  return figure(
    DISCOUNTS,
    rows,
    {
      title: "What a synthetic unit is worth in real ones (κ)",
      text,
      notes: [
        `${runNote(fit)}.`,
        "1: as good as real; 0: worth nothing. Values outside are shown as they are.",
        ...(rows.some((row) => row.doubted) ? ["Hollow: from a prior, or not identified."] : []),
      ],
      simulated: fit.simulated,
      values: {
        labels: rows.map((row) => String(row.label)),
        domain: [Math.min(0, ...values), Math.max(1, ...values)],
      },
    },
    options,
  );
}
