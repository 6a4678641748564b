import type { Notes } from "../../records/notes";
import type { RunMetrics } from "../../runs/series";

/** Says what of a run's log was not kept: values that are no numbers, metrics beyond the most that are. */
export function noteLeftOut(notes: Notes, id: string, metrics: RunMetrics, place: { readonly file: string }): void {
  if (metrics.nonFinite > 0) {
    const { key, line } = metrics.firstNonFinite ?? { key: "", line: 0 };
    notes.warn(
      "log.not-finite",
      `${id}: ${metrics.nonFinite} value${metrics.nonFinite > 1 ? "s" : ""} of ${key} and the like ${metrics.nonFinite > 1 ? "are" : "is"} NaN or infinite and left out.`,
      { ...place, ...(line > 0 ? { line } : {}) },
    );
  }
  if (metrics.leftOut > 0)
    notes.warn(
      "log.many-metrics",
      `${id}: the log names more metrics than the ${metrics.series.size} that are kept; ${metrics.leftOut} values of others, or more, are left out.`,
      place,
    );
}
