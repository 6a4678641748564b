import { plural } from "../core/numbers";
import { shownSource } from "../host";
import { isKnown, known, type ExperimentBudget } from "../budget/budget";
import type { RunRow, RunTable } from "../core/table";
import type { Host } from "../host";
import { timesToKeep } from "./keptTimes";
import type { TimedRun } from "./timedRuns";

/** Larger files are told by size and date instead of being read again. */
const LARGEST_HASHED = 64 * 1024 * 1024;
const MOST_FILES = 2000;

/** What a run measured of its own cost, kept with the fit for budgets of the same model. */
interface MeasuredRun {
  readonly parameters?: number;
  readonly tokensPerTrajectory?: number;
  /** Training included. */
  readonly gpuHoursPerRollout?: number;
}

export interface Provenance {
  readonly sources: readonly string[];
  readonly runs: number;
  readonly files: readonly { readonly file: string; readonly sha256?: string; readonly size?: number }[];
  readonly measured: readonly MeasuredRun[];
  readonly timed?: readonly TimedRun[];
}

/** Where a fit comes from: the files it was read from, with their hashes, and what its runs measured of their cost. */
export async function provenanceOf(
  host: Host,
  folderUri: string,
  sources: readonly string[],
  table: RunTable,
  signal?: AbortSignal,
): Promise<Provenance> {
  const uris = [...new Set(table.rows.flatMap((row) => row.files))].slice(0, MOST_FILES);
  const files: Provenance["files"][number][] = [];
  for (const uri of uris) {
    signal?.throwIfAborted();
    files.push({
      file: uri.startsWith(`${folderUri}/`) ? uri.slice(folderUri.length + 1) : uri,
      ...(await fingerprint(host, uri)),
    });
  }
  return {
    sources: sources.map(shownSource),
    runs: table.rows.length,
    files,
    measured: table.rows.flatMap(measuredRun),
    ...timesToKeep(table),
  };
}

async function fingerprint(host: Host, uri: string): Promise<{ sha256?: string; size?: number }> {
  const stat = await host.stat(uri);
  if (!stat) return {};
  // `crypto.subtle` is missing on pages without a secure context: the size then stands alone.
  const subtle = (globalThis.crypto as Crypto | undefined)?.subtle;
  if (stat.size > LARGEST_HASHED || !subtle) return { size: stat.size };
  const bytes = await host.readFile(uri);
  if (!bytes) return { size: stat.size };
  const digest = await subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>);
  return {
    size: stat.size,
    sha256: [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join(""),
  };
}

function measuredRun({ axes, tokensPerTrajectory, gpuHours }: RunRow): MeasuredRun[] {
  const rollouts =
    axes.tasks !== undefined && axes.trajectories !== undefined ? axes.tasks * axes.trajectories : undefined;
  const gpuHoursPerRollout = gpuHours !== undefined && rollouts ? gpuHours / rollouts : undefined;
  if (tokensPerTrajectory === undefined && gpuHoursPerRollout === undefined) return [];
  return [
    {
      ...(axes.parameters !== undefined && { parameters: axes.parameters }),
      ...(tokensPerTrajectory !== undefined && { tokensPerTrajectory }),
      ...(gpuHoursPerRollout !== undefined && { gpuHoursPerRollout }),
    },
  ];
}

/**
 * What the runs of a model of this size measured: medians, with how many runs are behind each. Runs whose trajectories are
 * longer than the config lets them be (`tooLong`) tell neither its tokens nor its hours.
 */
export function measuredFor(provenance: Readonly<Record<string, unknown>>, budget: ExperimentBudget): MeasuredMeans {
  const all = Array.isArray(provenance.measured) ? (provenance.measured as MeasuredRun[]) : [];
  const parameters = budget.model.parameters.value;
  const same = all.filter(
    (run) =>
      parameters !== null && run.parameters !== undefined && Math.abs(Math.log(run.parameters / parameters)) < 0.1,
  );
  const median = (values: readonly (number | undefined)[]): Measured | null => {
    const known = values
      .filter((value): value is number => typeof value === "number" && value > 0)
      .sort((a, b) => a - b);
    return known.length === 0 ? null : { value: known[known.length >> 1], runs: known.length };
  };
  const tokens = median(same.map((run) => run.tokensPerTrajectory));
  const most = longestTrajectory(budget);
  if (tokens && most !== null && tokens.value > most) return { tokens: null, gpuHours: null, tooLong: tokens };
  return { tokens, gpuHours: median(same.map((run) => run.gpuHoursPerRollout)) };
}

/**
 * Tokens that no trajectory of the config can exceed: prompt + response, where the limit on the response holds for all of
 * it. Null where turns add text (of tools, of a history) that no limit counts, and where a limit is not known.
 */
function longestTrajectory({ maxPromptTokens, maxResponseTokens, responseScope, maxTurns, cost }: ExperimentBudget) {
  const wholeTrajectory = responseScope === "trajectory" || (responseScope === "turn" && maxTurns.value === 1);
  const turnsOfTheirOwn = cost.independentTurns?.value === true && maxTurns.value !== 1;
  if (!wholeTrajectory || turnsOfTheirOwn || !isKnown(maxPromptTokens) || !isKnown(maxResponseTokens)) return null;
  return maxPromptTokens.value + maxResponseTokens.value;
}

/** A bound from the limits gives way to what runs of the same model measured; a stated mean does not. */
export function withMeasuredTokens(
  budget: ExperimentBudget,
  { tokens, tooLong }: Pick<MeasuredMeans, "tokens" | "tooLong">,
): ExperimentBudget {
  const fact = budget.tokensPerTrajectory;
  if (isKnown(fact) && fact.source !== "derived") return budget;
  if (tooLong && isKnown(fact)) {
    const other = `the fit's runs are of another length: ${Math.round(tooLong.value)} tokens, median of ${plural(tooLong.runs, "run")}`;
    return { ...budget, tokensPerTrajectory: { ...fact, note: fact.note ? `${fact.note}; ${other}` : other } };
  }
  if (!tokens) return budget;
  const note = `measured: median of ${plural(tokens.runs, "run")} of this model size`;
  return { ...budget, tokensPerTrajectory: known(tokens.value, "derived", { note }) };
}

interface MeasuredMeans {
  readonly tokens: Measured | null;
  readonly gpuHours: Measured | null;
  readonly tooLong?: Measured;
}

export interface Measured {
  readonly value: number;
  readonly runs: number;
}
