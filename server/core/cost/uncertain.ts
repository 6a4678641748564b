import type { Calibration } from "./calibration";
import type { FittedCoefficients } from "./fitted";
import { ASSUMED_GPU } from "./gpus";
import { isStated, meanResponse, promptsInstead, STAND_INS, type CoefficientName, type Factors } from "./phases";
import { runClass, type RunShape } from "./shape";
import type { TeamIntercept } from "./team";

/** What a draw moves beside the coefficients; each by a factor. */
type Moved = keyof Factors | "start" | "price" | "evaluation";
export type Moves = Readonly<Partial<Record<Moved, number>>>;

/** One uncertain input. */
export interface Uncertain {
  readonly name: string;
  readonly text: string;
  /** Standard deviation of ln. */
  readonly spread: number;
  readonly on: Moved;
  /** Student's tails instead of normal ones. */
  readonly heavy?: boolean;
}

/** Half of a central 80 % in standard deviations. */
const HALF = 1.2816;
const START_SPREAD = 0.7;
/** A run around the utilisation that its owner states. */
const STATED_SPREAD = 0.3;
/** Rental prices around the assumed one. */
const PRICE_SPREAD = 0.25;
/** Evaluations stray from the pace of training. */
const EVALUATION_SPREAD = 0.45;
/** Spreads of ln of what stands in for what is not stated. */
const UNKNOWN = {
  meanOfCap: 0.65,
  meanOfCapTurns: 0.85,
  noLength: 1,
  promptTokens: 0.7,
  gpuModel: 0.5,
  gpus: 0.8,
  promptsPerStep: 0.9,
  groupSize: 0.6,
} as const;

/** The coefficients by what they are about, as the list of assumptions names them. */
export const COEFFICIENT_GROUPS: readonly { readonly name: string; readonly members: readonly CoefficientName[] }[] = [
  {
    name: "decoding speed",
    members: ["decodeSeconds", "bandwidthShare", "mixtureGeneration", "loraGeneration", "turnsGeneration"],
  },
  {
    name: "training speed",
    members: [
      "passRate",
      "updateRate",
      "gpuExponent",
      "sizeExponent",
      "tokenExponent",
      "mixtureTraining",
      "loraTraining",
      "turnsTraining",
      "visionTraining",
    ],
  },
  { name: "asynchronous overlap", members: ["async"] },
  { name: "time beside the phases", members: ["stepSeconds", "stepSecondsPerBillion"] },
  { name: "mean response", members: ["meanOfCap", "capExponent", "thinking", "meanOfCapTurns"] },
];

export interface KnownOfRun {
  readonly calibration: Calibration | null;
  readonly team: TeamIntercept | null;
  readonly priceStated: boolean;
}

/** Everything that may be otherwise for a run, the coefficients apart. */
export function uncertainInputs(shape: RunShape, fitted: FittedCoefficients, known: KnownOfRun): readonly Uncertain[] {
  // What was timed was timed with its GPUs, lengths and batch; how many GPUs there are, a log may not say.
  const assumed = known.calibration
    ? sizes(shape).filter(({ on }) => on === "gpus")
    : [...lengths(shape, fitted), ...sizes(shape)];
  return [paceOf(shape, fitted, known), ...assumed, ...besides(shape, known)].filter(({ spread }) => spread > 0);
}

function paceOf(shape: RunShape, fitted: FittedCoefficients, { calibration, team }: KnownOfRun): Uncertain {
  const kind = runClass(shape);
  if (calibration) {
    const away = Math.max(...Object.values(calibration.phases));
    const text = `measured: ${calibration.from}`;
    return { name: "pace", text, spread: Math.hypot(calibration.spread, away), on: "residual" };
  }
  if (isStated(shape))
    return { name: "pace of this run", text: "around the stated utilisation", spread: STATED_SPREAD, on: "residual" };
  return {
    name: "pace of this run",
    text: `${team ? `what the runs of this workspace leave of how` : "how"} published runs stray from the model (${kind})`,
    spread: fitted.residual[kind] * (team?.narrower ?? 1),
    on: "residual",
    heavy: true,
  };
}

function lengths(shape: RunShape, fitted: FittedCoefficients): Uncertain[] {
  const list: Uncertain[] = [];
  const { responseCap: cap, turns } = shape;
  if (shape.responseTokens === null) {
    const mean = Math.round(meanResponse(shape, fitted.values));
    list.push({
      name: "mean response",
      text: `${mean} tokens, ${cap === null ? "neither mean nor cap is stated" : `guessed from the cap of ${cap}`}`,
      spread: cap === null ? UNKNOWN.noLength : turns > 1 ? UNKNOWN.meanOfCapTurns : UNKNOWN.meanOfCap,
      on: "meanResponse",
    });
  }
  if (shape.promptTokens === null)
    list.push({
      name: "mean prompt",
      text: `${STAND_INS.promptTokens * (shape.vision ? 2 : 1)} tokens, assumed`,
      spread: UNKNOWN.promptTokens,
      on: "promptTokens",
    });
  return list;
}

function sizes(shape: RunShape): Uncertain[] {
  const assumed = (name: string, text: string, spread: number, on: Moved): Uncertain => ({
    name,
    text: `${text}, assumed`,
    spread,
    on,
  });
  return [
    ...(shape.gpu === null ? [assumed("GPU model", ASSUMED_GPU.name, UNKNOWN.gpuModel, "gpuModel")] : []),
    ...(shape.gpus === null ? [assumed("GPUs", String(STAND_INS.gpus), UNKNOWN.gpus, "gpus")] : []),
    ...(shape.promptsPerStep === null
      ? [assumed("prompts per step", String(promptsInstead(shape)), UNKNOWN.promptsPerStep, "promptsPerStep")]
      : []),
    ...(shape.groupSize === null
      ? [assumed("rollouts per prompt", String(STAND_INS.groupSize), UNKNOWN.groupSize, "groupSize")]
      : []),
  ];
}

function besides(shape: RunShape, { calibration, priceStated }: KnownOfRun): Uncertain[] {
  const list: Uncertain[] = [];
  if (shape.evaluation && !calibration?.evaluationKnown) {
    const { samples, batch } = shape.evaluation;
    const low = Math.min(samples, shape.promptsPerStep ?? promptsInstead(shape));
    if (batch === null)
      list.push({
        name: "rollouts of an evaluation at once",
        text: `between ${low} and ${samples}, not stated`,
        spread: Math.log(samples / low) / 2 / HALF,
        on: "evaluationBatch",
      });
    list.push({
      name: "pace of evaluations",
      text: "against that of training",
      spread: EVALUATION_SPREAD,
      on: "evaluation",
    });
  }
  if (shape.steps !== null)
    list.push({ name: "start", text: "loading and compilation, assumed", spread: START_SPREAD, on: "start" });
  if (!priceStated)
    list.push({ name: "price of a GPU-hour", text: "assumed rental price", spread: PRICE_SPREAD, on: "price" });
  return list;
}
