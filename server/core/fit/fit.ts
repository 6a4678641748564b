import { ok, refused, type Problem, type Result } from "../result";
import type { RunTable } from "../table";
import { assemble } from "./assemble";
import { concludeAll } from "./concludeAll";
import { prepare } from "./data/prepare";
import { checkReward } from "./data/reward";
import { MANY_ROWS } from "./explore/explore";
import type { Plan } from "./explore/plan";
import type { FitFile } from "./file/file";
import type { FitOptions, Progress } from "./options";
import { settled } from "./settled";
import { onRealData } from "./synthetic";
import { tryLaws } from "./tryLaws";

/** Fewer draws give no 95 % interval; more only fill the file. */
const LEAST_DRAWS = 20,
  MOST_DRAWS = 20_000;

/**
 * Fits scaling laws to a table of runs. Never throws. Codes: `table.*`, `outcome.*`, `axes.*`, `law.*`, `loss.*`,
 * `runs.unconverged`, `fit.cancelled`.
 */
export function fitTable(table: RunTable, options: FitOptions = {}, progress: Progress = () => true): Result<FitFile> {
  // Phase 1: the runs that count, in the units of the laws.
  const prepared = prepare(table, options.axes);
  if (!prepared.ok) return prepared;
  const { response, axes } = prepared.value;
  const warnings: Problem[] = [...prepared.value.warnings];
  const seed = Number.isFinite(options.seed) ? options.seed! : 1;
  if (options.huberDelta !== undefined && !(options.huberDelta > 0 && Number.isFinite(options.huberDelta)))
    return refused("loss.huber-delta", "Huber's δ is a positive number.");
  const converged = settled(prepared.value.runs, seed, options.convergence ?? "keep", warnings);
  if (!converged.ok) return converged;
  const reward = checkReward(converged.value, axes);
  warnings.push(...reward.warnings);
  const runs = reward.runs;
  const plan: Plan = {
    response,
    axes,
    law: options.law ?? "auto",
    mode: options.mode ?? "auto",
    seed,
    starts: Math.min(Math.max(Math.round(options.starts ?? 50) || 50, 1), 2000),
    control: false,
    ...(options.custom ? { custom: options.custom } : {}),
    ...(options.loss ? { loss: options.loss } : {}),
    ...(options.huberDelta === undefined ? {} : { huberDelta: options.huberDelta }),
    ...(options.priors ? { priors: options.priors } : {}),
  };
  const planOf = (setting: string): Plan => ({ ...plan, control: reward.controlled.has(setting) });

  const onReal = onRealData(runs, axes, warnings);
  if (onReal.length === 0) return refused("table.no-usable-rows", "No run has real data to measure synthetic data by.");

  const sizeOf = (setting: string) => runs.filter((run) => run.setting === setting).length;
  const tried = tryLaws(onReal, sizeOf, planOf, progress);
  if (!tried.ok) return tried;
  const { explored, without, choice, words } = tried.value;
  const several = explored.length + without.length > 1;
  warnings.push(...tried.value.warnings, ...choice.warnings);
  // Over thousands of runs intervals are narrow and refits slow: fewer do.
  const asked =
      options.bootstrap ?? (explored.some((one) => !one.posterior && one.runs.length > MANY_ROWS) ? 400 : 1000),
    count = Number.isFinite(asked) ? Math.min(Math.max(Math.round(asked), LEAST_DRAWS), MOST_DRAWS) : 1000;
  if (count !== asked)
    warnings.push({ code: "draws.adjusted", message: `${asked} draws were asked for; ${count} are made.` });
  const done = concludeAll({ explored, choice, several }, onReal, planOf, count, progress);
  if (!done.ok) return done;
  const { concluded, synthesis } = done.value;
  warnings.push(...done.value.warnings);
  const { selection } = choice;
  return ok(
    assemble(
      { plan, planOf, options, concluded, without, words, selection, synthesis, runs, onReal, count, several },
      warnings,
    ),
  );
}
