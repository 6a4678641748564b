import type { Estimate } from "../estimate";

/** What was said of a run when it began. Rates in [0, 1]; intervals are 95 % for success and 80 % for cost. */
interface Prediction {
  /** The run, by the name that `runs` gives it. */
  readonly run: string;
  /** ISO 8601. */
  readonly at: string;
  readonly success: Estimate | null;
  readonly gpuHours: Estimate | null;
  /** Absent in lines of earlier versions. */
  readonly usd?: Estimate | null;
  /** The verdict on the config's split, in one word. */
  readonly verdict: string | null;
  /** By which law or forecast. */
  readonly by: string;
  /** The log, or the law, is of simulated runs. */
  readonly simulated?: boolean;
}

/** What came of it. */
interface Outturn {
  readonly run: string;
  readonly at: string;
  readonly success: number;
  readonly gpuHours: number | null;
  readonly simulated?: boolean;
}

/** One line of `predictions.jsonl`. */
export type LedgerLine = ({ readonly kind: "prediction" } & Prediction) | ({ readonly kind: "outturn" } & Outturn);

/** How often a team's own predictions held. */
export interface Calibration {
  /** Predictions of success whose runs have ended. */
  readonly scored: number;
  /** Predictions whose runs are still on. */
  readonly open: number;
  /** Share of the 95 % intervals that held the outcome, with a 95 % interval of its own; null without a scored one. */
  readonly coverage: Estimate | null;
  /** Mean of outcome − prediction, in rates, with its 95 % interval: above 0, runs end better than predicted. */
  readonly bias: Estimate | null;
  /** Mean absolute error, in rates. */
  readonly error: number | null;
  /** Median of measured ÷ predicted GPU-hours, and how many are behind it. */
  readonly costRatio: number | null;
  readonly costs: number;
  /** How many of the runs, open ones included, are simulated. */
  readonly simulated: number;
  readonly runs: readonly Scored[];
}

interface Scored {
  readonly run: string;
  readonly predicted: Estimate;
  readonly success: number;
  readonly held: boolean;
}

/** Scores a ledger: the first prediction of a run against what it came to last. */
export function calibrationOf(lines: readonly LedgerLine[]): Calibration {
  const predictions = new Map<string, Prediction>();
  const outturns = new Map<string, Outturn>();
  for (const line of lines) {
    if (line.kind === "outturn") outturns.set(line.run, line);
    else if (!predictions.has(line.run)) predictions.set(line.run, line);
  }
  const runs: Scored[] = [];
  const ratios: number[] = [];
  let open = 0;
  let simulated = 0;
  for (const [run, prediction] of predictions) {
    const outturn = outturns.get(run);
    if (prediction.simulated || outturn?.simulated) simulated++;
    if (!outturn) {
      open++;
      continue;
    }
    const { success, gpuHours } = prediction;
    if (success)
      runs.push({
        run,
        predicted: success,
        success: outturn.success,
        held: success.low <= outturn.success && outturn.success <= success.high,
      });
    if (gpuHours && gpuHours.estimate > 0 && outturn.gpuHours !== null)
      ratios.push(outturn.gpuHours / gpuHours.estimate);
  }
  const n = runs.length;
  if (n === 0)
    return {
      scored: 0,
      open,
      coverage: null,
      bias: null,
      error: null,
      costRatio: medianOf(ratios),
      costs: ratios.length,
      simulated,
      runs,
    };
  const errors = runs.map(({ predicted, success }) => success - predicted.estimate);
  const mean = errors.reduce((sum, value) => sum + value, 0) / n;
  const sd = Math.sqrt(errors.reduce((sum, value) => sum + (value - mean) ** 2, 0) / Math.max(1, n - 1));
  const reach = (1.96 * sd) / Math.sqrt(n);
  return {
    scored: n,
    open,
    coverage: wilson(runs.filter(({ held }) => held).length, n),
    bias: { estimate: mean, low: mean - reach, high: mean + reach },
    error: errors.reduce((sum, value) => sum + Math.abs(value), 0) / n,
    costRatio: medianOf(ratios),
    costs: ratios.length,
    simulated,
    runs,
  };
}

/** Share of successes with Wilson's 95 % interval. */
function wilson(k: number, n: number): Estimate {
  const z = 1.96;
  const p = k / n;
  const centre = (p + (z * z) / (2 * n)) / (1 + (z * z) / n);
  const half = (z * Math.sqrt((p * (1 - p)) / n + (z * z) / (4 * n * n))) / (1 + (z * z) / n);
  return { estimate: p, low: Math.max(0, centre - half), high: Math.min(1, centre + half) };
}

function medianOf(values: readonly number[]): number | null {
  if (values.length === 0) return null;
  const sorted = [...values].sort((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return (sorted[Math.floor(middle)] + sorted[Math.ceil(middle)]) / 2;
}
