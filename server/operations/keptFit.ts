import { readFit, type FitFile, type FitOptions } from "../core/fit";
import { hashOf } from "../core/numerics/hash";
import type { Result } from "../core/result";
import type { RunTable } from "../core/table";
import type { RunCache } from "../runs/options";

/** Runs and points of their curves that are told apart: of a larger table the fit is not kept. */
const MOST_TOLD = 200_000;

/** A fit, or the one that was kept of the same runs, options and code: the seed is one of the options, so they are the same to the bit. */
export async function keptFit(
  cache: RunCache | undefined,
  table: RunTable,
  options: FitOptions,
  fit: () => Result<FitFile>,
): Promise<Result<FitFile>> {
  const told = table.rows.reduce((sum, { curve }) => sum + 1 + (curve?.length ?? 0), 0);
  if (!cache || told > MOST_TOLD) return fit();
  const asked = JSON.stringify([table, options]);
  const key = `fit\n${hashOf(asked)} ${asked.length}`;
  const kept = await cache
    .get(key)
    .then((before) => (before === undefined ? undefined : readFit(JSON.parse(before))))
    .catch(() => undefined);
  if (kept?.ok) return kept;
  const made = fit();
  // One that cannot be kept is made again the next time.
  if (made.ok) await cache.set(key, JSON.stringify(made.value)).catch(() => undefined);
  return made;
}
