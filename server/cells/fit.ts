import type { FitQuery } from "../configs/cells/read";
import { readQuery } from "../configs/cells/read";
import type { Span } from "../syntax/text";
import { joined } from "../syntax/uris";
import type { RunTable } from "../core/table";
import { Notes } from "../records/notes";
import { walk, type FoundDirectory } from "../sources/files/walk";
import { loadFit } from "../operations/fits";
import { loadedFit } from "../assessment/law";
import { hashOf } from "../core/numerics/hash";
import { resolveSources } from "../operations/globs";
import type { FitState, LoadedFit } from "../assessment/types";
import { QueryFailure, type CellFit, type QueryContext } from "./types";

/** The fit of a cell: its own, that of the nearest cell above with one, or that of `scaling.yaml`. */
export async function fitOfCell(
  own: FitQuery | undefined,
  above: readonly string[],
  place: Span | undefined,
  context: QueryContext,
): Promise<CellFit> {
  const nearest =
    own ??
    [...above]
      .reverse()
      .map((text) => readQuery(text).query.fit)
      .find((fit) => fit !== undefined);
  if (nearest?.file)
    return {
      fit: ready(await loadFit({ ...context, fitUri: joined(context.baseUri, nearest.file) }), place),
      files: {},
    };
  if (nearest?.logs) return fitFromLogs(nearest, nearest.logs, place, context);
  return {
    fit: ready(
      await context.defaultFit(),
      place,
      'Say `fit: { logs: "runs/**" }` in this cell or one above, or name a fit in scaling.yaml.',
    ),
    files: {},
  };
}

function ready(state: FitState, place: Span | undefined, advice = ""): LoadedFit {
  if (state.kind === "ready") return state.fit;
  throw new QueryFailure(`No scaling fit: ${state.reason.replace(/\.$/, "")}.${advice ? ` ${advice}` : ""}`, place);
}

async function fitFromLogs(
  query: FitQuery,
  logs: readonly string[],
  place: Span | undefined,
  context: QueryContext,
): Promise<CellFit> {
  const { host, jobs, signal, memory, baseUri } = context;
  context.onProgress({ label: "Looking for runs", share: 0 });
  const sources = await resolveSources(host, baseUri, logs, signal);
  if (sources.length === 0) throw new QueryFailure(`Nothing matches ${logs.join(", ")}.`, place);
  const scalingText = scalingTextFor(query, context.scaling?.text);
  const key = hashOf(JSON.stringify([query, scalingText ?? null, await fingerprint(sources, context)]));
  const known = memory.fits.get(key);
  if (known) return known;
  const { table, fit } = await jobs.run(
    {
      kind: "fit",
      folderUri: context.folderUri,
      sources,
      ...(scalingText === undefined ? {} : { scalingText }),
      ...(query.by ? { by: query.by as ("model" | "algorithm" | "domain")[] } : {}),
      options: {
        law: query.law ?? context.scaling?.file.law?.value ?? "auto",
        ...(query.axes ? { axes: query.axes } : {}),
        ...(query.loss ? { loss: query.loss as "binomial" } : {}),
        ...(query.huberDelta === undefined ? {} : { huberDelta: query.huberDelta }),
        ...(query.bootstrap === undefined ? {} : { bootstrap: query.bootstrap }),
        ...(query.seed === undefined ? {} : { seed: query.seed }),
      },
    },
    context.onProgress,
    signal,
  );
  if (!fit.ok) throw new QueryFailure(`No scaling fit: ${fit.problem.message}`, place);
  const opened = ready(loadedFit(fit.value, logs.join(", "), key, table.notes), place);
  const made = { fit: opened, files: filesOf(table, baseUri) };
  memory.fits.set(key, made);
  return made;
}

/** What a cell says about the metric wins over `scaling.yaml`: the last of two equal keys counts. */
function scalingTextFor({ metric, final }: FitQuery, text: string | undefined): string | undefined {
  if (metric === undefined && final === undefined) return text;
  return `${text ?? ""}\n${metric === undefined ? "" : `metric: ${JSON.stringify(metric)}\n`}${final === undefined ? "" : `final: ${final}\n`}`;
}

/** Names, sizes and times of every file that the fit may rest on: changes when any of them does. */
async function fingerprint(sources: readonly string[], { host, signal }: QueryContext): Promise<readonly string[]> {
  const found: string[] = [];
  const visit = (directory: FoundDirectory): void => {
    for (const { uri, size, modified } of directory.files) found.push(`${uri} ${size} ${modified}`);
    directory.directories.forEach(visit);
  };
  for (const source of sources) {
    const about = await host.stat(source);
    if (about?.kind === "directory") visit(await walk(host, source, new Notes(), signal));
    else if (about) found.push(`${source} ${about.size} ${about.modified}`);
  }
  return found;
}

/** Most files to name for a run: a click opens them. */
const MOST_FILES = 3;

function filesOf(table: RunTable, baseUri: string): Record<string, readonly string[]> {
  return Object.fromEntries(
    table.rows.map((row) => [row.id, row.files.slice(0, MOST_FILES).map((uri) => relative(uri, baseUri))]),
  );
}

/** A URI as a path relative to a folder, where it is in it; spaces stay encoded, since names are joined by spaces. */
function relative(uri: string, baseUri: string): string {
  const base = `${baseUri.replace(/\/$/, "")}/`;
  return uri.startsWith(base) ? uri.slice(base.length) : uri;
}
