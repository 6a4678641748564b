import { plan as operation } from "../../operations/plan";
import { planDocument, sequenceDocument } from "../../report/plan";
import type { Command } from "../command";
import { reportDiagnostics, reportNotRead } from "../configs";
import { FIT_OPTIONS, fitChoice } from "../engine";
import type { ExitCode } from "../io";
import { json, terminal } from "../../report/print/terminal";

export const plan: Command = {
  name: "plan",
  usage: "plan CONFIG [--runs N] [--budget X] [--write FOLDER] [--json]",
  summary: "which runs to make next: a small factorial, and single runs by expected drop in regret per cost",
  options: {
    ...FIT_OPTIONS,
    runs: { kind: "count", value: "N", help: "at most this many runs (default 27)" },
    budget: {
      kind: "text",
      value: "X",
      help: "at most this for all of them: '600 GPUh', '2000 USD', or a number in the unit of the costs",
    },
    write: {
      kind: "text",
      value: "FOLDER",
      help: "the best runs in a row (--runs, or 4) become configs in FOLDER, until one is not worth its cost",
    },
    json: { kind: "flag", help: "print JSON" },
  },
  async run(engine, args): Promise<ExitCode> {
    const file = args.only("config");
    const found = await operation.run(engine.operating, {
      file,
      runs: args.number("runs"),
      budget: args.text("budget"),
      write: args.text("write"),
      ...fitChoice(args),
    });
    const broken = reportDiagnostics(engine, found.config);
    reportNotRead(engine, [found.config]);
    if (args.flag("json")) engine.io.out(json(operation.json(found, engine.operating)));
    else if (found.written)
      engine.io.out(
        terminal(sequenceDocument(found.written.sequence, found.written.files.runs, engine.operating.shown)),
      );
    else
      for (const { experiment, planned } of found.plans) {
        const { name } = experiment.budget;
        if (planned.ok) engine.io.out(terminal(planDocument(name === "" ? file : name, planned.value)));
        else engine.io.err(`${file}: no plan: ${planned.problem.message}`);
      }
    return broken || found.plans.some(({ planned }) => !planned.ok) ? 2 : 0;
  },
};
