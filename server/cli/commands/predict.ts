import { openFit, predict as predictAt, readFit } from "../../core/fit";
import { count } from "../../core/numbers";
import { readExpression } from "../../syntax/quantity/expression";
import type { Command } from "../command";
import { InputError, type ExitCode } from "../io";
import { json, safe } from "../../report/print/terminal";
import { intervalText } from "../../report/terminalNumbers";

export const predict: Command = {
  name: "predict",
  usage: "predict --fit FILE.fit.json AXIS=VALUE… [--json]",
  summary: "the success rate that a fit expects at given levels",
  options: {
    fit: { kind: "text", value: "FILE.fit.json", help: "the fit" },
    setting: { kind: "text", value: "NAME", help: "one setting of a fit of several" },
    json: { kind: "flag", help: "print JSON" },
  },
  async run(engine, args): Promise<ExitCode> {
    const file = args.text("fit");
    if (file === undefined) throw new InputError("name a fit with --fit FILE.fit.json");
    let parsed: unknown;
    try {
      parsed = JSON.parse(await engine.text(file));
    } catch (error) {
      if (error instanceof InputError) throw error;
      throw new InputError("this is not JSON", { file });
    }
    const read = readFit(parsed);
    if (!read.ok) throw new InputError(read.problem.message, { file });
    const law = openFit(read.value, args.text("setting"));
    if (!law.ok) throw new InputError(law.problem.message, { file });
    const levels: Record<string, number> = {};
    for (const text of args.positional) {
      const [axis, value] = split(text);
      if (!law.value.axes.includes(axis) && !law.value.refused.some((one) => one.axis === axis)) {
        throw new InputError(`the fit has no axis "${axis}"; it has ${law.value.axes.join(", ")}`);
      }
      if (axis in levels) throw new InputError(`${axis} is given twice`);
      levels[axis] = value;
    }
    const said = predictAt(law.value, levels);
    if (args.flag("json")) {
      engine.io.out(
        json({
          successRate: said.successRate,
          ...(said.loss && { loss: said.loss }),
          extrapolation: said.extrapolation,
          outOfRange: said.outOfRange,
          held: said.held,
          assumed: said.assumed,
          law: law.value.law,
          simulated: read.value.simulated,
        }),
      );
      return 0;
    }
    engine.io.out(
      said.successRate
        ? `${intervalText(said.successRate)} success${read.value.simulated ? " (fit of SIMULATED runs)" : ""}`
        : `loss ${said.loss ? `${said.loss.estimate.toPrecision(4)} [${said.loss.low.toPrecision(4)}, ${said.loss.high.toPrecision(4)}]` : "unknown"}`,
    );
    if (said.outOfRange) engine.io.out("out of range: the law leaves 0 to 100 % here");
    for (const [axis, factor] of Object.entries(said.extrapolation))
      if (factor > 1) engine.io.out(`${axis} is ${count(factor)}× outside the fitted range: extrapolated`);
    for (const { axis, level } of said.held)
      engine.io.out(`${axis} could not be identified and is held at ${count(level)}`);
    for (const axis of said.assumed) engine.io.out(`${safe(axis)} was not given: taken at the runs' geometric mean`);
    return 0;
  },
};

function split(text: string): [string, number] {
  const at = text.indexOf("=");
  if (at < 1) throw new InputError(`"${text}" is not AXIS=VALUE`);
  const read = readExpression(text.slice(at + 1));
  if (!read.ok) throw new InputError(`${text}: ${read.problem.message}`);
  if (!(read.quantity.value > 0)) throw new InputError(`${text}: a level must be above 0`);
  return [text.slice(0, at), read.quantity.value];
}
