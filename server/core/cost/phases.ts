import { ASSUMED_GPU, type Gpu } from "./gpus";
import { isMixture, type RunShape } from "./shape";

/** Values of the fitted coefficients, as in `coefficients.ts`: medians, or one draw of each. */
export type CoefficientValues = Readonly<Record<CoefficientName, number>>;

/** What each is, with its unit. */
export const COEFFICIENT_NAMES = {
  decodeSeconds: "seconds of one decoding step beside memory traffic, 7.6B active",
  bandwidthShare: "share of the memory bandwidth that decoding reaches",
  passRate: "TFLOP/s of a log-probability pass on a 989 TFLOP/s GPU, 7.6B, 50k tokens a GPU",
  updateRate: "TFLOP/s of an update, there",
  gpuExponent: "power of the GPU's peak in those rates",
  sizeExponent: "power of the active size in those rates, up to four times 7.6B",
  tokenExponent: "power of the tokens per GPU in those rates",
  mixtureGeneration: "factor of a mixture of experts, generation",
  mixtureTraining: "factor of a mixture of experts, training",
  loraGeneration: "factor of LoRA, generation",
  loraTraining: "factor of LoRA, training",
  turnsGeneration: "factor of several turns, generation",
  turnsTraining: "factor of several turns, training",
  visionTraining: "factor of images, training",
  async: "factor of asynchronous layouts, the whole step",
  stepSeconds: "seconds of a step beside its phases",
  stepSecondsPerBillion: "more of them per billion parameters (synchronisation, offload)",
  meanOfCap: "mean response ÷ cap, single answers at a cap of 4,096",
  capExponent: "power of the cap in that share",
  thinking: "factor of the mean of models that think at length",
  meanOfCapTurns: "mean response ÷ cap, several turns",
} as const;
export type CoefficientName = keyof typeof COEFFICIENT_NAMES;

/** What stands in for what a run does not state; each is an uncertain assumption (see `runCost.ts`). */
export interface StandIns {
  readonly gpus: number;
  readonly promptsPerGpu: number;
  readonly groupSize: number;
  readonly promptTokens: number;
  /** Where neither a mean nor a cap is known. */
  readonly responseTokens: number;
  readonly responseTokensTurns: number;
}
export const STAND_INS: StandIns = {
  gpus: 8,
  promptsPerGpu: 12,
  groupSize: 8,
  promptTokens: 200,
  responseTokens: 800,
  responseTokensTurns: 2500,
};

/** Multiplies what is unknown: one draw of each assumption, 1 at the median. */
export interface Factors {
  readonly meanResponse: number;
  readonly promptTokens: number;
  readonly gpuModel: number;
  readonly gpus: number;
  readonly promptsPerStep: number;
  readonly groupSize: number;
  readonly evaluationBatch: number;
  readonly environment: number;
  readonly dynamicSampling: number;
  /** Of generation in several turns, whose tools take an unknown time. */
  readonly tools: number;
  readonly residual: number;
}
export const NO_FACTORS: Factors = {
  meanResponse: 1,
  promptTokens: 1,
  gpuModel: 1,
  gpus: 1,
  promptsPerStep: 1,
  groupSize: 1,
  evaluationBatch: 1,
  environment: 1,
  dynamicSampling: 1,
  tools: 1,
  residual: 1,
};

/** Seconds of one step by phase, on the wall. `step` is what passes: phases that overlap count once. */
export interface StepSeconds {
  readonly generation: number;
  readonly passes: number;
  readonly update: number;
  readonly environment: number;
  readonly other: number;
  readonly step: number;
  /** Of one evaluation; 0 without any. */
  readonly evaluation: number;
}

/** Sequences that an engine decodes at once; more wait for a place. */
const MOST_AT_ONCE = 256;
/** Share of the memory that weights may take before a model is split over more GPUs. */
const WEIGHTS_SHARE = 0.45;
/** bf16. */
const BYTES = 2;
/** Keys and values of one token, 7.6B active (grouped attention). */
const CACHE_BYTES = 70e3;
/** Share of the peak that batched matrix products of generation reach. */
const PREFILL_SHARE = 0.4;
/** Experts that a token visits, of what a mixture holds: so many tokens at once wake all of them. */
const EXPERTS_PER_TOKEN = 8;
/** Tokens that a turn adds before the model answers: a tool's result. */
const TOOL_TOKENS = 300;
/** The longest of many answers, in means. */
const LONGEST_SINGLE = 2.5;
const LONGEST_TURNS = 2;
const LONGEST_ASYNC = 1;
const REFERENCE_ACTIVE = 7.6e9;
const REFERENCE_PEAK = 989e12;

interface Sizes {
  readonly gpu: Gpu;
  readonly gpus: number;
  readonly trajectories: number;
  readonly prompt: number;
  readonly response: number;
  readonly cap: number;
}

