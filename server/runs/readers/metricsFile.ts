import { STEP_COLUMNS } from "../columns";
import { recordFormat } from "../recordTypes";
import { readFlat } from "./flat";
import type { LogReader } from "./reader";

/**
 * Flat rows of metrics, one logged step a row: `metrics.jsonl` of prime-rl and tinker, ART's `history.jsonl`, the plain
 * layout's `metrics.csv`, long exports with a run column, and Parquet of the same.
 */
export const metricsFile: LogReader = {
  id: "metrics-1",
  title: "a metrics file",
  parts: false,
  recognises(probe) {
    const format = recordFormat(probe.file.name);
    if (!format) return false;
    const columns = probe.columns();
    if (/^(metrics|history|wandb-history|progress)\.(jsonl|csv)$/.test(probe.name)) return true;
    return STEP_COLUMNS.some((name) => name !== "episode" && columns.has(name)) && numericColumns(probe.objects(2), columns, format) >= 2;
  },
  read: (files, context) => readFlat(recordFormat(files[0].name) ?? "jsonl", files, context),
};

/** A rollout dump also has a step, beside texts: metrics rows are numbers for the most part. */
function numericColumns(objects: readonly Record<string, unknown>[], columns: ReadonlySet<string>, format: string): number {
  const texts = ["input", "output", "prompt", "completion", "messages", "trajectory", "response"].filter((name) => columns.has(name)).length;
  if (texts >= 2 || (texts >= 1 && (columns.has("score") || columns.has("reward")))) return 0;
  if (format !== "jsonl") return columns.size;
  return Math.max(0, ...objects.map((object) => Object.values(object).filter((value) => typeof value === "number" || (typeof value === "object" && value !== null)).length));
}
