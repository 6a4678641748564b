import { isKnown, type ExperimentBudget } from "../budget/budget";
import type { ScalingFile } from "../configs/scaling/scalingFile";
import type { MeasuredRun } from "../core/cost/calibration";
import type { RunRow, RunSampling, RunTable, RunTiming } from "../core/table";
import { folderOf } from "../syntax/uris";
import { runShape, type SeenOfRun } from "./runShape";

/** A run whose log times its steps, or says how many of its rollouts carry signal. */
export interface TimedRun {
  readonly id: string;
  readonly files: readonly string[];
  readonly parameters: number | null;
  readonly timing?: RunTiming;
  readonly sampling?: RunSampling;
}

/** The timed runs of a table, those without a value among them. */
export function timedRuns(table: RunTable): readonly TimedRun[] {
  const all: readonly Pick<RunRow, "id" | "files" | "axes" | "timing" | "sampling">[] = [
    ...table.rows,
    ...(table.unmeasured ?? []),
  ];
  return all.flatMap(({ id, files, axes, timing, sampling }) =>
    timing || sampling
      ? [{ id, files, parameters: axes.parameters ?? null, ...(timing && { timing }), ...(sampling && { sampling }) }]
      : [],
  );
}

/** Frameworks whose logs count the batches that dynamic sampling generates: without a count, a run drew none anew. */
const COUNTS_BATCHES: ReadonlySet<string> = new Set(["verl", "nemo-rl"]);

/** What logs tell of a config's shape: its own log first, then the runs of its size, then any. */
export function seenOf(runs: readonly TimedRun[], uri: string, budget: ExperimentBudget): SeenOfRun {
  const own = runs.filter((run) => isOwn(run, uri));
  const { parameters } = budget.model;
  const near = ({ parameters: size }: TimedRun): boolean =>
    size !== null && isKnown(parameters) && Math.abs(Math.log(size / parameters.value)) < 0.1;
  // Batches are those of one run's own filter; success is that of any run of the model.
  const others = runs.filter(({ sampling }) => sampling && sampling.generationBatches === undefined);
  const told = [own, others.filter(near), others].map((some) => some.flatMap(({ sampling }) => sampling ?? []));
  return {
    evaluationTimed: own.some(({ timing }) => timing?.secondsPerEvaluation !== undefined),
    sampling: meanOf(told.find((some) => some.length > 0) ?? []),
  };
}

function meanOf(all: readonly RunSampling[]): RunSampling | null {
  if (all.length === 0) return null;
  const keys = ["generationBatches", "withoutSignal", "passRate", "groupSize"] as const;
  return Object.fromEntries(
    keys.flatMap((key) => {
      const values = all.flatMap((one) => one[key] ?? []);
      return values.length === 0 ? [] : [[key, values.reduce((sum, one) => sum + one, 0) / values.length]];
    }),
  );
}

/** Whether a run's log lies beside a config. */
export function isOwn(run: TimedRun, uri: string): boolean {
  return run.files.some((file) => folderOf(file) === folderOf(uri));
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
  const timesEvaluations = runs.some(({ timing }) => timing?.secondsPerEvaluation !== undefined);
  const read = runShape(budget, scaling, { ...seenOf(runs, uri, budget), evaluationTimed: timesEvaluations });
  if (!read.ok || runs.length === 0) return [];
  return runs.flatMap((run): (MeasuredRun & { readonly own: boolean })[] => {
    const own = isOwn(run, uri);
    const { timing, sampling } = run;
    if (timing === undefined) return [];
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
    const drawn =
      sampling?.generationBatches ?? (COUNTS_BATCHES.has(timing.framework ?? "") ? 1 : read.shape.dynamicSampling);
    const shape = {
      ...read.shape,
      ...lengths,
      parameters: size,
      activeParameters: size * share,
      dynamicSampling: drawn,
      promptsPerStep,
      groupSize,
      gpus,
    };
    return [{ ...told, own, shape }];
  });
}
