import type { RunTable, TableNote } from "../core/table";
import { readScalingFile } from "../configs/scaling/scalingFile";
import { isRemote } from "../host";
import { folderOf } from "../syntax/uris";
import type { Engine } from "./engine";
import { InputError, missing } from "./inputError";
import { isAddress } from "../sources";
import { storeUri } from "./globs";
import { readScaling } from "./scaling";

/** Sources as addresses. An InputError for one that is not there. */
export async function sourceUris(engine: Engine, names: readonly string[]): Promise<string[]> {
  const uris: string[] = [];
  for (const name of names) {
    if (isAddress(name)) {
      if (isRemote(name) && !engine.remote)
        throw new InputError("it lies outside the folder, and nothing on servers is read here", { file: name });
      uris.push(storeUri(engine.uri("."), name));
      continue;
    }
    const uri = engine.uri(name);
    if (!(await engine.host.stat(uri))) throw await missing(engine.host, uri, "file or folder", name);
    uris.push(uri);
  }
  return uris;
}

/**
 * What is read, and by which scaling.yaml: the one that is named, or the nearest at or above the first source. Where no source
 * is named, the logs that the scaling.yaml here names.
 */
export async function runsRequest(
  engine: Engine,
  names: readonly string[],
  scalingName: string | undefined,
): Promise<{ readonly sources: readonly string[]; readonly folderUri: string; readonly scalingText?: string }> {
  if (names.length === 0) return namedLogs(engine, scalingName);
  const sources = await sourceUris(engine, names);
  if (scalingName !== undefined)
    return { sources, folderUri: folderOf(engine.uri(scalingName)), scalingText: await engine.text(scalingName) };
  const own = isAddress(sources[0]) ? null : await readScaling(engine.host, sources[0]);
  if (own) return { sources, folderUri: sources[0], scalingText: own.text };
  const { folderUri, scaling } = await engine.scalingFor(
    isAddress(sources[0]) ? engine.uri("scaling.yaml") : sources[0],
  );
  return { sources, folderUri, ...(scaling && { scalingText: scaling.text }) };
}

async function namedLogs(engine: Engine, scalingName: string | undefined) {
  const here = engine.uri(".").replace(/\/+$/, "");
  const { folderUri, scaling } =
    scalingName === undefined ? await engine.scalingFor(`${here}/scaling.yaml`) : await scalingOf(engine, scalingName);
  const logs = scaling?.file.logs.map(({ value }) => value) ?? [];
  if (!scaling || logs.length === 0)
    throw new InputError(
      scaling
        ? "no source is named, and scaling.yaml names no logs"
        : "name at least one folder of runs or one table, or `logs:` in a scaling.yaml here",
    );
  return { sources: logs, folderUri, scalingText: scaling.text };
}

async function scalingOf(engine: Engine, name: string) {
  const uri = engine.uri(name);
  const text = await engine.text(name);
  return { folderUri: folderOf(uri), scaling: { file: readScalingFile(uri, text), text } };
}

/** The notes of a table, their files by the names that a person knows. */
export function shownNotes(engine: Engine, { notes }: Pick<RunTable, "notes">): readonly TableNote[] {
  return notes.map((note) => (note.file === undefined ? note : { ...note, file: engine.shown(note.file) }));
}
