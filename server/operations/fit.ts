import { shownSource } from "../host";
import * as z from "zod";
import { printedFit, type FitFile } from "../core/fit";
import { LAW_NAMES } from "../core/laws/list";
import type { TableNote } from "../core/table";
import { knownLaw, scaling, sourcesOrLogs as sources } from "./fields";
import { InputError } from "./inputError";
import type { FitJobResult } from "./jobs";
import type { Operation } from "./operation";
import { checkFitPlace, saveFit } from "./saveFit";
import { runsRequest, shownNotes } from "./sources";

export const LOSSES = ["binomial", "beta-binomial", "gaussian", "huber", "mse"] as const;

const input = z.strictObject({
  sources,
  scaling,
  law: z
    .string()
    .optional()
    .describe(`one of ${LAW_NAMES.join(", ")} (default auto)`),
  loss: z.enum(LOSSES).optional().describe("by default what the table calls for"),
  huberDelta: z.number().positive().optional().describe("where the Huber loss turns linear (default 1.35 × the noise)"),
  bootstrap: z.int().min(0).optional().describe("refits or posterior draws (default 1000; above 2,000 runs 400)"),
  seed: z.int().min(0).optional().describe("the same seed gives the same bits (default 1)"),
  axes: z.array(z.string()).optional().describe("use only these axes"),
  custom: z
    .strictObject({
      expression: z.string(),
      parameters: z.record(z.string(), z.strictObject({ low: z.number(), high: z.number() })),
    })
    .optional()
    .describe("with law custom: the error as an expression of axes and parameters, and the parameters' bounds"),
  out: z
    .string()
    .regex(/\.fit\.json$/, "a fit is saved as *.fit.json")
    .optional()
    .describe("save the fit here"),
});

export interface Fitted extends FitJobResult {
  /** Where it was saved, as it was named. */
  readonly saved: string | null;
}

export const fit: Operation<z.infer<typeof input>, Fitted> = {
  name: "fit",
  summary: "fits scaling laws to folders of runs, or to tables in CSV, JSONL or Parquet",
  input,
  writes: true,
  async run(engine, { sources: names, scaling: named, out, law = "auto", ...options }, signal) {
    knownLaw(law);
    if ((law === "custom") !== (options.custom !== undefined))
      throw new InputError("the law custom and its expression go together");
    if (out !== undefined) await checkFitPlace(engine, out);
    const request = await runsRequest(engine, names, named);
    const provenance = { sources: names.map(shownSource), seed: options.seed ?? 1 };
    const result = await engine.jobs
      .run({ kind: "fit", ...request, options: { law, ...options, provenance } }, engine.onProgress, signal)
      .finally(() => engine.onProgress?.(undefined));
    if (out === undefined || !result.fit.ok) return { ...result, saved: null };
    await saveFit(engine, out, result.fit.value);
    return { ...result, saved: out };
  },
  json({ fit: result, table }, engine) {
    const notes = shownNotes(engine, table);
    return result.ok
      ? fitJson(
          result.value,
          notes.filter(({ severity }) => severity !== "information"),
        )
      : { law: null, rows: table.rows.length, refused: result.problem, notes };
  },
};

/** The contract of `fit --json`, and what a person asking further wants. Rows that were left out are warnings too. */
function fitJson(value: FitFile, notes: readonly TableNote[]): Record<string, unknown> {
  const { variant, response, simulated, loss, seed, axes, ranges, refused, priorOnly, reference, summary } = value;
  const { pairs, worldsAndStructures } = value;
  return {
    ...printedFit(value),
    warnings: [...value.warnings, ...notes],
    variant,
    response,
    simulated,
    loss,
    seed,
    axes,
    ranges,
    refused,
    priorOnly,
    reference,
    summary,
    pairs,
    worldsAndStructures,
  };
}
