import { isPredicted, type ExperimentAssessment, type FitState } from "../assessment/types";
import { recommendedSplit } from "../assessment/edits/target";
import { proposalOf } from "../assessment/verdict";
import { isKnown, type Fact } from "../budget/budget";
import { verdictLine } from "./headline";
import { count, percentInterval, percentWithInterval, plural, pointsInterval, signedPoints } from "./numbers";
import { axisTitle, escape, table } from "./print/markdown";

export interface ComparedExperiment {
  readonly file: string;
  readonly fit: FitState;
  readonly experiment: ExperimentAssessment;
  /** Points against the first experiment, its draws shared where both have the same fit; null where unknown. */
  readonly difference: { readonly estimate: number; readonly low: number; readonly high: number } | null;
}

/** Two or more allocations side by side. */
export function comparison(compared: readonly ComparedExperiment[]): string {
  const name = ({ file, experiment }: ComparedExperiment) =>
    escape(experiment.budget.name === "" ? file : experiment.budget.name);
  const axes = [
    ...new Set(
      compared.flatMap(({ experiment }) =>
        Object.entries(experiment.budget.axes)
          .filter(([, fact]) => isKnown(fact))
          .map(([axis]) => axis),
      ),
    ),
  ].filter((axis) => axis !== "rewardDensity");
  const row = (title: string, text: (one: ComparedExperiment) => string) => [title, ...compared.map(text)];
  // Cells are narrow: why something is unknown stands below the table, once.
  const reasons = new Set<string>();
  const cell = (fact: Fact<number>): string => {
    if (isKnown(fact)) return `${count(fact.value)} (${fact.source})`;
    reasons.add(fact.reason);
    return "unknown";
  };
  const rows = [
    row("File", ({ file }) => escape(file)),
    ...axes.map((axis) =>
      row(axisTitle(axis), ({ experiment }) =>
        cell(experiment.budget.axes[axis as keyof typeof experiment.budget.axes]),
      ),
    ),
    row("Parameters", ({ experiment }) => cell(experiment.budget.model.parameters)),
    row("Rollouts", ({ experiment }) => cell(experiment.costs.rollouts)),
    row("Tokens", ({ experiment }) => cell(experiment.costs.tokens)),
    row("Compute, FLOPs", ({ experiment }) => cell(experiment.costs.compute)),
    row("GPU-hours", ({ experiment }) => cell(experiment.costs.gpuHours)),
    row("Success", ({ experiment: { prediction } }) =>
      isPredicted(prediction)
        ? `${percentWithInterval(prediction.successRate)} ${percentInterval(prediction.successRate)}`
        : "unknown",
    ),
    row("Against the first", ({ difference }) =>
      difference ? `${signedPoints(difference.estimate)} points ${pointsInterval(difference)}` : "—",
    ),
    row("Its split", ({ experiment }) => escape(verdictLine(experiment))),
    ...axes.map((axis) =>
      row(`Best split, ${escape(axis)}`, ({ experiment }) => {
        const proposal = proposalOf(experiment);
        const level = proposal ? recommendedSplit(proposal.result).levels[axis] : undefined;
        return level === undefined ? "—" : count(level);
      }),
    ),
    row("Fit", ({ fit }) =>
      fit.kind === "ready"
        ? `${escape(fit.fit.law.law)}, ${plural(fit.fit.runs, "run")}${fit.fit.simulated ? ", simulated" : ""}${fit.fit.prior ? ", prior" : ""}`
        : `none: ${escape(fit.reason)}`,
    ),
  ];
  for (const {
    experiment: { prediction },
  } of compared)
    if (!isPredicted(prediction) && ![...reasons].some((reason) => prediction.reason.includes(reason)))
      reasons.add(prediction.reason);
  const unknown =
    reasons.size === 0
      ? ""
      : `\n\nUnknown, because:\n\n${[...reasons].map((reason) => `- ${escape(reason)}`).join("\n")}`;
  return `# Compared allocations\n\n${table(["", ...compared.map(name)], rows)}${unknown}\n\nIntervals are 95 %. A difference between two runs of one fit uses the same draws for both, so that what they share cancels.\n`;
}
