import type { ScalingFile } from "../configs/scaling/scalingFile";
import { planNextRuns, type RunPlan } from "../core/plan";
import { costModel } from "../core/cost";
import { refused, type Result } from "../core/result";
import { costInputs, levelsOf } from "../assessment/costs";
import type { ExperimentAssessment } from "../assessment/types";

export interface PlanOptions {
  /** At most this many runs. Default 27. */
  readonly runs?: number;
  /** At most this cost for all of them, in the unit of the cost model. */
  readonly budget?: number;
  readonly seed?: number;
}

/** What to run next around an experiment: from its fit where there is one, else the default small factorial. Codes: those of core's plan and cost model. */
export function planFor(
  experiment: ExperimentAssessment,
  framework: string | null,
  scaling: ScalingFile | null,
  options: PlanOptions = {},
): Result<RunPlan> {
  const { budget, law } = experiment;
  const current = levelsOf(budget);
  if (Object.keys(current).length === 0) return refused("plan.no-axes", "No amount of this experiment is known.");
  const cost = costModel(costInputs(budget, scaling, framework, law?.law.axes ?? []));
  if (!cost.ok) return cost;
  const limits = Object.fromEntries(
    Object.entries(scaling?.limits ?? {}).flatMap(([axis, limit]) =>
      limit ? [[axis, [limit.low, limit.high] as const]] : [],
    ),
  );
  // The published recipe rests on one run: its law values runs, but no axis is known yet.
  return planNextRuns({
    law: law?.law ?? null,
    cost: cost.value,
    current,
    limits,
    pins: scaling?.pin,
    existing: law && !law.fit.prior ? law.fit.file.runs.map((run) => run.axes) : undefined,
    ...options,
  });
}