/** Mean tokens of a response: stated and bounded by the cap, else guessed from the cap. */
export function meanResponse(shape: RunShape, k: CoefficientValues, factors: Factors = NO_FACTORS): number {
  const { responseTokens, responseCap: cap, turns, thinking } = shape;
  if (responseTokens !== null) return Math.max(1, cap === null ? responseTokens : Math.min(responseTokens, cap));
  if (cap === null)
    return factors.meanResponse * (turns > 1 ? STAND_INS.responseTokensTurns : STAND_INS.responseTokens);
  const share =
    turns > 1 ? k.meanOfCapTurns : k.meanOfCap * (cap / 4096) ** -k.capExponent * (thinking ? k.thinking : 1);
  // A cap of several turns often holds for each of them, and tools add to what the model writes.
  if (turns > 1) return factors.meanResponse * (share * cap + TOOL_TOKENS * (turns - 1));
  return Math.min(0.9 * cap, factors.meanResponse * share * cap);
}

/**
 * Seconds of one training step. Decoding is bound by the weights and caches that each of its steps reads and by the
 * longest trajectory; passes and updates by FLOPs (2 and 6 per active parameter and token; LoRA's update 4).
 */
export function stepSeconds(shape: RunShape, k: CoefficientValues, factors: Factors = NO_FACTORS): StepSeconds {
  const at = sizesOf(shape, k, factors);
  const pools = poolsOf(shape, at.gpus);
  // What is thrown away is drawn again, a round after the other.
  const sampled = Math.max(1, shape.dynamicSampling * factors.dynamicSampling) * at.trajectories;
  const { generationPrompts: prompts, promptsPerStep } = shape;
  const draw = prompts && promptsPerStep ? (at.trajectories * prompts) / promptsPerStep : at.trajectories;
  const draws = Math.max(1, sampled / draw);
  const generation = draws * factors.tools * generationSeconds(shape, at, draw, pools.rollout, k);
  const { passes, update } = trainingSeconds(shape, at, pools.training, k);
  const environment = draws * environmentSeconds(shape, draw) * factors.environment;
  const other = isStated(shape) ? 0 : k.stepSeconds + (k.stepSecondsPerBillion * shape.parameters) / 1e9;
  const whole = factors.residual * factors.gpuModel;
  const overlap = shape.layout === "async" ? k.async : 1;
  // Pools whose split is known work side by side: the slower one sets the pace.
  const busy =
    shape.layout === "async" && pools.known
      ? Math.max(generation + environment, passes + update)
      : overlap * (generation + passes + update) + (shape.layout === "async" ? 0 : environment);
  const { evaluation } = shape;
  return {
    generation: whole * overlap * generation,
    passes: whole * overlap * passes,
    update: whole * overlap * update,
    environment: shape.layout === "async" ? 0 : whole * environment,
    other: whole * other,
    step: whole * (busy + other),
    evaluation: evaluation === null ? 0 : whole * evaluationSeconds(shape, at, k, factors.evaluationBatch),
  };
}

function sizesOf(shape: RunShape, k: CoefficientValues, factors: Factors): Sizes {
  const response = meanResponse(shape, k, factors);
  const prompts = shape.promptsPerStep ?? promptsInstead(shape) * factors.promptsPerStep;
  const group = shape.groupSize ?? STAND_INS.groupSize * factors.groupSize;
  return {
    gpu: shape.gpu ?? ASSUMED_GPU,
    gpus: shape.gpus ?? STAND_INS.gpus * factors.gpus,
    trajectories: prompts * group,
    prompt: shape.promptTokens ?? STAND_INS.promptTokens * (shape.vision ? 2 : 1) * factors.promptTokens,
    response,
    cap: shape.responseCap ?? Infinity,
  };
}

/** Prompts a step where none are stated: larger clusters train on larger batches. */
export function promptsInstead({ gpus }: RunShape): number {
  return Math.min(512, STAND_INS.promptsPerGpu * (gpus ?? STAND_INS.gpus));
}

/** Whether its owner states what the run reaches of the peak, all that it does beside counted in. */
export function isStated({ utilisation }: RunShape): boolean {
  return utilisation.generation !== null && utilisation.training !== null;
}

/** GPUs of each pool. Asynchronous pools are taken as balanced where their split is unknown: all work all the time. */
function poolsOf(shape: RunShape, gpus: number): { rollout: number; training: number; known: boolean } {
  const { rolloutGpus, layout } = shape;
  if (layout === "colocated") return { rollout: gpus, training: gpus, known: false };
  if (rolloutGpus !== null && rolloutGpus < gpus)
    return { rollout: rolloutGpus, training: gpus - rolloutGpus, known: true };
  return layout === "async"
    ? { rollout: gpus, training: gpus, known: false }
    : { rollout: gpus / 2, training: gpus / 2, known: false };
}

