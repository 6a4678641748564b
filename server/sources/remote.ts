import { files } from "./files/source";
import { isRow } from "./files/keptTable";
import { isRemote, shownSource } from "../host";
import { isObject, parseJson } from "../records/json";
import type { FoundFile } from "../records/files";
import { keptAt, minute, staleRuns } from "./kept/lasting";
import { restoredRun, storedRun } from "./kept/packedRun";
import type { ReadContext } from "./files/readers/reader";
import type { Holding, Source, World } from "./source";

/** Logs, tables and folders of runs on servers and in buckets, which are read as files are: by the parts that are needed. */
export const remote: Source = {
  id: "remote",
  matches: isRemote,
  async find(uri, world) {
    const { host, notes } = world;
    const nothing = { prefix: "", runs: [], tables: [] };
    if (uri !== shownSource(uri)) {
      notes.error(
        "store.password",
        "A password, token or signature stands in this address. Take it out: keys of S3 are set in the environment (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY), or in the editor by “Store or forget a secret”.",
        { file: shownSource(uri) },
      );
      return nothing;
    }
    if (!host.trouble) {
      notes.error("store.not-here", "Servers are read in a trusted workspace on this machine, not in a browser.", {
        file: uri,
      });
      return nothing;
    }
    const about = await host.stat(uri);
    const trouble = host.trouble(uri);
    if (trouble) notes.error("store.failed", `The files could not be read: ${trouble.reason}`, { file: uri });
    if (!about && trouble) return nothing;
    const found = await files.find(uri, world);
    if (trouble && trouble.since !== null) notes.warn("store.stale", staleRuns(trouble.since), { file: uri });
    return lasting(found, world, trouble !== undefined);
  },
};

/**
 * Files of which each gives what it gave the last time where its server is lost while it is read.
 * @param isTold whether a note says so already
 */
function lasting(found: Holding, { host, cache, notes, wants, options }: World, isTold: boolean): Holding {
  const orKept = async <Value>(
    kind: string,
    files: readonly FoundFile[],
    read: () => Promise<Value>,
    stored: (value: Value) => unknown,
    restored: (entry: readonly unknown[]) => Value | undefined,
  ): Promise<Value> => {
    const place = keptAt(files[0].uri);
    const value = await read();
    const trouble = files.map(({ uri }) => host.trouble?.(uri)).find((one) => one !== undefined);
    if (!trouble) {
      const entry = { time: options.now ?? Date.now(), value: stored(value) };
      await cache.setAt(`remote ${kind}`, place, JSON.stringify(entry), notes);
      return value;
    }
    const text = await cache.getAt(`remote ${kind}`, place);
    const entry = text === undefined ? undefined : parseJson(text);
    if (!isObject(entry) || typeof entry.time !== "number" || !Array.isArray(entry.value)) return value;
    const last = restored(entry.value);
    if (!last) return value;
    if (!isTold) {
      isTold = true;
      const at = { file: files[0].uri };
      notes.error("store.failed", `The file could not be read: ${trouble.reason}`, at);
      notes.warn("store.stale", `What is shown of it is of ${minute(entry.time)}, when it could last be read.`, at);
    }
    return last;
  };
  return {
    ...found,
    runs: found.runs.map((run) => ({
      ...run,
      logs: run.logs.map((log) => ({
        ...log,
        read: (context: ReadContext, metric?: string) =>
          orKept(
            `${log.kind} ${metric ?? ""}`,
            log.files,
            () => log.read(context, metric),
            (runs) => runs.map(storedRun),
            (entry) => all(entry.map((run) => restoredRun(run, wants))),
          ),
      })),
    })),
    tables: found.tables.map((table) => ({
      ...table,
      read: (context) =>
        orKept(
          "table",
          [table.file],
          () => table.read(context),
          (rows) => rows,
          (entry) => all(entry.map((row) => (isRow(row) ? row : undefined))),
        ),
    })),
  };
}

const all = <Value>(list: readonly (Value | undefined)[]) =>
  list.every((one) => one !== undefined) ? list : undefined;
