import { isAllocated, isPredicted, recommendedSplit, type ExperimentAssessment, type FitState } from "../../assessment";
import { isKnown } from "../../configs/budget";
import { count, decimal, factor, percentInterval, percentWithInterval, pointsInterval, signedPoints } from "../figures";
import { axisLabel, factText } from "../hover";
import { escape, table } from "../markdown";

export interface ComparedExperiment {
  readonly file: string;
  readonly fit: FitState;
  readonly experiment: ExperimentAssessment;
  /** Points against the first experiment, its draws shared where both have the same fit; null where unknown. */
  readonly difference: { readonly estimate: number; readonly low: number; readonly high: number } | null;
}

/** Two or more allocations side by side. */
export function comparison(compared: readonly ComparedExperiment[]): string {
  const name = ({ file, experiment }: ComparedExperiment) => escape(experiment.budget.name === "" ? file : experiment.budget.name);
  const axes = [...new Set(compared.flatMap(({ experiment }) => Object.entries(experiment.budget.axes).filter(([, fact]) => isKnown(fact)).map(([axis]) => axis)))].filter((axis) => axis !== "rewardDensity");
  const row = (title: string, cell: (one: ComparedExperiment) => string) => [title, ...compared.map(cell)];
  const rows = [
    row("File", ({ file }) => escape(file)),
    ...axes.map((axis) => row(axisLabel(axis), ({ experiment }) => factText(experiment.budget.axes[axis as keyof typeof experiment.budget.axes]))),
    row("Parameters", ({ experiment }) => factText(experiment.budget.model.parameters)),
    row("Rollouts", ({ experiment }) => factText(experiment.costs.rollouts)),
    row("Tokens", ({ experiment }) => factText(experiment.costs.tokens)),
    row("Compute, FLOPs", ({ experiment }) => factText(experiment.costs.compute)),
    row("GPU-hours", ({ experiment }) => factText(experiment.costs.gpuHours)),
    row("Success", ({ experiment: { prediction } }) => (isPredicted(prediction) ? `${percentWithInterval(prediction.successRate)} ${percentInterval(prediction.successRate)}` : `unknown: ${escape(prediction.reason)}`)),
    row("Against the first", ({ difference }) => (difference ? `${signedPoints(difference.estimate)} pp ${pointsInterval(difference)}` : "—")),
    row("Below its optimum", ({ experiment: { allocation } }) => (isAllocated(allocation)
      ? allocation.result.regret.withinNoise ? "within noise" : `${decimal(allocation.result.regret.estimate, 1)} pp (${factor(allocation.result.computeMultiplier.estimate)}× cost)`
      : "unknown")),
    ...axes.map((axis) => row(`Optimum, ${axisLabel(axis)}`, ({ experiment: { allocation } }) => {
      const level = isAllocated(allocation) ? recommendedSplit(allocation.result).levels[axis] : undefined;
      return level === undefined ? "—" : count(level);
    })),
    row("Fit", ({ fit }) => (fit.kind === "ready" ? `${escape(fit.fit.law.law)}, ${count(fit.fit.runs)} runs${fit.fit.simulated ? ", simulated" : ""}${fit.fit.prior ? ", prior" : ""}` : `none: ${escape(fit.reason)}`)),
  ];
  return `# Compared allocations\n\n${table(["", ...compared.map(name)], rows)}\n\nIntervals are 95 %. A difference between two runs of one fit uses the same draws for both, so that what they share cancels.\n`;
}
