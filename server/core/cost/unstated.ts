import type { FittedCoefficients } from "./fitted";
import { ASSUMED_GPU } from "./gpus";
import { meanResponse, promptsInstead, STAND_INS, type Factors } from "./phases";
import type { RunShape } from "./shape";

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

/** Spreads of ln of what stands in for what is not stated. */
const UNKNOWN = {
  meanOfCap: 0.75,
  meanOfCapTurns: 0.85,
  noLength: 1,
  promptTokens: 0.7,
  gpuModel: 0.5,
  gpus: 0.8,
  promptsPerStep: 0.9,
  groupSize: 0.6,
  tools: 0.6,
} as const;

/** What stands in for lengths that are not stated. */
export function lengths(shape: RunShape, fitted: FittedCoefficients): Uncertain[] {
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

/** What stands in for hardware and batches that are not stated. */
export function sizes(shape: RunShape): Uncertain[] {
  const assumed = (name: string, text: string, spread: number, on: Moved): Uncertain => ({
    name,
    text: `${text}, assumed`,
    spread,
    on,
  });
  return [
    ...(shape.samplingSpread
      ? [
          assumed(
            "dynamic sampling",
            `${shape.dynamicSampling.toFixed(2)} generated for each trained, from pass rates`,
            shape.samplingSpread,
            "dynamicSampling",
          ),
        ]
      : []),
    ...(shape.turns > 1 && shape.environmentSeconds === null
      ? [assumed("time of the environment", "as in published runs of several turns", UNKNOWN.tools, "tools")]
      : []),
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
