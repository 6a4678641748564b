import { isKnown, known, type ExperimentBudget, type Fact } from "../budget/budget";
import { algorithmTraits, seesImages, thinksAtLength } from "../budget/modelTraits";
import type { ScalingFile } from "../configs/scaling/scalingFile";
import { atGroupSize, samplingFactor, withoutSignal } from "../core/cost/dynamicSampling";
import { ASSUMED_GPU, gpuNamed, type Gpu } from "../core/cost/gpus";
import type { EvaluationShape, Layout, RunShape } from "../core/cost/shape";
import type { RunSampling } from "../core/table";

/** A run as the cost model takes it, or the reason why it cannot be priced. */
export type ShapeReading =
  | { readonly ok: true; readonly shape: RunShape; readonly unstated: readonly string[] }
  | { readonly ok: false; readonly reason: string };

const TIMED_SAMPLES = 1000;
/** Spreads of ln of the dynamic-sampling factor: groups counted in a log, a mean pass rate known, nothing known. */
const SAMPLING = { counted: 0.1, mean: 0.2, assumed: 0.4 } as const;
/** Evaluations that a config asks for without saying how many rollouts they make. */
const UNSIZED = "evaluation: the number of rollouts is unknown, so its time is not counted";

/** What logs tell of a run's shape. */
export interface SeenOfRun {
  /** Its own log times evaluations. */
  readonly evaluationTimed?: boolean;
  readonly sampling?: RunSampling | null;
}

/** Joins what a budget states with the hardware of `scaling.yaml`. Only a model of unknown size cannot be priced. */
export function runShape(budget: ExperimentBudget, scaling: ScalingFile | null, seen: SeenOfRun = {}): ShapeReading {
  const { cost, model } = budget;
  if (!isKnown(model.parameters))
    return { ok: false, reason: `the size of the model is unknown: ${model.parameters.reason}` };
  if (!isKnown(model.activeParameters))
    return { ok: false, reason: `the active parameters are unknown: ${model.activeParameters.reason}` };
  const unstated: string[] = [];
  const name = isKnown(model.name) ? model.name.value : "";
  const algorithm = algorithmTraits(isKnown(budget.algorithm) ? budget.algorithm.value : "");
  const turns = value(cost.turns) ?? value(budget.maxTurns) ?? 1;
  const perTurn = budget.responseScope === "turn" ? turns : 1;
  const cap = value(budget.maxResponseTokens);
  const means = meanTokens(budget);
  if (turns > 1 && !cost.environmentSeconds)
    unstated.push("environment: seconds per turn are unknown, so their time is not counted");
  const evaluation = evaluationShape(budget, unstated, seen.evaluationTimed ?? false);
  const critic = value(cost.critic) ?? algorithm.critic ?? false;
  const referencePass = value(cost.referencePass) ?? algorithm.referencePass ?? true;
  const passes =
    ((value(cost.oldPolicyPass) ?? true) ? 1 : 0) +
    (referencePass ? 1 : 0) +
    ((value(cost.rewardModel) ?? false) ? 1 : 0);
  const groupSize = value(budget.groupSize) ?? (critic ? 1 : null);
  const utilisation = scaling?.hardware.utilisation;
  return {
    ok: true,
    unstated,
    shape: {
      parameters: model.parameters.value,
      activeParameters: model.activeParameters.value,
      gpu: gpuOf(scaling),
      gpus: value(budget.gpus) ?? scaling?.hardware.count?.value ?? null,
      rolloutGpus: value(cost.rolloutGpus),
      promptsPerStep: value(budget.promptsPerStep),
      groupSize,
      steps: value(budget.steps),
      promptTokens: means.prompt,
      responseTokens: means.response,
      responseCap: cap === null ? null : cap * perTurn,
      turns,
      independentTurns: value(cost.independentTurns) ?? false,
      ...samplingOf(budget, groupSize, seen.sampling ?? null, unstated),
      lora: value(cost.lora) ?? false,
      critic,
      vision: seesImages(name),
      thinking: thinksAtLength(name),
      layout: layoutOf(cost.layout, algorithm.async),
      passes,
      updates: value(cost.updates) ?? 1,
      evaluation,
      environmentSeconds: value(cost.environmentSeconds),
      environmentConcurrency: value(cost.environmentConcurrency),
      utilisation: {
        generation: utilisation?.generation?.value ?? null,
        training: utilisation?.training?.value ?? null,
      },
    },
  };
}

type Sampling = Pick<RunShape, "dynamicSampling" | "generationPrompts" | "samplingSpread">;

