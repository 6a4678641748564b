import * as z from "zod";
import { difference } from "../assessment/difference";
import { isAllocated, isPredicted, type ExperimentAssessment } from "../assessment/types";
import { notReadJson } from "../assessment/unreadSources";
import { isKnown } from "../budget/budget";
import type { ComparedExperiment } from "../report/compare";
import { regretJson } from "../report/print/json";
import type { Judged } from "./engine";
import { files, fitChoice } from "./fields";
import { InputError } from "./inputError";
import type { Operation } from "./operation";

const input = z.strictObject({ files, ...fitChoice });

export interface Compared {
  readonly configs: readonly Judged[];
  readonly experiments: readonly ComparedExperiment[];
}

export const compare: Operation<z.infer<typeof input>, Compared> = {
  name: "compare",
  summary: "splits side by side, each against the first: amounts, cost, expected success",
  input,
  writes: false,
  async run(engine, { files: names, ...choice }, signal) {
    const configs: Judged[] = [];
    for (const name of names) configs.push(await engine.judge(name, choice, { thorough: true }, signal));
    for (const { file, assessment } of configs)
      if (assessment.experiments.length === 0)
        throw new InputError("no experiment budget was recognised in this file", { file });
    const experiments = comparedExperiments(configs);
    if (experiments.length < 2)
      throw new InputError("there is only one experiment here: name another config to compare it with");
    return { configs, experiments };
  },
  json: ({ configs, experiments }) => ({ experiments: experiments.map(comparedJson), ...notReadJson(configs) }),
};

/** All experiments of some configs, each with its difference to the first. */
function comparedExperiments(configs: readonly Pick<Judged, "file" | "assessment">[]): readonly ComparedExperiment[] {
  const all = configs.flatMap(({ file, assessment: { fit, experiments } }) =>
    experiments.map((experiment) => ({ file, fit, experiment })),
  );
  return all.map((one, i) => ({ ...one, difference: i === 0 ? null : difference(all[0].experiment, one.experiment) }));
}

function comparedJson({ file, experiment, difference: against }: ComparedExperiment): Record<string, unknown> {
  const { budget, costs, prediction, allocation } = experiment;
  return {
    file,
    experiment: budget.name,
    axes: levels(experiment),
    compute: isKnown(costs.compute) ? costs.compute.value : null,
    prediction: isPredicted(prediction) ? prediction.successRate : null,
    ...(isPredicted(prediction) ? {} : { reason: prediction.reason }),
    difference: against,
    regret: isAllocated(allocation) ? regretJson(allocation.result) : null,
  };
}

function levels({ budget }: ExperimentAssessment): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(budget.axes).map(([axis, fact]) => [axis, isKnown<unknown>(fact) ? fact.value : null]),
  );
}
