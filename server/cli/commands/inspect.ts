import { axisWord } from "../../core/axes";
import { isAllocated, type AllocationView, type ExperimentAssessment } from "../../assessment/types";
import { recommendedSplit } from "../../assessment/edits/target";
import { isKnown, type Fact } from "../../budget/budget";
import { count, decimal, plural } from "../../core/numbers";
import type { Judged } from "../../operations/engine";
import { inspect as operation } from "../../operations/inspect";
import { isUnread } from "../../operations/judgeEach";
import { BRACKETS } from "../../report/terminalNumbers";
import { headline, priorDirection } from "../../report/headline";
import { say } from "../../report/words";
import { proposalOf } from "../../assessment/verdict";
import { FIT_OPTIONS, fitChoice, type Engine } from "../engine";
import { reportDiagnostics, reportUnread } from "../configs";
import { json, safe, shellWord, table } from "../../report/print/terminal";
import { InputError, type ExitCode } from "../io";
import type { Command } from "../command";

export const inspect: Command = {
  name: "inspect",
  usage: "inspect FILE… [--json]",
  summary: operation.summary,
  options: { ...FIT_OPTIONS, json: { kind: "flag", help: "print JSON: one object for one file, a list for several" } },
  async run(engine, args): Promise<ExitCode> {
    if (args.positional.length === 0) throw new InputError("name at least one config");
    const judged = await operation.run(engine.operating, { files: [...args.positional], ...fitChoice(args) });
    if (args.flag("json")) engine.io.out(json(operation.json(judged, engine.operating)));
    let bad = false;
    for (const config of judged) {
      if (isUnread(config)) {
        reportUnread(engine, config);
        bad = true;
        continue;
      }
      if (!args.flag("json")) print(engine, config);
      bad = reportDiagnostics(engine, config) || bad;
    }
    const rated = judged.some((one) => !isUnread(one) && one.assessment.experiments.some(hasBrackets));
    if (rated && !args.flag("json")) engine.io.out(BRACKETS);
    return bad ? 2 : 0;
  },
};

const hasBrackets = (experiment: ExperimentAssessment): boolean => headline(experiment).includes("[");

function print(engine: Engine, config: Judged): void {
  const { file, assessment } = config;
  const { io } = engine;
  if (assessment.experiments.length === 0) return io.out(`${safe(file)}: no experiment budget was recognised in it`);
  for (const experiment of assessment.experiments) {
    io.out(`${safe(file)} · ${safe(experiment.budget.name)} · ${assessment.document.framework ?? "unknown framework"}`);
    io.out(`  ${headline(experiment)}`);
    const { fit } = assessment;
    if (fit.kind === "ready")
      io.out(
        `  fit: ${safe(fit.fit.name)}, ${fit.fit.file.law} law, ${plural(fit.fit.runs, "run")}${fit.fit.simulated ? ", SIMULATED" : ""}${fit.fit.prior ? ", published prior" : ""}`,
      );
    io.out("");
    const proposal = proposalOf(experiment);
    io.out(indent(table(["field", "now", ...(proposal ? ["best"] : []), "source"], rows(experiment, proposal))));
    for (const line of planLines(config, experiment)) io.out(`  ${line}`);
    for (const note of experiment.notes) io.out(`  note: ${safe(note.message)}`);
    io.out("");
  }
}

/** What to do where the verdict is not known, and what published values alone suggest. */
export function planLines({ file }: Judged, experiment: ExperimentAssessment): string[] {
  const { allocation, verdict } = experiment;
  if (verdict.kind !== "not-known" || !isAllocated(allocation)) return [];
  const prior = priorDirection(experiment);
  return [...(prior === "" ? [] : [prior]), `${say("lens.plan")}: scaling-lens plan ${shellWord(file)}`];
}

function rows({ budget, costs }: ExperimentAssessment, proposal: AllocationView | null): string[][] {
  const best = proposal ? recommendedSplit(proposal.result).levels : {};
  const row = (name: string, fact: Fact<string | number>, axis?: string) => {
    const to = axis === undefined ? undefined : best[axis];
    return [
      name,
      isKnown(fact) ? (typeof fact.value === "number" ? count(fact.value) : safe(fact.value)) : "unknown",
      ...(proposal ? [to === undefined ? "" : count(to)] : []),
      safe(isKnown(fact) ? [fact.source, fact.note].filter(Boolean).join(": ") : fact.reason),
    ];
  };
  return [
    row("model", budget.model.name),
    row("parameters", budget.model.parameters, "parameters"),
    row("algorithm", budget.algorithm),
    ...(["tasks", "environments", "worlds", "structures", "trajectories"] as const)
      .filter(
        (axis) => axis === "tasks" || axis === "environments" || axis === "trajectories" || isKnown(budget.axes[axis]),
      )
      .map((axis) => row(axisWord(axis), budget.axes[axis], axis)),
    row("prompts per step", budget.promptsPerStep),
    row("group size", budget.groupSize),
    row("steps", budget.steps),
    row("epochs", budget.epochs),
    row("gpus", budget.gpus),
    row("tokens per rollout", budget.tokensPerTrajectory),
    row("rollouts", costs.rollouts),
    row("tokens", costs.tokens),
    row("compute (FLOPs)", costs.compute),
    row("GPU-hours", costs.gpuHours),
    row("GPU cost (USD)", costs.usd),
    row("wall-clock hours", costs.wallClockHours),
  ];
}

function indent(text: string): string {
  return text.replace(/^/gm, "  ");
}

/** `64 → 9`: a change of an amount, for people. */
export function change(from: number | undefined, to: number): string {
  return `${from === undefined ? "unknown" : decimal(from, 2)} → ${decimal(to, 2)}`;
}
