import type { Host } from "../../host";
import { readFirstLines } from "../../records/bytes";
import type { Columns } from "../../runs/columns";
import type { FoundFile } from "../../records/files";
import type { Notes } from "../../records/notes";
import { parquetColumns } from "../../records/parquet";
import { READERS } from "./readers";
import { metricsFile } from "./readers/metricsFile";
import { type LogReader, Probe } from "./readers/reader";
import { type RecordFormat, recordFormat } from "../../records/recordTypes";
import { isStepYaml } from "./rollouts/artYaml";
import { isRolloutDump } from "./rollouts/recognise";

export interface FoundTable {
  readonly file: FoundFile;
  readonly format: RecordFormat;
}

/** What a file is to a run table; undefined where it is none of ours. */
export type Classification = { readonly reader: LogReader } | FoundTable | "rollouts" | undefined;

export const CONFIG_NAMES = [
  "config.yaml",
  "config.yml",
  "config.json",
  "config.toml",
  "args.json",
  "args.yaml",
  "configs.json",
  "training_args.json",
  "hparams.yaml",
  "params.json",
];

/** What one file is, by its name and beginning; undefined where it is none of ours. */
export async function classify(
  host: Host,
  file: FoundFile,
  columns: Columns,
  notes: Notes,
  joined = false,
): Promise<Classification> {
  if (isConfigName(file.name) && file.name !== "meta.yaml" && !isStepYaml(file.name)) return undefined;
  const unread = UNREAD.find(({ ending }) => ending.test(file.name));
  if (unread) {
    notes.warn("log.packed", `${unread.says} is not read; ${unread.todo}.`, { file: file.uri });
    return undefined;
  }
  const format = recordFormat(file.name);
  const parquet = format === "parquet" ? await parquetColumns(host, file) : undefined;
  if (format === "parquet" && !parquet) {
    if (!(await host.readFile(file.uri, { end: 4 })))
      notes.error("log.unreadable", "The file cannot be read; it was left out.", { file: file.uri });
    else
      notes.error("log.parquet", "The Parquet file has no readable footer: it is damaged or still being written.", {
        file: file.uri,
      });
    return undefined;
  }
  const head = format === "parquet" ? new Uint8Array() : await readFirstLines(host, file.uri);
  if (format !== "parquet" && head.length === 0) {
    if (file.size > 0) notes.error("log.unreadable", "The file cannot be read; it was left out.", { file: file.uri });
    else if (format) notes.inform("log.empty", "The file is empty.", { file: file.uri });
    return undefined;
  }
  const probe = new Probe(file, head, parquet?.names);
  if (format && columns.isTable(probe.columns(), joined)) return { file, format };
  if (
    columns.isMapped(probe.columns()) ||
    (format === undefined && columns.mapsLogs && columns.isMapped(probe.header()))
  )
    return { reader: metricsFile };
  const results = evaluationResults(probe);
  if (results !== undefined) {
    notes.inform(
      "log.evaluation-results",
      `Evaluation results of ${results} are not read as runs; a table of them with a row per run is.`,
      { file: file.uri },
    );
    return undefined;
  }
  if (isRolloutDump(probe)) return "rollouts";
  const reader = READERS.find((each) => each.recognises(probe));
  if (reader) return { reader };
  if (format)
    notes.inform(
      "log.not-ours",
      `Neither a run table nor a metrics log; its columns are ${[...probe.columns()].slice(0, 8).join(", ") || "not readable"}.`,
      { file: file.uri },
    );
  return undefined;
}

/** Packings and archives that are recognised by name and not read. */
const UNREAD: readonly { readonly ending: RegExp; readonly says: string; readonly todo: string }[] = [
  {
    ending: /\.(log|txt|out|err|jsonl|ndjson|json|csv|tsv)\.xz$/i,
    says: "What is packed with xz",
    todo: "unpack it, or pack it with gzip or zstd",
  },
  {
    ending: /\.(log|txt|out|err|jsonl|ndjson|json|csv|tsv)\.bz2$/i,
    says: "What is packed with bzip2",
    todo: "unpack it, or pack it with gzip or zstd",
  },
  {
    ending: /\.eval$/i,
    says: "An evaluation log of Inspect (.eval)",
    todo: "`inspect log convert --to json` and a table of its scores can be",
  },
];

/** Whose evaluation results a JSON file holds. */
function evaluationResults(probe: Probe): string | undefined {
  if (!probe.name.endsWith(".json")) return undefined;
  const text = probe.text().slice(0, 64 * 1024);
  if (!text.trimStart().startsWith("{")) return undefined;
  if (
    /"results"\s*:\s*\{/.test(text) &&
    /"(configs|n-shot|n-samples|lm_eval_version|higher_is_better)"\s*:|_stderr|"alias"\s*:/.test(text)
  )
    return "lm-evaluation-harness";
  if (/"eval"\s*:\s*\{/.test(text) && /"(plan|samples|results|status)"\s*:/.test(text)) return "Inspect";
  return undefined;
}

export function isConfigName(name: string): boolean {
  return name === "run.json" || CONFIG_NAMES.includes(name) || /\.(ya?ml|toml|sh|py)$/i.test(name);
}
