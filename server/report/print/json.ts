import { isKnown, type Fact } from "../../budget/budget";
import { LineIndex, type Position, type Span } from "../../syntax/text";
import { isAllocated, isPredicted, type Assessment, type ExperimentAssessment } from "../../assessment/types";
import { recommendedSplit } from "../../assessment/edits/target";
import type { Estimate } from "../../core/estimate";
import type { CostView } from "../../assessment/runCosts";

/** `{value, source, range?, note?}` or `{value: null, reason}`: how JSON says what is known. */
type FactJson =
  | {
      readonly value: unknown;
      readonly source: string;
      readonly range?: RangeJson;
      readonly file?: string;
      readonly note?: string;
    }
  | { readonly value: null; readonly reason: string };

/** 0-based lines and UTF-16 characters, as editors count, and the offset. */
export interface RangeJson {
  readonly start: Position;
  readonly end: Position;
}

export function rangeJson(lines: LineIndex, span: Span): RangeJson {
  return { start: lines.at(span.start), end: lines.at(span.end) };
}

/** Ranges are given for values that stand in the document itself; those of followed files name the file. */
function factJson(fact: Fact<unknown>, lines: LineIndex): FactJson {
  if (!isKnown(fact)) return { value: null, reason: fact.reason };
  return {
    value: fact.value,
    source: fact.source,
    ...(fact.span && !fact.file ? { range: rangeJson(lines, fact.span) } : {}),
    ...(fact.file ? { file: fact.file } : {}),
    ...(fact.note ? { note: fact.note } : {}),
  };
}

function estimateJson({ estimate, low, high }: Estimate): Estimate {
  return { estimate, low, high };
}

/** One file as `inspect --json` prints it. */
export function inspectJson(file: string, text: string, assessment: Assessment): Record<string, unknown> {
  const lines = new LineIndex(text);
  return {
    file,
    framework: assessment.document.framework,
    experiments: assessment.experiments.map((experiment) => experimentJson(experiment, lines)),
    fit: fitJson(assessment),
    diagnostics: assessment.document.diagnostics.map(({ span, severity, code, message }) => ({
      severity,
      code,
      message,
      range: rangeJson(lines, span),
    })),
  };
}

/** The same for a file that could not be read: nothing is known, and the diagnostic says why. */
export function unreadJson(file: string, reason: string): Record<string, unknown> {
  const start = { line: 0, character: 0 };
  return {
    file,
    framework: null,
    experiments: [],
    fit: { value: null, reason },
    diagnostics: [{ severity: "error", code: "file.unread", message: reason, range: { start, end: start } }],
  };
}

function fitJson({ fit }: Assessment): Record<string, unknown> {
  if (fit.kind !== "ready") return { value: null, reason: fit.reason };
  const { name, runs, simulated, prior, file } = fit.fit;
  return { name, law: file.law, runs, simulated, prior };
}

function experimentJson(experiment: ExperimentAssessment, lines: LineIndex): Record<string, unknown> {
  const { budget, prediction, allocation, costs } = experiment;
  const fact = (value: Fact<unknown>) => factJson(value, lines);
  return {
    name: budget.name,
    model: {
      name: fact(budget.model.name),
      parameters: fact(budget.model.parameters),
      activeParameters: fact(budget.model.activeParameters),
    },
    axes: mapFacts(budget.axes, fact),
    promptsPerStep: fact(budget.promptsPerStep),
    groupSize: fact(budget.groupSize),
    steps: fact(budget.steps),
    epochs: fact(budget.epochs),
    maxPromptTokens: fact(budget.maxPromptTokens),
    maxResponseTokens: fact(budget.maxResponseTokens),
    responseScope: budget.responseScope,
    maxTurns: fact(budget.maxTurns),
    gpus: fact(budget.gpus),
    algorithm: fact(budget.algorithm),
    tokensPerTrajectory: fact(budget.tokensPerTrajectory),
    compute: fact(costs.compute),
    costs: mapFacts(costs, fact),
    cost: costJson(experiment.cost),
    prediction: isPredicted(prediction)
      ? {
          successRate: estimateJson(prediction.successRate),
          extrapolation: prediction.extrapolation,
          outOfRange: prediction.outOfRange,
        }
      : { value: null, reason: prediction.reason },
    optimum: isAllocated(allocation)
      ? recommendedSplit(allocation.result).levels
      : { value: null, reason: allocation.reason },
    regret: isAllocated(allocation) ? regretJson(allocation.result) : { value: null, reason: allocation.reason },
    verdict: experiment.verdict,
    notes: experiment.notes,
  };
}

const NO_COST = { secondsPerStep: null, gpuHours: null, usd: null, wallClockHours: null, parts: null } as const;

/** What the run takes: 80 % intervals; null where unknown, with the reason. */
function costJson(view: CostView): Record<string, unknown> {
  const { notRead } = view;
  if (view.kind === "unknown") return { ...NO_COST, basis: "modelled", notRead, reason: view.reason };
  if (view.kind === "hosted")
    return { ...NO_COST, usd: view.usd && estimateJson(view.usd), basis: "modelled", notRead, reason: view.reason };
  const { cost } = view;
  const estimate = (value: Estimate | null) => value && estimateJson(value);
  return {
    secondsPerStep: estimateJson(cost.secondsPerStep),
    gpuHours: estimate(cost.gpuHours),
    usd: estimate(cost.usd),
    wallClockHours: estimate(cost.wallClockHours),
    parts: cost.parts,
    basis: cost.basis,
    notRead,
    ...(cost.missing === null ? {} : { reason: cost.missing }),
    secondsPerEvaluation: cost.secondsPerEvaluation,
    evaluations: cost.evaluations,
    measuredFrom: cost.measuredFrom,
    assumptions: cost.assumptions,
  };
}

function mapFacts<Key extends string>(
  facts: Readonly<Record<Key, Fact<unknown>>>,
  fact: (value: Fact<unknown>) => FactJson,
): Record<Key, FactJson> {
  return Object.fromEntries(Object.entries<Fact<unknown>>(facts).map(([key, value]) => [key, fact(value)])) as Record<
    Key,
    FactJson
  >;
}

/** Points below the recommendation, with the interval and the verdict. */
export function regretJson({
  regret,
}: {
  readonly regret: Estimate & { readonly withinNoise: boolean; readonly unit: string };
}): Record<string, unknown> {
  return { ...estimateJson(regret), withinNoise: regret.withinNoise, unit: regret.unit };
}
