import { axisWord } from "../../core/axes";
import { count } from "../../core/numbers";
import { predict as operation } from "../../operations/predict";
import { FIT_OPTIONS, fitChoice } from "../engine";
import type { Command } from "../command";
import { InputError, type ExitCode } from "../io";
import { json, safe } from "../../report/print/terminal";
import { intervalText } from "../../report/terminalNumbers";

export const predict: Command = {
  name: "predict",
  usage: "predict AXIS=VALUE… [--fit FILE.fit.json] [--json]",
  summary: "the success rate that a fit expects at given levels",
  options: {
    ...FIT_OPTIONS,
    setting: { kind: "text", value: "NAME", help: "one setting of a fit of several" },
    json: { kind: "flag", help: "print JSON" },
  },
  async run(engine, args): Promise<ExitCode> {
    const levels: Record<string, string> = {};
    for (const text of args.positional) {
      const at = text.indexOf("=");
      if (at < 1) throw new InputError(`"${text}" is not AXIS=VALUE`);
      const axis = text.slice(0, at);
      if (axis in levels) throw new InputError(`${axis} is given twice`);
      levels[axis] = text.slice(at + 1);
    }
    const found = await operation.run(engine.operating, { ...fitChoice(args), setting: args.text("setting"), levels });
    if (args.flag("json")) {
      engine.io.out(json(operation.json(found, engine.operating)));
      return 0;
    }
    const { said, fit, tooFar } = found;
    engine.io.out(
      tooFar !== null
        ? tooFar
        : said.successRate
          ? `${intervalText(said.successRate)} success (95 % interval)${fit.simulated ? " (fit of SIMULATED runs)" : ""}`
          : `loss ${said.loss ? `${said.loss.estimate.toPrecision(4)} [${said.loss.low.toPrecision(4)}, ${said.loss.high.toPrecision(4)}]` : "unknown"}`,
    );
    for (const [axis, factor] of Object.entries(said.extrapolation))
      if (factor > 1 && tooFar === null)
        engine.io.out(`${axisWord(axis)} is ${count(factor)}× outside the fitted range: extrapolated`);
    for (const { axis, level } of said.held)
      engine.io.out(`${axisWord(axis)} could not be identified and is held at ${count(level)}`);
    for (const axis of said.assumed)
      engine.io.out(`${safe(axisWord(axis))} was not given: taken at the runs' geometric mean`);
    return 0;
  },
};
