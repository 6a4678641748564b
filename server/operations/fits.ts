import type { FittedLaw } from "../core/laws/law";
import { openFit, readFit, type FitFile } from "../core/fit";
import { hashOf } from "../core/numerics/hash";
import type { Host } from "../host";
import { joined } from "../syntax/uris";
import type { JobProgress, JobRunner } from "./jobs";
import type { Scaling } from "./scaling";
import type { FitState, LoadedFit } from "../assessment/types";
import type { TableNote } from "../core/table";

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
  if (saved) return loadSaved(request.host, saved, request.fitUri ? request.fitName ?? saved : scaling?.file.fit?.value ?? saved);
  const logs = scaling?.file.logs ?? [];
  if (logs.length > 0 && scaling) return fitFromLogs(request, logs.map(({ value }) => value), scaling);
  return { kind: "none", reason: scaling ? "scaling.yaml names neither a fit nor run logs" : "there is no scaling.yaml that names a fit or run logs" };
}

async function loadSaved(host: Host, uri: string, name: string): Promise<FitState> {
  const bytes = await host.readFile(uri);
  if (!bytes) return { kind: "failed", code: "fit.missing", reason: `${name} is not there`, notes: [] };
  const text = new TextDecoder().decode(bytes);
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return { kind: "failed", code: "fit.not-json", reason: `${name} is not JSON`, notes: [] };
  }
  const read = readFit(json);
  if (!read.ok) return { kind: "failed", code: read.problem.code, reason: `${name}: ${read.problem.message}`, notes: [] };
  return loadedFit(read.value, name, hashOf(text));
}

async function fitFromLogs(request: FitRequest, sources: readonly string[], scaling: Scaling): Promise<FitState> {
  const law = request.law && request.law !== "auto" ? request.law : scaling.file.law?.value ?? "auto";
  const { table, fit } = await request.jobs.run({
    kind: "fit", folderUri: request.folderUri, sources, scalingText: scaling.text,
    options: { law, bootstrap: request.bootstrap, seed: request.seed },
  }, request.onProgress, request.signal);
  const reason = fit.ok ? "" : fit.problem.code === "table.empty" ? `no run with a success rate was found in ${sources.join(", ")}` : fit.problem.message;
  if (!fit.ok) return { kind: "failed", code: fit.problem.code, reason, notes: table.notes };
  return loadedFit(fit.value, sources.join(", "), hashOf(JSON.stringify(fit.value)), table.notes);
}

/** A fit made ready for use. */
export function loadedFit(file: FitFile, name: string, id: string, notes: readonly TableNote[] = []): FitState {
  const opened = openFit(file);
  if (!opened.ok) return { kind: "failed", code: opened.problem.code, reason: `${name}: ${opened.problem.message}`, notes };
  const fit: LoadedFit = {
    id, name, file, law: opened.value, notes,
    runs: file.rows, simulated: file.simulated, prior: file.provenance.kind === "published-recipe",
  };
  return { kind: "ready", fit };
}

/** Laws by setting are opened once a fit. */
const opened = new WeakMap<FitFile, Map<string, FittedLaw>>();

/** The law for a setting, and whether it is the setting's own. Without a fit of its own, the reference's holds. */
export function lawFor(fit: LoadedFit, setting: string): { readonly law: FittedLaw; readonly setting: string; readonly own: boolean } {
  const reference = fit.file.reference;
  if (setting === reference || fit.file.settings.length <= 1) return { law: fit.law, setting: reference, own: setting === reference };
  let laws = opened.get(fit.file);
  if (!laws) opened.set(fit.file, laws = new Map());
  let law = laws.get(setting);
  if (!law) {
    const made = openFit(fit.file, setting);
    if (!made.ok) return { law: fit.law, setting: reference, own: false };
    laws.set(setting, law = made.value);
  }
  return { law, setting, own: true };
}
