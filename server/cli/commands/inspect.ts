import { isAllocated, isPredicted, type ExperimentAssessment } from "../../assessment/types";
import { recommendedSplit } from "../../assessment/edits/target";
import { isKnown, type Fact } from "../../budget/budget";
import { count, decimal } from "../../core/numbers";
import { ownGain } from "../../report/headline";
import { FIT_OPTIONS, type Engine } from "../engine";
import { judge, reportDiagnostics, type JudgedConfig } from "../configs";
import { inspectJson } from "../../report/print/json";
import { json, safe, table } from "../../report/print/terminal";
import { InputError, type ExitCode } from "../io";
import type { Command } from "../command";
import { intervalText, multiplierText, regretText } from "../../report/terminalNumbers";

export const inspect: Command = {
  name: "inspect",
  usage: "inspect FILE… [--json]",
  summary: "what each config says, what to expect of it, and how far its split is from the best",
  options: { ...FIT_OPTIONS, json: { kind: "flag", help: "print JSON: one object for one file, a list for several" } },
  async run(engine, args): Promise<ExitCode> {
    if (args.positional.length === 0) throw new InputError("name at least one config");
    const judged: JudgedConfig[] = [];
    for (const file of args.positional) judged.push(await judge(engine, file, args));
    if (args.flag("json")) {
      const all = judged.map(({ file, text, assessment }) => inspectJson(file, text, assessment));
      engine.io.out(json(all.length === 1 ? all[0] : all));
    }
    let bad = false;
    for (const config of judged) {
      if (!args.flag("json")) print(engine, config);
      bad = reportDiagnostics(engine, config) || bad;
    }
    return bad ? 2 : 0;
  },
};

function print(engine: Engine, { file, assessment }: JudgedConfig): void {
  const { io } = engine;
  if (assessment.experiments.length === 0) return io.out(`${safe(file)}: no experiment budget was recognised in it`);
  for (const experiment of assessment.experiments) {
    io.out(`${safe(file)} · ${safe(experiment.budget.name)} · ${assessment.document.framework ?? "unknown framework"}`);
    io.out(`  ${headline(experiment)}`);
    const { fit } = assessment;
    if (fit.kind === "ready")
      io.out(
        `  fit: ${safe(fit.fit.name)}, ${fit.fit.file.law} law, ${fit.fit.runs} runs${fit.fit.simulated ? ", SIMULATED" : ""}${fit.fit.prior ? ", published prior" : ""}`,
      );
    io.out("");
    io.out(indent(table(["field", "now", "best", "source"], rows(experiment))));
    for (const note of experiment.notes) io.out(`  note: ${safe(note.message)}`);
    io.out("");
  }
}

/** The lens's line. */
export function headline({ prediction, allocation }: ExperimentAssessment): string {
  if (!isPredicted(prediction)) return `no success rate: ${safe(prediction.reason)}`;
  const success = `${intervalText(prediction.successRate)} success`;
  if (!isAllocated(allocation)) return `${success} · no optimum: ${safe(allocation.reason)}`;
  const { result } = allocation;
  if (result.regret.withinNoise) return `${success} · within noise of the optimum`;
  const own = result.mode === "same-compute" ? ownGain(allocation) : "";
  return `${success} · ${regretText(result.regret)} below optimum (${multiplierText(result.computeMultiplier)} compute)${own && ` · ${own}`}`;
}

function rows(experiment: ExperimentAssessment): string[][] {
  const { budget, costs, allocation } = experiment;
  const best = isAllocated(allocation) ? recommendedSplit(allocation.result).levels : {};
  const row = (name: string, fact: Fact<string | number>, axis?: string) => {
    const to = axis === undefined ? undefined : best[axis];
    return [
      name,
      isKnown(fact) ? (typeof fact.value === "number" ? count(fact.value) : safe(fact.value)) : "unknown",
      to === undefined ? "" : count(to),
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
      .map((axis) => row(axis, budget.axes[axis], axis)),
    row("prompts per step", budget.promptsPerStep),
    row("group size", budget.groupSize),
    row("steps", budget.steps),
    row("epochs", budget.epochs),
    row("gpus", budget.gpus),
    row("tokens per trajectory", budget.tokensPerTrajectory),
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
