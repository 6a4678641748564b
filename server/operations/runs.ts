import * as z from "zod";
import type { RunTable } from "../core/table";
import { scaling, sourcesOrLogs as sources } from "./fields";
import type { Operation } from "./operation";
import { runsRequest, shownNotes } from "./sources";

const input = z.strictObject({ sources, scaling });

export const runs: Operation<z.infer<typeof input>, RunTable> = {
  name: "runs",
  summary: "the run table that a fit would read: what was found, what was skipped and why",
  input,
  writes: false,
  async run(engine, { sources: names, scaling: named }, signal) {
    const request = await runsRequest(engine, names, named);
    const { table } = await engine.jobs
      .run({ kind: "read-runs", ...request }, engine.onProgress, signal)
      .finally(() => engine.onProgress?.(undefined));
    return table;
  },
  // A run without a value is a row too, with `outcome: null`: none is lost.
  json: (table, engine) => ({
    rows: [...table.rows, ...(table.unmeasured ?? []).map((row) => ({ ...row, outcome: null }))].map((row) => ({
      ...row,
      files: row.files.map((file) => engine.shown(file)),
    })),
    notes: shownNotes(engine, table),
  }),
};
