import { z } from "zod";
import { isAllocated } from "../assessment/types";
import { headline } from "../report/headline";
import type { Finding } from "../report/print/sarif";
import { LineIndex } from "../syntax/text";
import type { Judged } from "./engine";
import { files, fitChoice } from "./fields";
import type { Operation } from "./operation";

const input = z.strictObject({
  files,
  maxRegret: z
    .number()
    .min(0)
    .optional()
    .describe("points below the best split from which it is a finding (default 5)"),
  ...fitChoice,
});

export interface Checked {
  readonly configs: readonly Judged[];
  readonly maxRegret: number;
  readonly findings: readonly Finding[];
  readonly unjudged: readonly { readonly file: string; readonly experiment: string; readonly reason: string }[];
}

export const check: Operation<z.infer<typeof input>, Checked> = {
  name: "check",
  summary: "findings for a review: splits that are too far from the best, and broken rules of the framework",
  input,
  writes: false,
  async run(engine, { files: names, maxRegret = 5, ...choice }, signal) {
    const configs: Judged[] = [];
    for (const name of names) configs.push(await engine.judge(name, choice, undefined, signal));
    return { configs, maxRegret, ...findingsOf(configs, maxRegret) };
  },
  json: ({ maxRegret, findings, unjudged }) => ({ maxRegret, findings, unjudged }),
};

function findingsOf(configs: readonly Judged[], limit: number): Pick<Checked, "findings" | "unjudged"> {
  const findings: Finding[] = [];
  const unjudged: Checked["unjudged"][number][] = [];
  for (const { file, text, assessment } of configs) {
    const lines = new LineIndex(text);
    const at = (offset: number) => {
      const { line, character } = lines.at(offset);
      return { file, line: line + 1, column: character + 1 };
    };
    for (const { span, severity, code, message } of assessment.document.diagnostics)
      if (severity === "error" || severity === "warning")
        findings.push({ ...at(span.start), level: severity, code, message });
    for (const experiment of assessment.experiments) {
      const { allocation, budget } = experiment;
      if (!isAllocated(allocation)) {
        unjudged.push({ file, experiment: budget.name, reason: allocation.reason });
        continue;
      }
      const { regret } = allocation.result;
      if (regret.estimate > limit && !regret.withinNoise)
        findings.push({
          ...at(budget.anchor.start),
          level: "warning",
          code: "allocation.suboptimal",
          message: `${budget.name}: ${headline(experiment)}`,
        });
    }
    if (assessment.experiments.length === 0)
      unjudged.push({ file, experiment: "", reason: "no experiment budget was recognised" });
  }
  return { findings, unjudged };
}
