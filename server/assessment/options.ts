import type { Mode } from "../core/allocation/index";
import type { AxisName } from "../core/axes";
import type { Memo } from "./memo";
import type { TimedRun } from "./timedRuns";

export interface AssessOptions {
  readonly mode?: Mode;
  /** Beside `scaling.yaml`'s. */
  readonly pins?: readonly AxisName[];
  /** Freed though pinned by default, such as the parameters of the model. */
  readonly free?: readonly AxisName[];
  readonly recommend?: "optimum" | "robust";
  /** Budgets that hold together with the mode's, each before the budget's own: USD, GPU-hours, hours on the wall. */
  readonly caps?: { readonly usd?: number; readonly gpuHours?: number; readonly deadline?: number };
  /** Splits anywhere, not only within 3× of the runs. */
  readonly bold?: boolean;
  /** Sensitivities and the robust split cost time: the lens does without. */
  readonly thorough?: boolean;
  /** Predictions and solved splits by what they rest on, so that an edit of one experiment, or of a comment, solves nothing else again. */
  readonly memo?: Memo;
  /** Runs whose steps are timed, beside those of the fit's logs. */
  readonly timed?: readonly TimedRun[];
}
