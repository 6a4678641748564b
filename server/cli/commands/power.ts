import { power as operation } from "../../operations/power";
import { json } from "../../report/print/terminal";
import { powerText, resolutionText } from "../../report/power";
import type { Command } from "../command";
import { InputError, type ExitCode } from "../io";
import { rateOf } from "./forecast";

export const power: Command = {
  name: "power",
  usage: "power --difference POINTS [--baseline 50%] [--tasks N] [--json]",
  summary: "how many evaluation tasks and seeds show a difference, and the least difference that N tasks show",
  options: {
    difference: { kind: "number", value: "POINTS", help: "the difference to be found, in points of success" },
    baseline: { kind: "text", value: "RATE", help: "the success rate about which it is (default 50%)" },
    discordant: { kind: "text", value: "RATE", help: "tasks that one arm solves and the other does not (default 20%)" },
    "seed-noise": { kind: "number", value: "POINTS", help: "noise between seeds of one config (default 2.5)" },
    power: { kind: "text", value: "RATE", help: "how often a true difference is found (default 80%)" },
    tasks: { kind: "count", value: "N", help: "the least difference that so many tasks show" },
    json: { kind: "flag", help: "print JSON, rates in 0–1" },
  },
  async run(engine, args): Promise<ExitCode> {
    if (args.positional.length > 0) throw new InputError("power takes options only, such as --difference 2");
    const found = await operation.run(engine.operating, {
      difference: points(args.number("difference")),
      baseline: rateOf(args.text("baseline"), "--baseline"),
      discordant: rateOf(args.text("discordant"), "--discordant"),
      seedNoise: points(args.number("seed-noise")),
      power: rateOf(args.text("power"), "--power"),
      tasks: args.number("tasks"),
    });
    if (args.flag("json")) engine.io.out(json(operation.json(found, engine.operating)));
    else {
      if (found.answer) engine.io.out(powerText(found.answer));
      if (found.tasks !== null && found.resolves) engine.io.out(resolutionText(found.tasks, found.resolves));
    }
    return 0;
  },
};

function points(value: number | undefined): number | undefined {
  return value === undefined ? undefined : value / 100;
}
