/**
 * Every short text that the server puts on a surface, in one table, so that a translation is one more table. `{0}` is the
 * first argument. Texts of the extension itself go through `vscode.l10n`.
 */
const ENGLISH = {
  "lens.success": "{0} success",
  "verdict.better": "{0} below the best split",
  "verdict.likely": "likely {0} points {1} at the same cost",
  "verdict.none": "no better split at this cost",
  "verdict.notKnown": "can't tell yet: {0}",
  "verdict.uncertain": "can't tell: gain {0} to {1}",
  "verdict.atPresent": "as it costs now: {0}",
  "basis.cost": "at the same cost",
  "basis.budget": "for {0}",
  "basis.limits": "within its limits",
  "basis.success": "for that success",
  "asked.success": "{0} for {1} (now {2})",
  "lens.plan": "Plan next runs",
  "lens.alone": "this file alone: {0} points",
  "lens.alone.nothing": "the gain is outside this file",
  "lens.noOptimum": "no best split: {0}",
  "lens.noFit": "No scaling fit",
  "lens.noFit.after": "no scaling fit",
  "lens.fit": "Fit run logs",
  "lens.calibrate": "Calibrate with one run",
  "lens.pending": "Fitting run logs…",
  "lens.failed": "No scaling fit: {0}",
  "lens.log": "Show log",
  "lens.optimise": "Optimise",
  "lens.explain": "Explain",
  "lens.unknown": "Success unknown: {0}",
  "lens.double": "2× {0} {1} points",
  "lens.stale": "last good values",
  "lens.prior": "prior",
  "lens.simulated": "simulated",
  "action.optimise": "Optimise allocation",
  "action.sameSuccess": "Optimise at equal success (cheapest)",
  "action.groupSize": "Optimise group size",
  "action.set": "Set {0} to {1}",
  "action.rename": "Rename to {0}",
  "action.pin": "Pin {0} in scaling.yaml",
  "action.unpin": "Unpin {0} in scaling.yaml",
  "action.silence": "Don't report {0} (setting)",
  "action.fact": "Add {0} of this file to scaling.yaml",
  "hint.optimal": "Optimal {1}: {0}.",
  "hint.best": "Best in this file alone, {1}: {0}.",
  "hint.whole": "In the whole best split, with the rest changed by hand: {0}.",
  "hint.fine": "As in the best split.",
  "hint.fineHere": "As good as this file alone can make it.",
  "hint.stale": "Last good values: the document has a syntax error.",
  "preview.open": "Review the allocation",
  // Shown in the status bar, which holds some 80 characters.
  "told.gain": "{0} points {1} {2}.",
  "told.cheaper": "The same success with {0} % less compute.",
  "told.verdict": "{0}.",
  "told.none": "No best split: {0}.",
  "told.alone": "This file alone: {0}. Whole best split: {1}, partly by hand (Explain).",
  "told.alone.nothing": "Nothing to gain in this file alone. Whole best split: {0}, by hand (Explain).",
} as const;

export type StringKey = keyof typeof ENGLISH;

export function say(key: StringKey, ...args: readonly (string | number)[]): string {
  return ENGLISH[key].replace(/\{(\d)\}/g, (_, index: string) => String(args[Number(index)] ?? ""));
}
