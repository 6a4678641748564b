import { planFor } from "../../operations/plan";
import { planDocument } from "../../report/plan";
import type { Command } from "../command";
import { judge, reportDiagnostics } from "../configs";
import { FIT_OPTIONS } from "../engine";
import { InputError, type ExitCode } from "../io";
import { json, terminal } from "../../report/print/terminal";

export const plan: Command = {
  name: "plan",
  usage: "plan CONFIG [--runs N] [--budget X] [--json]",
  summary: "which runs to make next: a small factorial, and single runs by expected drop in regret per cost",
  options: {
    ...FIT_OPTIONS,
    runs: { kind: "count", value: "N", help: "at most this many runs (default 27)" },
    budget: { kind: "number", value: "X", help: "at most this cost for all of them, in the unit of the cost model" },
    json: { kind: "flag", help: "print JSON" },
  },
  async run(engine, args): Promise<ExitCode> {
    if (args.positional.length !== 1) throw new InputError("name one config");
    const [file] = args.positional;
    const config = await judge(engine, file, args);
    const broken = reportDiagnostics(engine, config);
    const { document, experiments } = config.assessment;
    if (experiments.length === 0) throw new InputError("no experiment budget was recognised in this file", { file });
    const plans = experiments.map((experiment) => ({
      experiment: experiment.budget.name,
      planned: planFor(experiment, document.framework, config.scaling?.file ?? null, {
        runs: args.number("runs"),
        budget: args.number("budget"),
        seed: args.number("seed"),
      }),
    }));
    if (args.flag("json")) {
      const all = plans.map(({ experiment, planned }) =>
        planned.ok
          ? { file, experiment, ...planned.value }
          : { file, experiment, plan: null, refused: planned.problem },
      );
      engine.io.out(json(all.length === 1 ? all[0] : all));
    } else {
      for (const { experiment, planned } of plans) {
        if (planned.ok) engine.io.out(terminal(planDocument(experiment === "" ? file : experiment, planned.value)));
        else engine.io.err(`${file}: no plan: ${planned.problem.message}`);
      }
    }
    return broken || plans.some(({ planned }) => !planned.ok) ? 2 : 0;
  },
};
