import { isKnown, type ExperimentBudget } from "../budget/budget";
import type { ScalingFile } from "../configs/scaling/scalingFile";
import type { MeasuredRun } from "../core/cost/calibration";
import type { RunRow, RunTable, RunTiming } from "../core/table";
import { folderOf } from "../syntax/uris";
import { runShape } from "./runShape";

/** A run whose log times its steps. */
export interface TimedRun {
  readonly id: string;
  readonly files: readonly string[];
  readonly parameters: number | null;
  readonly timing: RunTiming;
}

/** The timed runs of a table, those without a value among them. */
export function timedRuns(table: RunTable): readonly TimedRun[] {
  const all: readonly Pick<RunRow, "id" | "files" | "axes" | "timing">[] = [...table.rows, ...(table.unmeasured ?? [])];
  return all.flatMap(({ id, files, axes, timing }) =>
    timing ? [{ id, files, parameters: axes.parameters ?? null, timing }] : [],
  );
}

/**
 * What timed runs tell of a config: its own log (in the same folder) with the config's own shape, others with their size,
 * batch, GPUs and lengths, and otherwise as this one. Runs without lengths or batch tell nothing of another config.
 */
export function measuredRuns(
  runs: readonly TimedRun[],
  uri: string,
  budget: ExperimentBudget,
  scaling: ScalingFile | null,
): readonly (MeasuredRun & { readonly own: boolean })[] {
  const read = runShape(
    budget,
    scaling,
    runs.some(({ timing }) => timing.secondsPerEvaluation !== undefined),
  );
  if (!read.ok || runs.length === 0) return [];
  const folder = folderOf(uri);
  return runs.flatMap((run): (MeasuredRun & { readonly own: boolean })[] => {
    const own = run.files.some((file) => folderOf(file) === folder);
    const { timing } = run;
    const lengths = {
      promptTokens: timing.promptTokens ?? read.shape.promptTokens,
      responseTokens: timing.responseTokens ?? read.shape.responseTokens,
    };
    const told = {
      id: run.id,
      framework: timing.framework ?? null,
      steps: timing.steps,
      secondsPerStep: timing.secondsPerStep,
      phases: timing.phases,
      secondsPerEvaluation: timing.secondsPerEvaluation ?? null,
      variation: timing.variation ?? null,
    };
    if (own) return [{ ...told, own, shape: { ...read.shape, ...lengths } }];
    const { promptsPerStep, groupSize, gpus } = timing;
    const size = run.parameters ?? (isKnown(budget.model.parameters) ? budget.model.parameters.value : null);
    if (size === null || promptsPerStep === undefined || groupSize === undefined || gpus === undefined) return [];
    const share = read.shape.activeParameters / read.shape.parameters;
    const shape = {
      ...read.shape,
      ...lengths,
      parameters: size,
      activeParameters: size * share,
      promptsPerStep,
      groupSize,
      gpus,
    };
    return [{ ...told, own, shape }];
  });
}
