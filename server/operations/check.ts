import * as z from "zod";
import { difference } from "../assessment/difference";
import { isAllocated } from "../assessment/types";
import { notRead as lacking } from "../assessment/unreadSources";
import type { Verdict } from "../assessment/verdictTypes";
import { headline, verdictLine } from "../report/headline";
import type { Finding } from "../report/print/sarif";
import type { Reviewed } from "../report/review";
import { LineIndex } from "../syntax/text";
import { createEngine, type Engine, type Judged } from "./engine";
import { files, fitChoice } from "./fields";
import { InputError } from "./inputError";
import { isUnread, judgeEach, type Unread } from "./judgeEach";
import type { Operation } from "./operation";

const input = z.strictObject({
  files,
  maxRegret: z
    .number()
    .min(0)
    .optional()
    .describe("points below the best split above which a better split that is sure is a finding (default 5)"),
  base: z.string().min(1).optional().describe("what to compare with: a git revision, or a folder of the older files"),
  ...fitChoice,
});

export interface Checked {
  readonly configs: readonly Judged[];
  /** Files that could not be read; they are among the unjudged too. */
  readonly unread: readonly Unread[];
  readonly maxRegret: number;
  readonly findings: readonly Finding[];
  /** Sources of runs that could not be read, or are shown as they were, each with its reason: what is judged lacks them. */
  readonly notRead: readonly string[];
  readonly unjudged: readonly { readonly file: string; readonly experiment: string; readonly reason: string }[];
  /** Every experiment, beside what it was at the base where one is given. */
  readonly reviewed: readonly Reviewed[];
  /** Files that held experiments at the base and hold none now. */
  readonly gone: readonly string[];
  readonly verdicts: readonly { readonly file: string; readonly experiment: string; readonly verdict: Verdict }[];
}

export const check: Operation<z.infer<typeof input>, Checked> = {
  name: "check",
  summary: "findings for a review: splits that are too far from the best, and broken rules of the framework",
  input,
  writes: false,
  async run(engine, { files: names, maxRegret = 5, base, ...choice }, signal) {
    const all = await judgeEach(engine, names, choice, signal);
    const configs = all.filter((one): one is Judged => !isUnread(one));
    const unread = all.filter(isUnread);
    const older = base === undefined ? null : await olderEngine(engine, base, configs);
    const reviewed: Reviewed[] = [];
    const gone: string[] = [];
    for (const config of configs) {
      const before = older && (await olderConfig(older, config, signal));
      reviewed.push(...pairs(config, older ? before : undefined));
      if (before && before.assessment.experiments.length > 0 && config.assessment.experiments.length === 0)
        gone.push(config.file);
    }
    const found = findingsOf(configs, maxRegret);
    const unjudged = [...found.unjudged, ...unread.map(({ file, reason }) => ({ file, experiment: "", reason }))];
    const notRead = lacking(configs);
    return { configs, unread, maxRegret, reviewed, gone, ...found, unjudged, notRead };
  },
  json: ({ maxRegret, findings, unjudged, verdicts, notRead }) => ({
    maxRegret,
    findings,
    unjudged,
    verdicts,
    notRead,
  }),
};

/** The same engine over the files as they were. Fits and scaling.yaml stay those of today, so that a difference is the config's. */
async function olderEngine(engine: Engine, base: string, configs: readonly Judged[]): Promise<Engine> {
  if (!engine.hostAt) throw new InputError("nothing older can be read here");
  const fits = new Map(configs.map(({ folderUri, assessment }) => [folderUri, assessment.fit]));
  const host = await engine.hostAt(base);
  return createEngine({ ...engine, host, keptFit: (folderUri) => Promise.resolve(fits.get(folderUri)) });
}

async function olderConfig(older: Engine, { file }: Judged, signal: AbortSignal | undefined): Promise<Judged | null> {
  try {
    return await older.judge(file, {}, undefined, signal);
  } catch (error) {
    // Not there then: all of it is new.
    if (error instanceof InputError) return null;
    throw error;
  }
}

/** Experiments by name; the only one of a file is itself whatever it is called. */
function pairs(config: Judged, before: Judged | null | undefined): Reviewed[] {
  const now = config.assessment.experiments;
  const then = before?.assessment.experiments ?? [];
  return now.map((one) => {
    const was = then.find(({ budget }) => budget.name === one.budget.name) ?? (now.length === 1 ? then[0] : undefined);
    return {
      file: config.file,
      now: one,
      before: before === undefined ? undefined : (was ?? null),
      difference: was ? difference(was, one) : null,
    };
  });
}

function findingsOf(configs: readonly Judged[], limit: number): Pick<Checked, "findings" | "unjudged" | "verdicts"> {
  const findings: Finding[] = [];
  const unjudged: Checked["unjudged"][number][] = [];
  const verdicts: Checked["verdicts"][number][] = [];
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
      const { allocation, budget, verdict } = experiment;
      verdicts.push({ file, experiment: budget.name, verdict });
      if (!isAllocated(allocation) || verdict.kind === "not-known") {
        const reason = isAllocated(allocation) ? verdictLine(experiment) : allocation.reason;
        unjudged.push({ file, experiment: budget.name, reason });
        continue;
      }
      const { regret } = allocation.result;
      if (verdict.kind === "better-split" && regret.estimate > limit)
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
  return { findings, unjudged, verdicts };
}
