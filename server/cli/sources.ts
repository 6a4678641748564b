import type { FitOptions } from "../core/fit";
import { readScaling } from "../operations/scaling";
import type { FitJobResult } from "../operations/jobs";
import type { RunTable } from "../core/table";
import type { Arguments, Options } from "./arguments";
import { CACHE_OPTIONS, type Engine } from "./engine";
import { InputError, located } from "./io";
import { safe } from "../report/print/terminal";

/** How run logs are to be read. */
export const RUN_OPTIONS: Options = {
  scaling: {
    kind: "text",
    value: "FILE",
    help: "the scaling.yaml whose metric, columns and facts hold (default: the nearest at or above the first source)",
  },
  ...CACHE_OPTIONS,
};

/** Sources as URIs; an InputError for one that is not there. */
export async function sourceUris(engine: Engine, names: readonly string[]): Promise<string[]> {
  const uris: string[] = [];
  for (const name of names) {
    const uri = engine.uri(name);
    if (!(await engine.host.stat(uri))) throw new InputError("there is no such file or folder", { file: name });
    uris.push(uri);
  }
  return uris;
}

async function scalingText(
  engine: Engine,
  args: Arguments,
  first: string,
): Promise<{ folderUri: string; scalingText?: string }> {
  const named = args.text("scaling");
  if (named !== undefined) return { folderUri: folderOf(engine.uri(named)), scalingText: await engine.text(named) };
  const own = await readScaling(engine.host, first);
  if (own) return { folderUri: first, scalingText: own.text };
  const { folderUri, scaling } = await engine.scalingFor(first);
  return { folderUri, ...(scaling && { scalingText: scaling.text }) };
}

function folderOf(uri: string): string {
  return uri.slice(0, uri.lastIndexOf("/"));
}

/** Reads the sources into a run table and fits it. */
export async function readSources(engine: Engine, args: Arguments, options: FitOptions): Promise<FitJobResult> {
  const sources = await sourceUris(engine, args.positional);
  const where = await scalingText(engine, args, sources[0]);
  const provenance = { sources: args.positional, seed: options.seed ?? 1 };
  return engine.jobs
    .run({ kind: "fit", sources, ...where, options: { ...options, provenance } }, engine.progress())
    .finally(() => engine.endProgress());
}

/** Reads the sources into a run table. */
export async function readTable(engine: Engine, args: Arguments): Promise<RunTable> {
  const sources = await sourceUris(engine, args.positional);
  const where = await scalingText(engine, args, sources[0]);
  const { table } = await engine.jobs
    .run({ kind: "read-runs", sources, ...where }, engine.progress())
    .finally(() => engine.endProgress());
  return table;
}

/** Prints what was skipped or doubted, one located line each. */
export function notesOf(engine: Engine, { notes }: Pick<RunTable, "notes">, everything = false): void {
  for (const { severity, code, message, file, line, column } of notes) {
    if (severity === "information" && !everything) continue;
    engine.io.err(
      located(
        { file: file === undefined ? undefined : safe(engine.shown(file)), line, column },
        `${severity} ${code}: ${safe(message)}`,
      ),
    );
  }
}
