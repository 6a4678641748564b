import { folderOf } from "../syntax/uris";
import type { AssessOptions } from "./options";
import { isKnown, unknown, type ExperimentBudget } from "../budget/budget";
import type { ConfigDocument } from "../configs/document";
import { readConfig, type ReadRequest } from "../configs/read";
import type { ScalingFile } from "../configs/scaling/scalingFile";
import { isKnownAxis, unmatchedReason, type AxisName } from "../core/axes";
import { readText, type Host } from "../host";
import { settingOf } from "../runs/setting";
import { measuredSuccess, predictionOf, type Predicted } from "./prediction";
import { partialNote } from "./partial";
import { datasetRows } from "../configs/datasetRows";
import { allocationOf } from "./allocation";
import { spendNote } from "./caps";
import { costInputs, levelsOf, runCosts } from "./costs";
import { costView, withStatedHours, type CostQuestion } from "./runCosts";
import { gpusOf } from "./runShape";
import { lawFor, withStatedUnvaried } from "./law";
import { unreadSources } from "./unreadSources";
import { utilisationNote } from "./utilisation";
import { isProposed, verdictOf } from "./verdict";
import { timedOf } from "./keptTimes";
import { measuredRuns, seenOf } from "./timedRuns";
import { measuredFor, withMeasuredTokens, type Measured } from "./measured";
import { relativeAnswer } from "./relative";
import { reused } from "./reuse";
import { plannedMixes, unknownWorth, whollySynthetic } from "./mixes";
import { isAllocated } from "./types";
import type { Assessment, ExperimentAssessment, FitState, LawInForce, Note } from "./types";

export interface AssessRequest extends Pick<ReadRequest, "text" | "grammars" | "cell"> {
  readonly uri: string;
  /** For documents whose name does not tell their syntax. */
  readonly languageId?: string;
  readonly host: Host;
  readonly scaling: ScalingFile | null;
  readonly fit: FitState;
  readonly options?: AssessOptions;
}

/** Reads a config and judges every experiment in it. Never throws for what a file says. */
export async function assess(request: AssessRequest): Promise<Assessment> {
  const document = await readDocument(request);
  return assessDocument(document, request.uri, request.scaling, request.fit, request.options);
}

/** The parse alone, for callers that judge the same text again in another mode. */
export function readDocument({
  uri,
  languageId,
  host,
  scaling,
  ...rest
}: Omit<AssessRequest, "fit" | "options">): Promise<ConfigDocument> {
  return readConfig({
    uri: readingUri(uri, languageId),
    ...rest,
    ...(scaling && { facts: scaling }),
    datasetRows: (files) => datasetRows(host, files),
    readText: (other) => readText(host, other),
  });
}

const TELLING = /\.(ya?ml|toml|jsonc?|sh|bash|zsh|sbatch|slurm|py)$/i;

/** An untitled document has no ending; its language stands in for one. */
export function readingUri(uri: string, languageId: string | undefined): string {
  return !languageId || TELLING.test(uri) ? uri : `${uri}.${languageId}`;
}

export function assessDocument(
  document: ConfigDocument,
  uri: string,
  scaling: ScalingFile | null,
  fit: FitState,
  options: AssessOptions = {},
): Assessment {
  const one = (budget: ExperimentBudget, index: number) =>
    assessExperiment(document, budget, index, scaling, fit, options);
  return { uri, fit, document, experiments: document.experiments.map(one) };
}

/** The same with pauses between experiments: a file may hold hundreds, and others wait for an answer. */
export async function assessInSteps(
  document: ConfigDocument,
  uri: string,
  scaling: ScalingFile | null,
  fit: FitState,
  options: AssessOptions,
  pause: () => Promise<void> | undefined,
): Promise<Assessment> {
  const experiments: ExperimentAssessment[] = [];
  for (const [index, budget] of document.experiments.entries()) {
    await pause();
    experiments.push(assessExperiment(document, budget, index, scaling, fit, options));
  }
  return { uri, fit, document, experiments };
}

function assessExperiment(
  document: ConfigDocument,
  stated: ExperimentBudget,
  index: number,
  scaling: ScalingFile | null,
  fit: FitState,
  options: AssessOptions,
): ExperimentAssessment {
  const provenance = fit.kind === "ready" ? fit.fit.file.provenance : {};
  const measured = measuredFor(provenance, stated);
  const budget = { ...withMeasuredTokens(stated, measured), gpus: gpusOf(stated, scaling) };
  return reused(document, index, budget, scaling, fit, options, () =>
    judge(document, stated, budget, measured.gpuHours, index, scaling, fit, options),
  );
}

