import * as z from "zod";
import { openFit, predict as predictAt, type FitFile } from "../core/fit";
import type { FittedLaw } from "../core/laws/law";
import { readExpression } from "../syntax/quantity/expression";
import { notReadJson } from "../assessment/unreadSources";
import type { FitState } from "../assessment/types";
import { TOO_FAR, tooFar } from "../assessment/verdict";
import type { Engine, FitChoice } from "./engine";
import { fitChoice } from "./fields";
import { InputError } from "./inputError";
import type { Operation } from "./operation";

const input = z.strictObject({
  ...fitChoice,
  setting: z.string().optional().describe("one setting of a fit of several"),
  levels: z
    .record(z.string(), z.union([z.number(), z.string()]))
    .describe("the amount of each axis: 512, 2^14, 9.2k; one that is not given is taken at the runs' geometric mean"),
});

export interface Predicted {
  /** Why there is no success rate: the levels are too far from the runs. Null: there is one. */
  readonly tooFar: string | null;
  readonly said: ReturnType<typeof predictAt>;
  readonly law: FittedLaw;
  readonly fit: FitFile;
  /** Where the fit is from, with what it lacks. */
  readonly from: FitInForce;
}

/** The fit in force for a folder, as judged configs name theirs. */
interface FitInForce {
  readonly folderUri: string;
  readonly assessment: { readonly fit: FitState };
}

export const predict: Operation<z.infer<typeof input>, Predicted> = {
  name: "predict",
  summary: "the success rate that a fit expects at given levels",
  input,
  writes: false,
  async run(engine, { setting, levels, ...choice }, signal) {
    const { file, name, from } = await fitHere(engine, choice, signal);
    const law = openFit(file, setting);
    if (!law.ok) throw new InputError(law.problem.message, { file: name });
    const amounts: Record<string, number> = {};
    for (const [axis, value] of Object.entries(levels)) {
      if (!law.value.axes.includes(axis) && !law.value.refused.some((one) => one.axis === axis))
        throw new InputError(`the fit has no axis "${axis}"; it has ${law.value.axes.join(", ")}`);
      amounts[axis] = amountOf(axis, value);
    }
    const said = predictAt(law.value, amounts);
    return {
      said,
      tooFar: said.successRate
        ? (tooFar(said.extrapolation, amounts, law.value.ranges) ?? (said.outOfRange ? TOO_FAR : null))
        : null,
      law: law.value,
      fit: file,
      from,
    };
  },
  json: ({ said, tooFar: reason, law, fit, from }) => ({
    successRate: reason === null ? said.successRate : null,
    ...(reason !== null && { reason }),
    ...(said.loss && { loss: said.loss }),
    extrapolation: said.extrapolation,
    outOfRange: said.outOfRange,
    held: said.held,
    assumed: said.assumed,
    law: law.law,
    simulated: fit.simulated,
    ...notReadJson([from]),
  }),
};

interface NamedFit {
  readonly file: FitFile;
  readonly name: string;
  readonly from: FitInForce;
}

/** The fit that is named, or scaling.yaml's, or one of the logs that it names. */
async function fitHere(engine: Engine, choice: FitChoice, signal: AbortSignal | undefined): Promise<NamedFit> {
  const { folderUri, scaling } = await engine.scalingFor(engine.uri("scaling.yaml"));
  const state = await engine.fitFor(folderUri, scaling, choice, signal);
  if (state.kind !== "ready") throw new InputError(`${state.reason}: name a fit with --fit FILE.fit.json`);
  return { file: state.fit.file, name: state.fit.name, from: { folderUri, assessment: { fit: state } } };
}

function amountOf(axis: string, stated: number | string): number {
  const said = `${axis}=${stated}`;
  const read = typeof stated === "number" ? null : readExpression(stated);
  if (read && !read.ok) throw new InputError(`${said}: ${read.problem.message}`);
  const value = read ? read.quantity.value : Number(stated);
  if (!(value > 0)) throw new InputError(`${said}: a level must be above 0`);
  return value;
}