function generationSeconds(
  shape: RunShape,
  at: Sizes,
  trajectories: number,
  gpus: number,
  k: CoefficientValues,
): number {
  const { gpu, prompt, response } = at;
  const active = shape.activeParameters;
  const factor =
    (isMixture(shape) ? k.mixtureGeneration : 1) *
    (shape.lora ? k.loraGeneration : 1) *
    (shape.turns > 1 ? k.turnsGeneration : 1);
  const tokens = prompt + TOOL_TOKENS * (shape.turns - 1);
  const { generation: stated } = shape.utilisation;
  if (stated !== null) return (trajectories * (tokens + response) * 2 * active) / (stated * gpus * gpu.peakFlops);
  const split = 2 ** Math.max(0, Math.ceil(Math.log2((BYTES * shape.parameters) / (WEIGHTS_SHARE * gpu.memory))));
  const engine = Math.min(split, Math.max(1, gpus));
  const atOnce = (trajectories * engine) / gpus;
  const batch = Math.min(atOnce, MOST_AT_ONCE);
  const long = shape.layout === "async" ? LONGEST_ASYNC : shape.turns > 1 ? LONGEST_TURNS : LONGEST_SINGLE;
  const iterations = Math.min(at.cap, long * response) + Math.max(0, atOnce / MOST_AT_ONCE - 1) * response;
  const read = isMixture(shape)
    ? Math.min(shape.parameters, active * (1 + batch / EXPERTS_PER_TOKEN))
    : shape.parameters;
  const bandwidth = engine * gpu.bandwidth * k.bandwidthShare;
  const perIteration = k.decodeSeconds * (active / REFERENCE_ACTIVE) ** 0.3 + (BYTES * read) / bandwidth;
  const perToken =
    (CACHE_BYTES * (active / REFERENCE_ACTIVE) ** 0.75 * (prompt + response / 2)) / bandwidth +
    (2 * active) / (PREFILL_SHARE * engine * gpu.peakFlops);
  const prefill = (trajectories * tokens * 2 * active) / (PREFILL_SHARE * gpus * gpu.peakFlops);
  return factor * (iterations * perIteration + atOnce * response * perToken + prefill);
}

function trainingSeconds(
  shape: RunShape,
  at: Sizes,
  gpus: number,
  k: CoefficientValues,
): { passes: number; update: number } {
  const active = shape.activeParameters;
  const repeated = shape.independentTurns ? (shape.turns * at.prompt + at.response) / (at.prompt + at.response) : 1;
  const tokens = at.trajectories * (at.prompt + at.response) * repeated;
  const factor =
    (isMixture(shape) ? k.mixtureTraining : 1) *
    (shape.lora ? k.loraTraining : 1) *
    (shape.turns > 1 ? k.turnsTraining : 1) *
    (shape.vision ? k.visionTraining : 1);
  const shared =
    (at.gpu.peakFlops / REFERENCE_PEAK) ** k.gpuExponent *
    Math.min(active / REFERENCE_ACTIVE, 4) ** k.sizeExponent *
    (tokens / gpus / 50e3) ** k.tokenExponent *
    1e12;
  const { training: stated } = shape.utilisation;
  const rate = (fitted: number): number => (stated === null ? (fitted * shared) / factor : stated * at.gpu.peakFlops);
  const passes = shape.passes + (shape.critic ? 1 : 0);
  const perUpdate = (shape.lora ? 4 : 6) * shape.updates * (shape.critic ? 2 : 1);
  return {
    passes: (2 * passes * active * tokens) / (gpus * rate(k.passRate)),
    update: (perUpdate * active * tokens) / (gpus * rate(k.updateRate)),
  };
}

/** Trajectories wait for their environments turn by turn; those beyond what runs at once queue. */
function environmentSeconds(shape: RunShape, trajectories: number): number {
  const { environmentSeconds: seconds, environmentConcurrency: most, turns } = shape;
  if (seconds === null) return 0;
  return seconds * turns * Math.max(1, most === null ? 1 : trajectories / most);
}

/** Batches of an evaluation one after another, each at the speed of generation. */
function evaluationSeconds(shape: RunShape, at: Sizes, k: CoefficientValues, batchFactor: number): number {
  const { evaluation } = shape;
  if (evaluation === null) return 0;
  const { samples } = evaluation;
  const low = Math.min(samples, shape.promptsPerStep ?? promptsInstead(shape));
  const unknown = Math.sqrt(low * samples) * batchFactor;
  const batch = Math.min(samples, evaluation.batch ?? Math.max(low, unknown));
  const response = evaluation.responseTokens ?? at.response;
  const pools = poolsOf(shape, at.gpus);
  const seconds = generationSeconds(shape, { ...at, response }, batch, pools.rollout, k);
  return (samples / batch) * seconds + (samples / batch) * environmentSeconds(shape, batch);
}
