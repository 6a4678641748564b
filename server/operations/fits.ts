import { isLacking, isUnread } from "../assessment/unreadSources";
import { loadedFit } from "../assessment/law";
import { readFit } from "../core/fit";
import { hashOf } from "../core/numerics/hash";
import { readText, type Host, shownSource } from "../host";
import { joined, pathWithin } from "../syntax/uris";
import type { JobProgress, JobRunner } from "./jobs";
import type { Scaling } from "./scaling";
import type { FitState } from "../assessment/types";

/** The draws of a fit are a few megabytes at most. */
export const MOST_FIT_BYTES = 32 * 1024 * 1024;

export interface FitRequest {
  readonly host: Host;
  readonly jobs: JobRunner;
  readonly folderUri: string;
  readonly scaling: Scaling | null;
  /** `auto`, or a law asked for by the user: wins over `scaling.yaml`'s. */
  readonly law?: string;
  readonly bootstrap?: number;
  readonly seed?: number;
  /** A fit that wins over `scaling.yaml`'s, such as `--fit`. */
  readonly fitUri?: string;
  /** What that fit is called wherever it is named; its address otherwise. */
  readonly fitName?: string;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: JobProgress) => void;
}

/** The fit that holds for a folder: a saved one, or one made from its run logs. Rejects only when cancelled or when a worker dies. */
export async function loadFit(request: FitRequest): Promise<FitState> {
  const { scaling, folderUri } = request;
  const saved = request.fitUri ?? (scaling?.file.fit ? joined(folderUri, scaling.file.fit.value) : null);
  if (saved)
    return loadSaved(
      request.host,
      saved,
      request.fitUri ? (request.fitName ?? saved) : (scaling?.file.fit?.value ?? saved),
    );
  const logs = scaling?.file.logs ?? [];
  if (logs.length > 0 && scaling)
    return fitFromLogs(
      request,
      logs.map(({ value }) => value),
      scaling,
    );
  return {
    kind: "none",
    reason: scaling
      ? "scaling.yaml names neither a fit nor run logs"
      : "there is no scaling.yaml that names a fit or run logs",
  };
}

async function loadSaved(host: Host, uri: string, name: string): Promise<FitState> {
  const text = await readText(host, uri, MOST_FIT_BYTES);
  if (text === undefined)
    return (await host.stat(uri))
      ? { kind: "failed", code: "fit.damaged", reason: `${name} is no file, or larger than any fit`, notes: [] }
      : { kind: "failed", code: "fit.missing", reason: `${name} is not there`, notes: [] };
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return { kind: "failed", code: "fit.not-json", reason: `${name} is not JSON`, notes: [] };
  }
  const read = readFit(json);
  if (!read.ok)
    return { kind: "failed", code: read.problem.code, reason: `${name}: ${read.problem.message}`, notes: [] };
  return loadedFit(read.value, name, hashOf(text));
}

async function fitFromLogs(request: FitRequest, sources: readonly string[], scaling: Scaling): Promise<FitState> {
  const law = request.law && request.law !== "auto" ? request.law : (scaling.file.law?.value ?? "auto");
  const { table, timed, fit } = await request.jobs.run(
    {
      kind: "fit",
      folderUri: request.folderUri,
      sources,
      scalingText: scaling.text,
      options: { law, bootstrap: request.bootstrap, seed: request.seed },
    },
    request.onProgress,
    request.signal,
  );
  const name = sources.map(shownSource).join(", ");
  const trouble = table.notes.find(isUnread);
  const reason = fit.ok
    ? ""
    : fit.problem.code !== "table.empty"
      ? fit.problem.message
      : trouble
        ? `${trouble.file === undefined ? name : (pathWithin(request.folderUri, trouble.file) ?? trouble.file)}: ${trouble.message.replace(/\.$/, "")}`
        : `no run with a success rate was found in ${name}`;
  if (!fit.ok) return { kind: "failed", code: fit.problem.code, reason, notes: table.notes, timed };
  const state = loadedFit(
    fit.value,
    name,
    hashOf(JSON.stringify([fit.value, table.notes.filter(isLacking)])),
    table.notes,
  );
  return state.kind === "ready" ? { ...state, fit: { ...state.fit, timed } } : state;
}
