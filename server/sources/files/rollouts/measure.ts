import { shownSource, type Host } from "../../../host";
import { baseName, type FoundFile, unpackedName } from "../../../records/files";
import { Notes } from "../../../records/notes";
import { parquetColumns } from "../../../records/parquet";
import { readFirstLines } from "../../../records/bytes";
import { firstKeys, isJsonArray, readJsonArray } from "../../../records/jsonArray";
import { readRecords } from "../../../records/records";
import { recordFormat, type RecordReading } from "../../../records/recordTypes";
import { Probe } from "../readers/reader";
import { walk } from "../walk";
import { artRollouts } from "./art";
import { isStepYaml, readArtYaml } from "./artYaml";
import { type StoreQuery } from "../../../runs/options";
import type { DuplicateRule } from "../../../rollouts/duplicates";
import { RolloutFields } from "../../../rollouts/fields";
import { makePause } from "../../../rollouts/pause";
import { isRolloutDump, namesRollouts } from "./recognise";
import { measured } from "../../../rollouts/summary";
import { Tally } from "../../../rollouts/tally";
import type { RolloutMeasure } from "../../../rollouts/types";

export interface MeasureOptions {
  /** How repeated tasks are told (default `char-tfidf`). */
  readonly duplicates?: DuplicateRule;
  /** Cosine distance up to which two tasks are the same (default 0.15). */
  readonly threshold?: number;
  /** Our field → the dump's: `{ task: "question_text", world: "repo_name", embedding: "vec" }`. */
  readonly columns?: Readonly<Record<string, string>>;
  /** A reward from which a rollout counts as solved, where the rows state no success (default 1). */
  readonly solvedAt?: number;
  /** Asks the store, where the one source is none of files. */
  readonly stores?: StoreQuery;
  readonly onProgress?: (progress: { readonly done: number; readonly total: number; readonly file: string }) => void;
  readonly signal?: AbortSignal;
}

/**
 * Measures dumps of rollouts (JSONL, CSV, Parquet, or folders of them).
 * @throws only the signal's reason, when it is aborted
 */
export async function measureFiles(
  host: Host,
  sources: readonly string[],
  options: MeasureOptions = {},
): Promise<RolloutMeasure> {
  const { signal, onProgress } = options;
  const notes = new Notes();
  const files = await findDumps(host, sources, notes, options);
  const total = files.reduce((sum, file) => sum + file.size, 0);
  const tally = new Tally(options.solvedAt ?? 1, options.duplicates === "embedding");
  const fields = new RolloutFields(options.columns);
  let done = 0;
  for (const file of files) {
    // verl and ART name their dumps by the step; verl states it in the rows of newer versions too.
    const stepOfName = /^(?:.*step_?)?(\d+)\.(jsonl|parquet|ya?ml)/.exec(file.name)?.[1];
    let groups = 0;
    const reading: RecordReading = {
      host,
      file,
      notes,
      signal,
      onBytes: (count) => {
        done += count;
        // Finding repeated tasks is the other half of the work.
        onProgress?.({ done: Math.min(done, total) / 2, total, file: file.uri });
      },
      onRecord: (record) => {
        for (const row of artRollouts(record, file, groups++) ?? [record]) {
          const rollout = fields.read(row);
          tally.add(
            rollout.step === undefined && stepOfName !== undefined ? { ...rollout, step: Number(stepOfName) } : rollout,
          );
        }
      },
    };
    const format = recordFormat(file.name);
    if (format) await readRecords(format, reading);
    else if (/\.json$/i.test(unpackedName(file.name))) await readJsonArray(reading);
    else await readArtYaml(reading);
  }
  const pause = makePause(
    (share) => onProgress?.({ done: total / 2 + (share * total) / 2, total, file: "duplicates" }),
    signal,
  );
  return { ...(await measured(tally, pause, options)), files: files.map(({ uri }) => uri), notes: notes.list() };
}

async function findDumps(
  host: Host,
  sources: readonly string[],
  notes: Notes,
  { columns, signal }: MeasureOptions,
): Promise<FoundFile[]> {
  const files: FoundFile[] = [];
  for (const source of sources) {
    const about = await host.stat(source);
    const trouble = host.trouble?.(source);
    if (trouble) notes.error("store.failed", `The file could not be read: ${trouble.reason}`, { file: source });
    else if (!about) notes.error("run.no-source", "There is no such file or folder.", { file: shownSource(source) });
    if (trouble || !about) continue;
    if (about.kind === "file") {
      const name = baseName(source);
      const isList = /\.json$/i.test(unpackedName(name));
      const head = isList ? new TextDecoder().decode(await readFirstLines(host, source)) : "";
      if (recordFormat(name) || isStepYaml(name) || isJsonArray(name, head))
        files.push({ uri: source, name, path: name, size: about.size, modified: about.modified });
      else
        notes.error(
          "rollouts.format",
          "Rollouts are read from JSONL, lists in JSON, CSV and Parquet (the text ones also packed with gzip or zstd), and from ART's YAML.",
          { file: source },
        );
    } else {
      const before = files.length;
      const visit = async (directory: Awaited<ReturnType<typeof walk>>): Promise<void> => {
        for (const file of directory.files) if (await isDump(host, file, columns)) files.push(file);
        for (const below of directory.directories) await visit(below);
      };
      await visit(await walk(host, source, notes, signal));
      if (files.length === before) notes.warn("rollouts.none", "No rollouts were found here.", { file: source });
    }
  }
  return files;
}

async function isDump(host: Host, file: FoundFile, mapped: MeasureOptions["columns"]): Promise<boolean> {
  const format = recordFormat(file.name);
  const isList = /\.json$/i.test(unpackedName(file.name));
  if (!format && !isStepYaml(file.name) && !isList) return false;
  const probe =
    format === "parquet"
      ? new Probe(file, new Uint8Array(), (await parquetColumns(host, file))?.names ?? [])
      : new Probe(file, await readFirstLines(host, file.uri));
  if (isRolloutDump(probe)) return true;
  if (format) return namesRollouts(probe.columns(), mapped);
  return isList && isJsonArray(file.name, probe.text().slice(0, 64)) && namesRollouts(firstKeys(probe.text()), mapped);
}
