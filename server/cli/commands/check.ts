import { check as operation } from "../../operations/check";
import type { Command } from "../command";
import { reportDiagnostics } from "../configs";
import { FIT_OPTIONS, fitChoice } from "../engine";
import { InputError, type ExitCode } from "../io";
import { json, safe } from "../../report/print/terminal";
import { sarif } from "../../report/print/sarif";

export const check: Command = {
  name: "check",
  usage: "check FILE… [--max-regret POINTS] [--json | --sarif]",
  summary: "for CI: exits 1 when a split is too far from the best, or a config breaks its framework's rules",
  options: {
    ...FIT_OPTIONS,
    "max-regret": {
      kind: "number",
      value: "POINTS",
      help: "percentage points below the optimum from which it is a finding (default 5); distances within noise are none",
    },
    json: { kind: "flag", help: "print the findings as JSON" },
    sarif: { kind: "flag", help: "print the findings as SARIF 2.1.0" },
  },
  async run(engine, args): Promise<ExitCode> {
    if (args.positional.length === 0) throw new InputError("name at least one config");
    const limit = args.number("max-regret");
    if (limit !== undefined && limit < 0) throw new InputError(`--max-regret wants at least 0, not ${limit}`);
    const checked = await operation.run(engine.operating, {
      files: [...args.positional],
      maxRegret: limit,
      ...fitChoice(args),
    });
    const { findings, unjudged } = checked;
    const bad = checked.configs.map((config) => reportDiagnostics(engine, config)).includes(true);
    if (args.flag("sarif")) engine.io.out(json(sarif(findings)));
    else if (args.flag("json")) engine.io.out(json(operation.json(checked, engine.operating)));
    else {
      for (const { file, line, column, code, message } of findings)
        engine.io.out(`${safe(file)}:${line}:${column}: ${code}: ${safe(message)}`);
      for (const { file, experiment, reason } of unjudged)
        engine.io.out(`${safe(file)}: not judged${experiment ? ` (${safe(experiment)})` : ""}: ${safe(reason)}`);
      engine.io.out(
        `${args.positional.length} file${args.positional.length > 1 ? "s" : ""}, ${findings.length} finding${findings.length === 1 ? "" : "s"}, ${unjudged.length} not judged (limit ${checked.maxRegret} points)`,
      );
    }
    return bad ? 2 : findings.length > 0 ? 1 : 0;
  },
};
