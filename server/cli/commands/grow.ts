import { grow as operation, LEAST, MOST } from "../../operations/grow";
import { growthSection } from "../../report/growth";
import { json, safe, terminal } from "../../report/print/terminal";
import { SIMULATED } from "../../report/terminalNumbers";
import type { Command } from "../command";
import { reportDiagnostics, reportNotRead } from "../configs";
import { EXPERIMENT, FIT_OPTIONS, fitChoice } from "../engine";
import { InputError, type ExitCode } from "../io";

export const grow: Command = {
  name: "grow",
  usage: "grow CONFIG [--times 1,2,4,8] [--json]",
  summary: "what grows as the budget grows, by the fit and by the published recipe",
  options: {
    ...FIT_OPTIONS,
    times: { kind: "text", value: "K,K…", help: "multiples of the present cost (default 1,2,4,8)" },
    ...EXPERIMENT,
    json: { kind: "flag", help: "print JSON" },
  },
  async run(engine, args): Promise<ExitCode> {
    const found = await operation.run(engine.operating, {
      file: args.only("config"),
      experiment: args.text("experiment"),
      times: timesOf(args.text("times")),
      ...fitChoice(args),
    });
    const broken = reportDiagnostics(engine, found.config);
    reportNotRead(engine, [found.config]);
    if (args.flag("json")) engine.io.out(json(operation.json(found, engine.operating)));
    else {
      const { fit } = found.config.assessment;
      engine.io.out(`${safe(found.config.file)} · ${safe(found.experiment.budget.name)}`);
      engine.io.out(terminal(growthSection(found.growth)));
      if (fit.kind === "ready" && fit.fit.simulated) engine.io.out(SIMULATED);
    }
    return broken ? 2 : 0;
  },
};

function timesOf(text: string | undefined): number[] | undefined {
  const times = text?.split(",").map(Number);
  if (times && (times.length > 20 || !times.every((factor) => factor >= LEAST && factor <= MOST)))
    throw new InputError(
      `--times wants up to 20 multiples of the present cost from ${LEAST} to ${MOST}, such as 1,2,4, not "${text ?? ""}"`,
    );
  return times;
}
