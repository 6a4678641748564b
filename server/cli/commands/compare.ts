import { compare as operation } from "../../operations/compare";
import { comparison } from "../../report/compare";
import type { Command } from "../command";
import { reportDiagnostics, reportNotRead } from "../configs";
import { FIT_OPTIONS, fitChoice } from "../engine";
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
    const compared = await operation.run(engine.operating, { files: [...args.positional], ...fitChoice(args) });
    const bad = compared.configs.map((config) => reportDiagnostics(engine, config)).includes(true);
    reportNotRead(engine, compared.configs);
    if (args.flag("json")) engine.io.out(json(operation.json(compared, engine.operating)));
    else engine.io.out(terminal(comparison(compared.experiments)));
    return bad ? 2 : 0;
  },
};
