import type { FitFile, FitRun } from "../../core/fit/file/file";
import type { FittedLaw } from "../../core/laws/law";
import { centre } from "../../core/figures/ticks";
import { figure, type FigureOptions } from "../../core/figures/rows";
import { fittedSettings, observedError, runNote } from "./fitted";
import type { FigurePayload, FigureRow } from "../../core/figures/payload";
import { CALIBRATION } from "../../core/figures/shapes/calibration";
import { decimal, percent, plural } from "../../core/numbers";

interface Judged {
  readonly run: FitRun;
  readonly setting: string;
  readonly predicted: number;
  readonly observed: number;
  /** 1.96 standard deviations of what one more run like it would give. */
  readonly spread: number;
}

/** Each run's success against what the law says of it, with the interval in which 95 % of runs should fall. */
export function calibration(fit: FitFile, options: FigureOptions): FigurePayload {
  const loss = fit.response === "loss";
  const scale = loss ? 1 : 100;
  const judged = judge(fit);
  const rows = judged.map(({ run, setting, predicted, observed, spread }): FigureRow => ({
    kind: "point",
    predicted,
    observed,
    low: predicted - spread,
    high: predicted + spread,
    residual: scale * (observed - predicted),
    spread: scale * spread,
    covered: Math.abs(observed - predicted) <= spread,
    held: run.heldOut,
    setting,
    run: run.id,
    files: options.files?.[run.id]?.join(" "),
  }));
  const rmse = Math.sqrt(
    judged.reduce((sum, one) => sum + (one.observed - one.predicted) ** 2, 0) / Math.max(1, judged.length),
  );
  const covered = rows.filter((row) => row.covered).length;
  const heldOut = fit.selection[0]?.heldOutRmse;
  const size = (value: number): string => (loss ? decimal(value, 3) : `${decimal(100 * value, 1)} points`);
  const outside = judged.filter((one) => !loss && (one.predicted < 0 || one.predicted > 1)).length;
  const values = judged.flatMap((one) => [one.predicted, one.observed]);
  const [low, high] = values.length > 0 ? [Math.min(...values), Math.max(...values)] : [0, 1];
  const margin = 0.06 * (high - low || 1);
  return figure(
    CALIBRATION,
    rows,
    {
      title: "Predicted against observed",
      text:
        judged.length === 0
          ? "No run can be compared with the law."
          : `Coverage: ${covered} of ${plural(judged.length, "run")} (${percent(covered / judged.length)}) in their 95 % intervals; RMSE ${size(rmse)}${heldOut == null ? "" : `, ${size(heldOut)} on the held-out largest runs`}.`,
      notes: [
        `${runNote(fit)}.`,
        "Interval of a run: the law's draws, the runs' dispersion and the evaluation's noise together.",
        ...(rows.some((row) => row.held)
          ? ["Diamonds: the largest runs, held out to choose the law (the line includes them)."]
          : []),
        ...(outside > 0 ? [`${plural(outside, "prediction")} outside 0 to 100 %.`] : []),
      ],
      simulated: fit.simulated,
      values: {
        domain: [low - margin, high + margin],
        residuals: symmetric(rows.flatMap((row) => [Number(row.residual), Number(row.spread)])),
        xLabel: loss ? "predicted loss" : "predicted success",
        yLabel: loss ? "observed loss" : "observed success",
        residualLabel: loss ? "observed − predicted" : "observed − predicted (points)",
        format: loss ? ".3~g" : ".0%",
      },
    },
    options,
  );
}

function symmetric(values: readonly number[]): [number, number] {
  const most = Math.max(1e-9, ...values.map(Math.abs).filter(Number.isFinite)) * 1.08;
  return [-most, most];
}

function judge(fit: FitFile): Judged[] {
  const loss = fit.response === "loss";
  const all = fittedSettings(fit).flatMap(({ setting, law, runs }) =>
    runs.flatMap((run) => {
      const error = observedError(run);
      const x = levelsOf(law, run);
      if (error === null || !x) return [];
      const predicted = law.point.error(x);
      const drawn = law.draws.map((draw) => draw.error(x));
      const mean = drawn.reduce((sum, value) => sum + value, 0) / Math.max(1, drawn.length);
      const lawVariance = drawn.reduce((sum, value) => sum + (value - mean) ** 2, 0) / Math.max(1, drawn.length - 1);
      return [{ run, setting, error, predicted, lawVariance }];
    }),
  );
  // Where the trials are unknown, or for losses, the scatter about the law is all that is known of the noise.
  const scatter = all.reduce((sum, one) => sum + (one.error - one.predicted) ** 2, 0) / Math.max(1, all.length);
  return all.map(({ run, setting, error, predicted, lawVariance }) => {
    const dispersion = fit.settings.find((one) => one.setting === setting)?.dispersion ?? fit.dispersion;
    const p = Math.min(1 - 1e-3, Math.max(1e-3, predicted));
    const noise = !loss && run.trials ? (Math.max(1, dispersion) * p * (1 - p)) / run.trials : scatter;
    const shown = (value: number): number => (loss ? value : 1 - value);
    return {
      run,
      setting,
      predicted: shown(predicted),
      observed: shown(error),
      spread: 1.96 * Math.sqrt(lawVariance + noise),
    };
  });
}

function levelsOf(law: FittedLaw, run: FitRun): number[] | null {
  const middle = centre(law);
  const own = law.axes.map((axis, i) =>
    law.refused.some((entry) => entry.axis === axis) ? middle[i] : run.axes[axis],
  );
  return own.every((level): level is number => level !== undefined && level > 0) ? own : null;
}
