import type { Host } from "../../host";
import type { ClassifiedFiles } from "./classified";
import { CONFIG_NAMES, type FoundTable } from "./classify";
import { DirectoryIndex } from "./directoryIndex";
import { type FoundFile, parent, stem } from "../../records/files";
import { READERS } from "./readers";
import type { LogReader } from "./readers/reader";
import type { FoundRun as FoundRunOf } from "../source";
import type { FoundDirectory } from "./walk";
import { folderOf, naturally } from "./walk";

/** Files that one reader takes together. */
export interface RunLog {
  readonly reader: LogReader;
  readonly files: readonly FoundFile[];
}

type FoundRun = FoundRunOf<RunLog>;

export interface Found {
  readonly runs: readonly FoundRun[];
  readonly tables: readonly FoundTable[];
  /** Rollout dumps that were passed over. */
  readonly rollouts: readonly FoundFile[];
}

interface Candidate {
  readonly reader: LogReader;
  readonly file: FoundFile;
  readonly directory: FoundDirectory;
  readonly root: Root;
}

/** A folder that everything below it belongs to, unless a folder below is marked itself. */
interface Root {
  readonly directory: FoundDirectory;
  /** `run`: states one run; `config`: holds a config that several runs may share; `none`: the file's own folder. */
  readonly mark: "run" | "config" | "none";
}

function markOf(directory: FoundDirectory): "run" | "config" | undefined {
  const has = (name: string) => directory.files.some((file) => file.name === name);
  if (has("run.json") || directory.files.some((file) => file.name.endsWith(".wandb"))) return "run";
  if (/^(offline-)?run-\d{8}_\d{6}-/.test(directory.name)) return "run";
  if (has("meta.yaml") && directory.directories.some(({ name }) => name === "metrics")) return "run";
  if (directory.directories.some(({ name }) => name === ".hydra")) return "config";
  return CONFIG_NAMES.some(has) ? "config" : undefined;
}

/** Sorts what a folder holds into runs and tables, by looking at the beginning of each file that may be a log. */
export async function discover(top: FoundDirectory, files: ClassifiedFiles, signal?: AbortSignal): Promise<Found> {
  const candidates: Candidate[] = [];
  const tables: FoundTable[] = [];
  const rollouts: FoundFile[] = [];
  /** Folders of a run.json: without a log they are runs that are planned. */
  const stated: FoundDirectory[] = [];
  const visit = async (
    directory: FoundDirectory,
    above: Root | undefined,
    up: FoundDirectory | undefined,
  ): Promise<void> => {
    const own = markOf(directory);
    // A config below a folder that states its run belongs to that run.
    const mark = own === "config" && above?.mark === "run" ? undefined : own;
    const root: Root | undefined = mark ? { directory, mark } : above;
    if (directory.files.some(({ name }) => name === "run.json")) stated.push(directory);
    for (const file of directory.files) {
      signal?.throwIfAborted();
      const kind = await files.kindOf(file);
      if (!kind) continue;
      if (kind === "rollouts") rollouts.push(file);
      else if ("format" in kind) tables.push(kind);
      else
        candidates.push({
          reader: kind.reader,
          file,
          directory,
          root: root ?? { directory: up && LOGGERS_OWN.test(directory.name) ? up : directory, mark: "none" },
        });
    }
    for (const below of directory.directories) await visit(below, root, directory === top ? undefined : directory);
  };
  await visit(top, undefined, undefined);
  const begun = new Set(candidates.map(({ root }) => root.directory));
  const planned = stated.filter((directory) => !begun.has(directory)).map((directory) => plannedRun(directory, top));
  const runs = joinWandb([...group(candidates, top), ...planned]);
  const isOwn = ({ root, logs }: FoundRun) =>
    logs.length > 0 || !candidates.some(({ file }) => file.uri.startsWith(`${root}/`));
  return { runs: runs.filter(isOwn).sort((a, b) => naturally(a.id, b.id)), tables, rollouts };
}

/** A run of which there is no more than what it is to be. */
function plannedRun(directory: FoundDirectory, top: FoundDirectory): FoundRun {
  const runJson = directory.files.find(({ name }) => name === "run.json") as FoundFile;
  return {
    id: directory.path === "" ? directory.name : directory.path,
    root: directory.uri,
    name: directory.name,
    logs: [],
    runJson,
    configs: configsOf(directory, directory, runJson, directory.name, directoryAt(top, parentPath(directory.path))),
  };
}

