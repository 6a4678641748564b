import type { Calibration } from "./calibration";
import type { FittedCoefficients } from "./fitted";
import { isStated, promptsInstead, type CoefficientName } from "./phases";
import { runClass, type RunShape } from "./shape";
import type { TeamIntercept } from "./team";
import { lengths, sizes, type Uncertain } from "./unstated";

/** Half of a central 80 % in standard deviations. */
export const HALF = 1.2816;
const START_SPREAD = 0.7;
/** A run around the utilisation that its owner states. */
const STATED_SPREAD = 0.3;
/** Rental prices around the assumed one. */
const PRICE_SPREAD = 0.25;
/** Evaluations stray from the pace of training. */
const EVALUATION_SPREAD = 0.45;
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
