import { shownSource } from "../../host";
import { baseName, type FoundFile } from "../../records/files";
import type { Holding, Source, World } from "../source";
import { ClassifiedFiles } from "./classified";
import { discover, type Found, singleRun } from "./discover";
import { readTable } from "./keptTable";
import { readLog } from "./readLog";
import { READERS } from "./readers";
import { headerOf } from "./readers/reader";
import { walk } from "./walk";

const NOTHING: Found = { runs: [], tables: [], rollouts: [] };

/** Folders of runs, logs and table files. */
export const files: Source = {
  id: "files",
  matches: () => true,
  async find(uri, world) {
    const found = await foundAt(uri, world);
    const { options, columns, cache } = world;
    return {
      prefix: `${baseName(uri)}/`,
      runs: found.runs.map((run) => ({
        ...run,
        logs: run.logs.map((log) => ({
          kind: log.reader.id,
          title: log.reader.title,
          files: log.files,
          read: (context, metric) => readLog(log, context, cache, metric),
        })),
      })),
      tables: found.tables.map((table) => ({
        file: table.file,
        read: (context) => readTable(table, context, columns, options, cache),
      })),
    } satisfies Holding;
  },
};

async function foundAt(uri: string, world: World): Promise<Found> {
  const { host, notes, columns, cache, options } = world;
  const { signal } = options;
  const about = await host.stat(uri);
  if (!about) {
    notes.error("run.no-source", "There is no such file or folder.", { file: shownSource(uri) });
    return NOTHING;
  }
  world.prepare(about.size);
  const classified = await ClassifiedFiles.open(
    { host, columns, notes, cache, joined: options.facts !== undefined },
    uri,
  );
  const { size, modified } = about;
  const found =
    about.kind === "directory"
      ? await discover(
          await walk(host, uri, notes, signal, (name) => columns.mapsLogs || hasOwnEnding(name)),
          classified,
          signal,
        )
      : await single(classified, { uri, name: baseName(uri), path: baseName(uri), size, modified }, world);
  await classified.close();
  if (found.runs.length + found.tables.length === 0 && about.kind === "directory" && !world.others)
    notes.warn("run.none", "No run and no run table was found here.", { file: shownSource(uri) });
  const [dump] = found.rollouts;
  if (dump)
    notes.inform(
      "run.rollouts",
      `${found.rollouts.length} file${found.rollouts.length > 1 ? "s" : ""} of rollouts (such as ${dump.path}) hold no metrics and were not read; Measure dataset reads them.`,
      { file: dump.uri },
    );
  return found;
}

function hasOwnEnding(name: string): boolean {
  return READERS.some(({ endings }) => endings?.some((ending) => name.toLowerCase().endsWith(ending)));
}

/** Bytes in which the head of a table is looked for, and names of it that are told. */
const HEAD = 4096;
const MOST_NAMES = 12;

/** The columns of a table in CSV, as people read them; empty for other files. */
async function columnsOf(host: World["host"], { uri, name }: FoundFile): Promise<string> {
  if (!/\.[ct]sv$/i.test(name)) return "";
  const names = headerOf(new TextDecoder().decode(await host.readFile(uri, { end: HEAD })));
  return `${names.slice(0, MOST_NAMES).join(", ")}${names.length > MOST_NAMES ? ", …" : ""}`;
}

async function single(classified: ClassifiedFiles, file: FoundFile, { host, notes }: World): Promise<Found> {
  const kind = await classified.kindOf(file);
  if (kind === "rollouts") return { ...NOTHING, rollouts: [file] };
  if (kind && "format" in kind) return { ...NOTHING, tables: [kind] };
  if (kind) return { ...NOTHING, runs: [await singleRun(host, file, kind.reader)] };
  const columns = await columnsOf(host, file);
  const mapped =
    columns === ""
      ? "`columns:` in scaling.yaml maps other names"
      : `its columns are ${columns}; \`columns: { success_rate: NAME, tasks: NAME }\` in scaling.yaml says which is which`;
  notes.error(
    "run.not-a-table",
    `This file is neither a log that is known nor a run table: that has a column of success_rate, of successes and trials, or of loss, and at least one of an axis, such as tasks, environments or trajectories (${mapped}).`,
    { file: file.uri },
  );
  return NOTHING;
}