function judge(
  document: ConfigDocument,
  stated: ExperimentBudget,
  budget: ExperimentBudget,
  measuredHours: Measured | null,
  index: number,
  scaling: ScalingFile | null,
  fit: FitState,
  options: AssessOptions,
): ExperimentAssessment {
  const law = lawOf(stated, fit);
  const axes = law?.law.axes ?? [];
  const runs = [...(options.timed ?? []), ...timedOf(fit)];
  const timed = measuredRuns(runs, document.uri, { ...stated, gpus: budget.gpus }, scaling);
  const question: CostQuestion = {
    budget: { ...stated, gpus: budget.gpus },
    scaling,
    framework: document.framework,
    measured: timed,
    seen: seenOf(runs, document.uri, stated),
  };
  const modelled = costView(question, options.memo);
  // Hours per rollout that runs of this size measured go before a model of them.
  const view = measuredHours && !(modelled.kind === "run" && modelled.cost.basis === "measured") ? null : modelled;
  const inputs = costInputs(budget, scaling, document.framework, axes, measuredHours, view);
  const { costs, model } = runCosts(budget, inputs, view);
  const cost =
    budget.spend.measured && isKnown(costs.gpuHours)
      ? withStatedHours(modelled, costs.gpuHours.value, costs.gpuHours.source === "config")
      : modelled;
  const mixes = plannedMixes(budget, law?.fit.file ?? null, scaling);
  const notes: Note[] = unknownWorth(budget, mixes, scaling);
  notes.push(...(view === null ? [] : utilisationNote(cost, scaling, options.memo)));
  notes.push(...spendNote(budget, inputs), ...unreadSources(fit, scaling ? folderOf(scaling.uri) : undefined));
  const synthesis = Object.fromEntries(mixes.map(({ mix, view }) => [mix.axis, view]));
  const base = { budget, law, costs, cost, inputs, synthesis };
  const judged = (
    answer: Pick<ExperimentAssessment, "prediction" | "allocation" | "relative" | "missing">,
    outside: Pick<Predicted, "beyond" | "levels"> = { beyond: {}, levels: {} },
  ): ExperimentAssessment => ({
    ...base,
    ...answer,
    verdict: verdictOf({
      law,
      allocation: answer.allocation,
      noFit: fit.kind === "ready" ? null : `no scaling fit: ${fit.reason}`,
      unvaried: law?.unvaried ?? [],
      ...outside,
    }),
    notes,
  });
  const none = (
    reason: string,
    relative: ExperimentAssessment["relative"] = null,
    missing: ExperimentAssessment["missing"] = [],
  ) => judged({ prediction: unknown(reason), allocation: unknown(reason), relative, missing });
  if (!law) return none(fit.kind === "ready" ? "no law holds" : `no scaling fit: ${fit.reason}`);
  if (law.borrowed)
    notes.push({
      severity: "information",
      code: "fit.other-setting",
      message: `The fit has no runs of this setting; that of ${law.setting} stands in.`,
    });
  const missing = missingAxes(budget, law);
  if (missing.length > 0) {
    const reason = missing.map(({ axis, reason: why }) => `${axis} unknown: ${why}`).join("; ");
    const success = measuredSuccess(document.uri, law);
    return none(reason, success === null ? null : relativeAnswer(law, success), missing);
  }
  const unpriced = whollySynthetic(budget).filter(({ axis }) => axes.includes(axis));
  if (unpriced.length > 0) return none(unpriced.map((one) => one.reason).join("; "));
  const { prediction, ...outside } = predictionOf(budget, law, mixes, options.memo);
  const solved = allocationOf({
    document,
    index,
    budget,
    law,
    total: model.ok ? model.value : model.problem.message,
    inputs,
    // What a rollout of another model takes; measured hours are of this one, and scale by the model.
    rolloutHours: (other) => {
      const seen = costView({ ...question, budget: { ...question.budget, model: other } }, options.memo);
      const { gpuHoursPerRollout: hours } = costInputs(budget, scaling, document.framework, axes, null, seen);
      return typeof hours === "object" ? hours.value : null;
    },
    mixes,
    scaling,
    options,
  });
  const judgedSplit = judged({ prediction, allocation: solved.allocation, relative: null, missing }, outside);
  // What is not claimed is not proposed: no edit, and nothing to do by hand.
  const allocation =
    isAllocated(solved.allocation) && isProposed(judgedSplit.verdict, solved.allocation.result)
      ? { ...solved.allocation, ...solved.plan() }
      : solved.allocation;
  const whole = { ...judgedSplit, allocation };
  const partial = isAllocated(allocation) ? partialNote(allocation, whole.verdict) : null;
  return partial ? { ...whole, notes: [...notes, partial] } : whole;
}

function lawOf(budget: ExperimentBudget, fit: FitState): LawInForce | null {
  if (fit.kind !== "ready") return null;
  const word = (fact: { readonly value: string | null }) => fact.value ?? undefined;
  const setting = settingOf(word(budget.model.name), word(budget.algorithm), word(budget.domain));
  const found = lawFor(fit.fit, setting);
  const { file } = fit.fit;
  const exponents = file.settings.find((one) => one.setting === found.setting)?.exponents ?? file.exponents;
  const law = withStatedUnvaried(found.law, Object.keys(levelsOf(budget)));
  return {
    law,
    fit: fit.fit,
    setting: found.setting,
    own: found.own,
    borrowed: !found.own,
    unvaried: law.axes.filter((axis) => !found.law.axes.includes(axis)),
    exponents,
  };
}

/** Axes that the law needs, that it could identify, and that nothing states. */
function missingAxes(budget: ExperimentBudget, { law }: LawInForce): { axis: AxisName; reason: string }[] {
  const levels = levelsOf(budget);
  return law.axes
    .filter((axis) => levels[axis] === undefined && !law.refused.some((one) => one.axis === axis))
    .map((axis) => {
      const fact =
        axis === "parameters" ? budget.model.parameters : budget.axes[axis as keyof ExperimentBudget["axes"]];
      return {
        axis,
        reason:
          fact && !isKnown(fact)
            ? fact.reason
            : isKnownAxis(axis)
              ? "this config cannot state it"
              : unmatchedReason(axis),
      };
    });
}
