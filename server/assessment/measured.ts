import type { RunRow, RunTable } from "../core/table";
import type { Host } from "../host";

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
  return { sources, runs: table.rows.length, files, measured: table.rows.flatMap(measuredRun) };
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

/** What the runs of a model of this size measured: medians, with how many runs are behind each. */
export function measuredFor(
  provenance: Readonly<Record<string, unknown>>,
  parameters: number | null,
): { readonly tokens: Measured | null; readonly gpuHours: Measured | null } {
  const all = Array.isArray(provenance.measured) ? (provenance.measured as MeasuredRun[]) : [];
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
  return {
    tokens: median(same.map((run) => run.tokensPerTrajectory)),
    gpuHours: median(same.map((run) => run.gpuHoursPerRollout)),
  };
}

export interface Measured {
  readonly value: number;
  readonly runs: number;
}
