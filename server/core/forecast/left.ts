import type { Estimate } from "../estimate";
import type { RunRow } from "../table";

/** What is left to spend until the planned end; intervals are 95 %, null where no step times are logged. */
export interface Left {
  readonly gpuHoursLeft: number | null;
  readonly gpuHoursLeftInterval: Estimate | null;
  /** Null where no price is known. */
  readonly usdLeft: number | null;
  readonly usdLeftInterval: Estimate | null;
}

export const NOTHING_LEFT_KNOWN: Left = {
  gpuHoursLeft: null,
  gpuHoursLeftInterval: null,
  usdLeft: null,
  usdLeftInterval: null,
};

/** Student's t, two-sided 95 %, by degrees of freedom from 2 to 9. */
const T = [4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262];

/** So few steps do not show how responses lengthen; in public logs the later pace is then within this share, 19 times of 20. */
const FEW_STEPS = 10;
const DRIFT = 0.15;

/**
 * The remaining steps at the mean pace of those taken, with the evaluations and checkpoints that they bring. The pace to come is one more stretch of the log: its interval is
 * t·sd·√(1 + 1/k) over the means of k stretches.
 * @param step steps taken
 * @param usdPerGpuHour undefined where no price is known
 */
export function leftOf(row: RunRow, step: number, usdPerGpuHour: number | undefined): Left {
  const { plannedSteps, timing } = row;
  const hours = plannedSteps === undefined || step <= 0 ? null : hoursLeft(row, step, plannedSteps);
  if (hours === null) return NOTHING_LEFT_KNOWN;
  const wander = timing?.wander;
  const t = wander && T[Math.min(wander.stretches - 1, 9) - 2];
  const wandered =
    wander && t !== undefined ? (t * wander.sd * Math.sqrt(1 + 1 / wander.stretches)) / timing.secondsPerStep : null;
  const share = wandered !== null && (timing?.steps ?? 0) < FEW_STEPS ? Math.hypot(wandered, DRIFT) : wandered;
  const interval: Estimate | null =
    share === null ? null : { estimate: hours, low: hours * Math.max(0, 1 - share), high: hours * (1 + share) };
  const price = usdPerGpuHour;
  return {
    gpuHoursLeft: hours,
    gpuHoursLeftInterval: interval,
    usdLeft: price === undefined ? null : hours * price,
    usdLeftInterval:
      price === undefined || interval === null
        ? null
        : { estimate: hours * price, low: interval.low * price, high: interval.high * price },
  };
}

/** By what a step and what comes at intervals take, where the log times them apart; else as the hours so far. */
function hoursLeft({ gpuHours, timing }: RunRow, step: number, planned: number): number | null {
  const remaining = Math.max(0, planned - step);
  if (timing?.gpus === undefined) return gpuHours === undefined ? null : (gpuHours * remaining) / step;
  const besides = (timing.besides ?? []).reduce(
    (sum, { seconds, every }) => sum + seconds * (Math.floor(planned / every) - Math.floor(step / every)),
    0,
  );
  return (timing.gpus * (remaining * timing.secondsPerStep + besides)) / 3600;
}