function group(candidates: readonly Candidate[], top: FoundDirectory): FoundRun[] {
  const byRoot = new Map<FoundDirectory, Candidate[]>();
  for (const candidate of candidates) {
    put(byRoot, candidate.root.directory, candidate);
  }
  const runs: FoundRun[] = [];
  for (const members of byRoot.values()) {
    const { root } = members[0];
    const parts = root.mark === "run" ? [{ members, byFile: false }] : partition(members);
    for (const part of parts) runs.push(runOf(part, root, parts.length > 1, top));
  }
  return runs;
}

/** Members of a shared folder as runs: one a folder, and one a file where a folder holds several logs of one format. */
function partition(members: readonly Candidate[]): Part[] {
  const first = [...members].sort((a, b) => READERS.indexOf(a.reader) - READERS.indexOf(b.reader))[0].reader;
  const lead = members.filter(({ reader }) => reader === first);
  const folders = new Set(lead.map(({ directory }) => runFolder(directory)));
  if (folders.size > 1) {
    const byFolder = new Map<string, Candidate[]>();
    for (const member of members) {
      put(byFolder, nearest(member.directory.uri, folders) ?? runFolder(member.directory), member);
    }
    return [...byFolder.values()].flatMap(partition);
  }
  if (lead.length === 1 || first.parts) return [{ members: [...members], byFile: false }];
  const byName = new Map<string, Candidate[]>();
  for (const member of lead) put(byName, attemptsOf(member), member);
  if (byName.size === 1) return [{ members: [...members], byFile: false }];
  for (const member of members) if (member.reader !== first) byName.get(attemptsOf(member))?.push(member);
  return [...byName.values()].map((part) => ({ members: part, byFile: true }));
}

/** Candidates of one run; `byFile` where its folder holds others too, so that it has its name from its file. */
interface Part {
  readonly members: readonly Candidate[];
  readonly byFile: boolean;
}

/** What all attempts at one run are called: `train.log`, `train_resume.log`, `train.log.1`. */
function attemptsOf({ directory, file }: Candidate): string {
  const name = stem(file.name.replace(/(\.(?:log|txt|out|err))\.\d+$/i, "$1"));
  return `${directory.uri}/${name.replace(/[-_.]?(?:resum(?:e|ed|ing)|restart(?:ed)?|cont(?:inued?)?)[-_.]?\d*$/i, "") || name}`;
}

function put<Key, Value>(map: Map<Key, Value[]>, key: Key, value: Value): void {
  const held = map.get(key);
  if (held) held.push(value);
  else map.set(key, [value]);
}

/** `…/checkpoint-200` belongs to the run above it, as do the folders that loggers make for themselves. */
const LOGGERS_OWN = /^(checkpoint-\d+|logs?|tensorboard|tb|tensorboard_log|train|eval|val|test|files|metrics)$/;

function runFolder(directory: FoundDirectory): string {
  return LOGGERS_OWN.test(directory.name) && directory.path.includes("/") ? parent(directory.uri) : directory.uri;
}

/** The folder among several that is this or the nearest above it. */
function nearest(uri: string, folders: ReadonlySet<string>): string | undefined {
  for (let at = uri; ; at = parent(at)) {
    if (folders.has(at)) return at;
    if (parent(at).length >= at.length) return undefined;
  }
}

function runOf({ members, byFile }: Part, root: Root, shared: boolean, top: FoundDirectory): FoundRun {
  const logs: RunLog[] = [];
  const sorted = [...members].sort(
    (a, b) =>
      READERS.indexOf(a.reader) - READERS.indexOf(b.reader) ||
      // A resumption is named after the log that it resumes.
      (byFile ? a.file.name.length - b.file.name.length : 0) ||
      naturally(a.file.path, b.file.path),
  );
  for (const { reader, file, directory } of sorted) {
    const held = logs.find((log) => log.reader === reader);
    const isSame =
      held &&
      attemptsOf({ file: held.files[0], directory, reader, root }) === attemptsOf({ file, directory, reader, root });
    if (held && (reader.parts || root.mark === "run" || isSame)) (held.files as FoundFile[]).push(file);
    else logs.push({ reader, files: [file] });
  }
  const lead = sorted[0];
  const alone = !shared && (root.mark !== "none" || lead.directory === top || lead.directory.files.length > 0);
  const folder = shared ? lead.directory : root.directory;
  const several = members.length < root.directory.files.length && shared && folder === root.directory;
  const id = byFile
    ? lead.file.path
    : alone && folder.path !== ""
      ? folder.path
      : shared && !several && folder.path !== "" && folder !== root.directory
        ? folder.path
        : lead.file.path;
  const name = id === lead.file.path ? stem(lead.file.name) : folder.name;
  const runJson = root.mark === "run" ? root.directory.files.find((file) => file.name === "run.json") : undefined;
  return {
    id,
    root: folder.uri,
    name,
    logs,
    ...(runJson ? { runJson } : {}),
    configs: configsOf(root.directory, folder, lead.file, name, directoryAt(top, parentPath(folder.path))),
  };
}

