import { isAllocated, isPredicted, type ExperimentAssessment } from "../../assessment/types";
import { difference } from "../../assessment/difference";
import { comparison, type ComparedExperiment } from "../../report/compare";
import { isKnown } from "../../budget/budget";
import type { Command } from "../command";
import { judge, reportDiagnostics } from "../configs";
import { regretJson } from "../../report/print/json";
import { FIT_OPTIONS } from "../engine";
import { InputError, type ExitCode } from "../io";
import { json, terminal } from "../../report/print/terminal";

export const compare: Command = {
  name: "compare",
  usage: "compare CONFIG CONFIG… [--json]",
  summary: "splits side by side, each against the first",
  options: { ...FIT_OPTIONS, json: { kind: "flag", help: "print JSON" } },
  async run(engine, args): Promise<ExitCode> {
    if (args.positional.length === 0)
      throw new InputError("name two or more configs, or one that holds several experiments");
    const compared: ComparedExperiment[] = [];
    let bad = false;
    for (const file of args.positional) {
      const config = await judge(engine, file, args, () => ({ thorough: true }));
      bad = reportDiagnostics(engine, config) || bad;
      const { experiments, fit } = config.assessment;
      if (experiments.length === 0) throw new InputError("no experiment budget was recognised in this file", { file });
      for (const experiment of experiments)
        compared.push({
          file,
          fit,
          experiment,
          difference: compared.length === 0 ? null : difference(compared[0].experiment, experiment),
        });
    }
    if (compared.length < 2)
      throw new InputError("there is only one experiment here: name another config to compare it with");
    if (args.flag("json")) engine.io.out(json({ experiments: compared.map(comparedJson) }));
    else engine.io.out(terminal(comparison(compared)));
    return bad ? 2 : 0;
  },
};

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
