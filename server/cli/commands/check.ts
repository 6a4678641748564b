import { isAllocated } from "../../assessment/types";
import type { Command } from "../command";
import { judge, reportDiagnostics } from "../configs";
import { FIT_OPTIONS } from "../engine";
import { headline } from "./inspect";
import { InputError, type ExitCode } from "../io";
import { json, safe } from "../../report/print/terminal";
import { sarif, type Finding } from "../../report/print/sarif";
import { LineIndex } from "../../syntax/text";

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
    const limit = args.number("max-regret") ?? 5;
    if (limit < 0) throw new InputError(`--max-regret wants at least 0, not ${limit}`);
    const findings: Finding[] = [];
    const unjudged: { file: string; experiment: string; reason: string }[] = [];
    let bad = false;
    for (const file of args.positional) {
      const config = await judge(engine, file, args);
      bad = reportDiagnostics(engine, config) || bad;
      const lines = new LineIndex(config.text);
      for (const { span, severity, code, message } of config.assessment.document.diagnostics) {
        if (severity !== "error" && severity !== "warning") continue;
        const at = lines.at(span.start);
        findings.push({ file, line: at.line + 1, column: at.character + 1, level: severity, code, message });
      }
      for (const experiment of config.assessment.experiments) {
        const { allocation, budget } = experiment;
        const at = lines.at(budget.anchor.start);
        if (!isAllocated(allocation)) {
          unjudged.push({ file, experiment: budget.name, reason: allocation.reason });
          continue;
        }
        const { regret } = allocation.result;
        if (regret.estimate > limit && !regret.withinNoise) {
          findings.push({
            file,
            line: at.line + 1,
            column: at.character + 1,
            level: "warning",
            code: "allocation.suboptimal",
            message: `${budget.name}: ${headline(experiment)}`,
          });
        }
      }
      if (config.assessment.experiments.length === 0)
        unjudged.push({ file, experiment: "", reason: "no experiment budget was recognised" });
    }
    if (args.flag("sarif")) engine.io.out(json(sarif(findings)));
    else if (args.flag("json")) engine.io.out(json({ maxRegret: limit, findings, unjudged }));
    else {
      for (const { file, line, column, code, message } of findings)
        engine.io.out(`${safe(file)}:${line}:${column}: ${code}: ${safe(message)}`);
      for (const { file, experiment, reason } of unjudged)
        engine.io.out(`${safe(file)}: not judged${experiment ? ` (${safe(experiment)})` : ""}: ${safe(reason)}`);
      engine.io.out(
        `${args.positional.length} file${args.positional.length > 1 ? "s" : ""}, ${findings.length} finding${findings.length === 1 ? "" : "s"}, ${unjudged.length} not judged (limit ${limit} points)`,
      );
    }
    return bad ? 2 : findings.length > 0 ? 1 : 0;
  },
};
