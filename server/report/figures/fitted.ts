import type { Estimate } from "../../core/estimate";
import type { ExponentEstimate, FitFile, FitRun } from "../../core/fit/file/file";
import { openFit } from "../../core/fit/file/open";
import type { FittedLaw } from "../../core/laws/law";
import { plural } from "../../core/numbers";

/** A setting whose law can be evaluated, with its own runs. */
export interface OpenSetting {
  readonly setting: string;
  readonly law: FittedLaw;
  readonly runs: readonly FitRun[];
  readonly exponents: Readonly<Record<string, ExponentEstimate>>;
}

/** The settings of a fit that have a law of their own, the reference first. */
export function fittedSettings(fit: FitFile): OpenSetting[] {
  const names = fit.settings.length > 0 ? fit.settings.map((one) => one.setting) : [fit.reference];
  return names
    .flatMap((setting) => {
      const opened = openFit(fit, setting);
      if (!opened.ok) return [];
      const runs = names.length > 1 ? fit.runs.filter((run) => run.setting === setting) : fit.runs;
      return [
        {
          setting,
          law: opened.value,
          runs,
          exponents: fit.settings.find((one) => one.setting === setting)?.exponents ?? fit.exponents,
        },
      ];
    })
    .sort((a, b) => Number(b.setting === fit.reference) - Number(a.setting === fit.reference));
}

/** 1 − success rate, or the loss; null where a run has neither. */
export function observedError(run: FitRun): number | null {
  if (run.loss !== undefined) return run.loss;
  return run.rate === undefined ? null : 1 - run.rate;
}

/** Numbers that may be unknown, as an estimate; null when they are. */
export function estimateOf(
  value: { readonly estimate: number | null; readonly low: number | null; readonly high: number | null } | undefined,
): Estimate | null {
  if (!value || value.estimate === null) return null;
  return { estimate: value.estimate, low: value.low ?? NaN, high: value.high ?? NaN };
}

/** `n = 48 runs, additive law, bands: 95 % of 1k bootstrap draws`. */
export function runNote(fit: FitFile, n = fit.rows): string {
  const { count, kind } = fit.draws;
  return `n = ${plural(n, "run")}, ${fit.law} law, intervals: ${count > 0 ? `95 % of ${plural(count, `${kind} draw`)}` : "unknown (no draws)"}`;
}
