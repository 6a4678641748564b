import * as z from "zod";
import { measureRollouts, type RolloutMeasure } from "../sources/read";
import { sources } from "./fields";
import { bySource, placesOf } from "./namedStores";
import type { Operation } from "./operation";
import { shownNotes, sourceUris } from "./sources";

export const DUPLICATE_RULES = ["char-tfidf", "exact", "template", "embedding"] as const;

const input = z.strictObject({
  sources: sources.describe("dumps of rollouts (JSON, JSONL, CSV, Parquet), or folders of them"),
  duplicates: z.enum(DUPLICATE_RULES).optional().describe("how repeated tasks are found (default char-tfidf)"),
  threshold: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe("cosine distance up to which two tasks are the same (default 0.15)"),
  columns: z.record(z.string(), z.string()).optional().describe("columns under other names: { task: question_text }"),
  solvedAt: z.number().optional().describe("reward from which a rollout counts as solved (default 1)"),
});

export const measure: Operation<z.infer<typeof input>, RolloutMeasure> = {
  name: "measure",
  summary: "counts tasks, environments, coverage and reward density in dumps of rollouts",
  input,
  writes: false,
  async run(engine, { sources: names, ...options }) {
    const uris = await sourceUris(engine, names);
    const progress = engine.onProgress?.bind(engine);
    const host = engine.remote ? bySource(engine.host, engine.remote(placesOf(uris))) : engine.host;
    return measureRollouts(host, uris, {
      ...options,
      stores: engine.stores,
      ...(progress && {
        onProgress: ({ done, total, file }) =>
          progress({ label: `Reading ${engine.shown(file)}`, share: total > 0 ? done / total : 0 }),
      }),
    }).finally(() => progress?.(undefined));
  },
  json: (measured, engine) => ({
    ...measured,
    files: measured.files.map((file) => engine.shown(file)),
    notes: shownNotes(engine, measured),
  }),
};
