import type { Host } from "../../host";
import { readFirstLines } from "../../records/bytes";
import type { Columns } from "../../runs/columns";
import type { FoundFile } from "../../records/files";
import type { Notes } from "../../records/notes";
import { parquetColumns } from "../../records/parquet";
import { READERS } from "./readers";
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
export async function classify(host: Host, file: FoundFile, columns: Columns, notes: Notes): Promise<Classification> {
  if (isConfigName(file.name) && file.name !== "meta.yaml" && !isStepYaml(file.name)) return undefined;
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
  if (format && columns.isTable(probe.columns())) return { file, format };
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

export function isConfigName(name: string): boolean {
  return name === "run.json" || CONFIG_NAMES.includes(name) || /\.(ya?ml|toml|sh|py)$/i.test(name);
}