/** Configs beside the metrics, the likeliest first: Hydra's resolved one, a `config.*`, one named as the run, a launch script. */
function configsOf(
  root: FoundDirectory,
  folder: FoundDirectory,
  lead: FoundFile,
  name: string,
  above?: FoundDirectory,
): FoundFile[] {
  const found: FoundFile[] = [];
  const add = (file: FoundFile | undefined) => {
    if (file && !found.includes(file)) found.push(file);
  };
  for (const directory of folder === root ? [root] : [folder, root]) {
    const index = DirectoryIndex.of(directory);
    add(index.directory(".hydra")?.files.find((file) => file.name === "config.yaml"));
    for (const own of new Set([stem(lead.name), name]))
      index
        .configsNamed(own)
        .filter((file) => file.uri !== lead.uri && file.name !== "run.json")
        .forEach(add);
    for (const wanted of CONFIG_NAMES) add(index.file(wanted));
    for (const inner of ["config", "configs", "files"])
      for (const wanted of CONFIG_NAMES) add(index.directory(inner)?.files.find((file) => file.name === wanted));
    index.onlyConfigs(stem(lead.name)).forEach(add);
  }
  // A launch script often stands beside the folder that it fills: `exp1.sh` and `exp1/`.
  if (above) DirectoryIndex.of(above).configsNamed(folder.name).forEach(add);
  return found.slice(0, 8);
}

function parentPath(path: string): string | undefined {
  return path === "" ? undefined : path.split("/").slice(0, -1).join("/");
}

function directoryAt(top: FoundDirectory, path: string | undefined): FoundDirectory | undefined {
  if (path === undefined) return undefined;
  let at: FoundDirectory | undefined = top;
  for (const name of path === "" ? [] : path.split("/")) at = at && DirectoryIndex.of(at).directory(name);
  return at;
}

/** A log that was named by itself, with the run.json and configs of its folder. */
export async function singleRun(host: Host, file: FoundFile, reader: LogReader): Promise<FoundRun> {
  const folder = await folderOf(host, parent(file.uri));
  const name = stem(file.name);
  const runJson = folder.files.find((each) => each.name === "run.json");
  return {
    id: file.path,
    root: folder.uri,
    name,
    logs: [{ reader, files: [file] }],
    ...(runJson ? { runJson } : {}),
    configs: configsOf(folder, folder, file, name),
  };
}

/** `…/exp/wandb/run-*` records the same run as the other logs of `…/exp`, where it is the only one there. */
function joinWandb(runs: readonly FoundRun[]): FoundRun[] {
  const byOwner = new Map<string, FoundRun[]>();
  const byRoot = new Map<string, FoundRun[]>();
  for (const run of runs) {
    put(byRoot, run.root, run);
    if (/\/wandb\/(offline-)?run-[^/]*$/.test(run.root)) put(byOwner, parent(parent(run.root)), run);
  }
  const joined = new Map<FoundRun, FoundRun | undefined>();
  for (const [owner, [run, ...more]] of byOwner) {
    const [held, ...others] = byRoot.get(owner) ?? [];
    if (more.length > 0 || !held || others.length > 0) continue;
    joined.set(held, {
      ...held,
      logs: [...held.logs, ...run.logs].sort((a, b) => READERS.indexOf(a.reader) - READERS.indexOf(b.reader)),
      configs: [...held.configs, ...run.configs],
    });
    joined.set(run, undefined);
  }
  return runs.flatMap((run) => (joined.has(run) ? (joined.get(run) ?? []) : run));
}
