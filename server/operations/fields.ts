import * as z from "zod";
import { InputError } from "./inputError";
import { LAW_NAMES } from "../core/laws/list";
import { KNOWN_AXES, STEP_PARTS, isKnownAxis, isStepPart, type AxisName } from "../core/axes";

/** Fields that the inputs of several operations share. */

export const file = z
  .string()
  .min(1)
  .describe("path of a config: a framework config, a launch script or a *.budget.yaml");

export const files = z.array(file).min(1).describe("paths of configs");

/** The name of a law as it was given, or an InputError that lists them. `asked`: what the user wrote it after. */
export function knownLaw(law: string, asked = "law"): string {
  if (LAW_NAMES.includes(law)) return law;
  throw new InputError(`${asked} wants one of ${LAW_NAMES.join(", ")}, not "${law}"`);
}

/** Which fit an answer rests on. */
export const fitChoice = {
  fit: z.string().min(1).optional().describe("path of a *.fit.json, instead of the one of scaling.yaml"),
  law: z.enum(LAW_NAMES).optional().describe("the law for logs that scaling.yaml names: auto or one law"),
  seed: z.int().min(0).optional().describe("seed of the refits (default 1)"),
};

export const sources = z
  .array(z.string().min(1))
  .min(1)
  .describe("folders of runs, or tables in CSV, JSONL or Parquet");

/** Without any, the logs that scaling.yaml names. */
export const sourcesOrLogs = z
  .array(z.string().min(1))
  .describe("folders of runs, or tables in CSV, JSONL or Parquet; none: the logs that scaling.yaml names");

export const scaling = z
  .string()
  .min(1)
  .optional()
  .describe(
    "path of the scaling.yaml whose metric, columns and facts hold (default: the nearest above the first source)",
  );

export const experiment = z.string().optional().describe("the name of one experiment of a file that holds several");

/** `group_size`, `group-size` and `groupSize` are one name; null where it is no axis and no part of a step. */
export function pinnableName(name: string): AxisName | null {
  const plain = name.replace(/[_-](\w)/g, (_, letter: string) => letter.toUpperCase());
  return isKnownAxis(plain) || isStepPart(plain) ? plain : null;
}

/** An axis of the budget, or what its rollouts are made of: `steps`, `promptsPerStep`, `groupSize`. */
export const pinnable = z.string().refine((name) => pinnableName(name) !== null, {
  error: ({ input }) => notPinnable(String(input)),
});

export function notPinnable(name: string): string {
  return `"${name}" is no axis; there are ${[...KNOWN_AXES, ...STEP_PARTS].join(", ")}`;
}
