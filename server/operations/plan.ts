import { z } from "zod";
import type { ScalingFile } from "../configs/scaling/scalingFile";
import { planNextRuns, type RunPlan } from "../core/plan";
import { costModel } from "../core/cost";
import { refused, type Result } from "../core/result";
import { costInputs, levelsOf } from "../assessment/costs";
import type { ExperimentAssessment } from "../assessment/types";
import type { Judged } from "./engine";
import { experiment, file, fitChoice } from "./fields";
import { InputError } from "./inputError";
import type { Operation } from "./operation";

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
    unvaried: law && !law.fit.prior ? law.unvaried : undefined,
    existing: law && !law.fit.prior ? law.fit.file.runs.map((run) => run.axes) : undefined,
    ...options,
  });
}

const input = z.strictObject({
  file,
  experiment,
  runs: z.int().min(1).optional().describe("at most this many runs"),
  budget: z.number().positive().optional().describe("at most this cost for all of them, in the unit of the cost model"),
  ...fitChoice,
});

export interface Planned {
  readonly config: Judged;
  readonly plans: readonly { readonly experiment: ExperimentAssessment; readonly planned: Result<RunPlan> }[];
}

export const plan: Operation<z.infer<typeof input>, Planned> = {
  name: "plan",
  summary: "which runs to make next, and what each is worth",
  input,
  writes: false,
  async run(engine, { file: name, experiment: wanted, runs, budget, ...choice }, signal) {
    const config = await engine.judge(name, choice, undefined, signal);
    const { document, experiments } = config.assessment;
    if (experiments.length === 0)
      throw new InputError("no experiment budget was recognised in this file", { file: name });
    const chosen = experiments.filter((one) => wanted === undefined || one.budget.name === wanted);
    if (chosen.length === 0) throw new InputError(`there is no experiment "${wanted ?? ""}"`, { file: name });
    return {
      config,
      plans: chosen.map((one) => ({
        experiment: one,
        planned: planFor(one, document.framework, config.scaling?.file ?? null, { runs, budget, seed: choice.seed }),
      })),
    };
  },
  /** One object for one experiment, a list for several. */
  json({ config: { file: name }, plans }) {
    const all = plans.map(({ experiment: { budget }, planned }) =>
      planned.ok
        ? { file: name, experiment: budget.name, ...planned.value }
        : { file: name, experiment: budget.name, plan: null, refused: planned.problem },
    );
    return all.length === 1 ? all[0] : all;
  },
};