/** Generated ÷ trained: as stated, as the run's own log counted it, or from pass rates: stated, logged, else assumed. */
function samplingOf(
  { cost, promptsPerStep }: ExperimentBudget,
  group: number | null,
  seen: RunSampling | null,
  unstated: string[],
): Sampling {
  const said = value(cost.dynamicSampling);
  if (said === null) return { dynamicSampling: 1 };
  if (said !== "auto") return { dynamicSampling: Math.max(1, said) };
  const [batch, prompts] = [value(cost.generationBatch), value(promptsPerStep)];
  const rounds = batch !== null && prompts !== null ? batch / prompts : 1;
  const draw = batch === null ? {} : { generationPrompts: batch };
  if (seen?.generationBatches !== undefined)
    return { ...draw, dynamicSampling: Math.max(1, seen.generationBatches * rounds), samplingSpread: SAMPLING.counted };
  const size = group ?? seen?.groupSize ?? 8;
  const stated = value(cost.passRate);
  const mean = stated ?? seen?.passRate ?? null;
  if (stated === null && seen?.withoutSignal !== undefined) {
    const share = atGroupSize(seen.withoutSignal, seen.groupSize ?? size, size, mean ?? 0.5);
    return { ...draw, dynamicSampling: samplingFactor(share, rounds), samplingSpread: SAMPLING.counted };
  }
  if (mean === null)
    unstated.push("pass rates: unknown, so dynamic sampling is counted for rates spread evenly about 50 %");
  return {
    ...draw,
    dynamicSampling: samplingFactor(withoutSignal(mean ?? 0.5, size), rounds),
    samplingSpread: mean === null ? SAMPLING.assumed : SAMPLING.mean,
  };
}

/** The GPUs of a run: as its config says, else `hardware.count`. */
export function gpusOf(budget: ExperimentBudget, scaling: ScalingFile | null): Fact<number> {
  if (isKnown(budget.gpus)) return budget.gpus;
  const count = scaling?.hardware.count;
  return count ? known(count.value, "scaling.yaml", { span: count.span, file: scaling.uri }) : budget.gpus;
}

/** The accelerator that `scaling.yaml` names, with what it states over the data sheet; null where it names none. */
function gpuOf(scaling: ScalingFile | null): Gpu | null {
  const stated = scaling?.hardware;
  const named = stated?.gpu ? gpuNamed(stated.gpu.value) : null;
  const peak = stated?.peak?.value;
  const price = stated?.price?.value;
  if (named === null && peak === undefined) return null;
  const base = named ?? { ...ASSUMED_GPU, name: stated?.gpu?.value ?? "custom" };
  return {
    ...base,
    ...(peak !== undefined && { peakFlops: peak }),
    ...(price !== undefined && { usdPerHour: price }),
  };
}

/** Means that are stated; a bound from the limits is none. */
function meanTokens(budget: ExperimentBudget): { readonly prompt: number | null; readonly response: number | null } {
  const { cost, tokensPerTrajectory } = budget;
  const prompt = value(cost.promptTokens);
  const response = value(cost.responseTokens);
  if (response !== null || !isKnown(tokensPerTrajectory) || tokensPerTrajectory.source === "derived")
    return { prompt, response };
  // Only the sum is stated: a prompt of usual length is taken off it.
  const whole = tokensPerTrajectory.value;
  const opening = prompt ?? Math.min(200, whole / 4);
  return { prompt: opening, response: Math.max(1, whole - opening) };
}

function evaluationShape(
  { cost: { evaluation } }: ExperimentBudget,
  unstated: string[],
  timed: boolean,
): EvaluationShape | null {
  if (!evaluation) return null;
  const every = evaluation.every && isKnown(evaluation.every) ? evaluation.every.value : null;
  // Where a log times evaluations, their number of rollouts does not matter: any stands in.
  const samples = value(evaluation.samples) ?? (timed ? TIMED_SAMPLES : null);
  const beforeTraining = value(evaluation.beforeTraining) ?? false;
  if (samples === null) {
    if (every !== "never" || beforeTraining) unstated.push(UNSIZED);
    return null;
  }
  return {
    every: every === "never" ? null : every,
    samples,
    beforeTraining,
    atEnd: value(evaluation.atEnd) ?? every !== null,
    batch: value(evaluation.batch),
    responseTokens: null,
  };
}

function layoutOf(stated: ExperimentBudget["cost"]["layout"], async: boolean): Layout {
  if (stated && isKnown(stated)) return stated.value;
  return async ? "async" : "colocated";
}

function value<Value>(fact: Fact<Value> | undefined): Value | null {
  return fact !== undefined && isKnown(fact) ? fact.value : null;
}
