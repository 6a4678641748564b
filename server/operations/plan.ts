import * as z from "zod";
import type { ScalingFile } from "../configs/scaling/scalingFile";
import { planNextRuns, type PlanRequest, type RunPlan } from "../core/plan";
import { sequenceRuns, type RunSequence } from "../core/plan/sequence";
import { isKnown } from "../budget/budget";
import { costModel, type CostInputs, type CostModel } from "../core/cost";
import { ok, refused, type Result } from "../core/result";
import { costIn } from "../assessment/caps";
import { levelsOf } from "../assessment/costs";
import { wholeNumbers } from "../assessment/edits/whole";
import type { ExperimentAssessment } from "../assessment/types";
import { notReadJson } from "../assessment/unreadSources";
import { computeMode } from "./amount";
import type { Engine, Judged } from "./engine";
import { experiment, file, fitChoice } from "./fields";
import { InputError } from "./inputError";
import type { Operation } from "./operation";
import { runFiles, type RunFiles } from "./planFiles";

export interface PlanOptions {
  /** At most this many runs. Default 27. */
  readonly runs?: number;
  /** At most this for all of them: a number in the unit of the cost model, or an amount such as `600 GPUh`. */
  readonly budget?: number | string;
  readonly seed?: number;
}

/**
 * A plan's request to core; the same for a design and for runs in a row. No run is smaller than one training step. Codes: those of
 * the cost model and of amounts.
 */
function requestFor(
  experiment: ExperimentAssessment,
  scaling: ScalingFile | null,
  { budget: most, ...options }: PlanOptions,
): Result<PlanRequest> {
  const { budget, law, inputs } = experiment;
  const current = levelsOf(budget);
  if (Object.keys(current).length === 0) return refused("plan.no-axes", "No amount of this experiment is known.");
  const cost = costModel(inputs);
  if (!cost.ok) return cost;
  const limit = most === undefined ? ok(null) : spendable(most, cost.value, inputs);
  if (!limit.ok) return limit;
  const limits = Object.fromEntries(
    Object.entries(scaling?.limits ?? {}).flatMap(([axis, limit]) =>
      limit ? [[axis, [limit.low, limit.high] as const]] : [],
    ),
  );
  const { least } = wholeNumbers(budget, null);
  const step = { ...least, ...(isKnown(budget.promptsPerStep) && { tasks: budget.promptsPerStep.value }) };
  for (const [axis, low] of Object.entries(step)) {
    const [from, to] = limits[axis] ?? [null, null];
    if (low > 1 && low <= (to ?? Infinity)) limits[axis] = [Math.max(from ?? low, low), to];
  }
  // The published recipe rests on one run: its law values runs, but no axis is known yet.
  return ok({
    law: law?.law ?? null,
    cost: cost.value,
    current,
    limits,
    pins: scaling?.pin,
    unvaried: law && !law.fit.prior ? law.unvaried : undefined,
    existing: law && !law.fit.prior ? law.fit.file.runs.map((run) => run.axes) : undefined,
    ...options,
    ...limit.value,
  });
}

/** A budget for experiments, and what is counted of a run against it: GPU-hours and FLOPs buy no data. */
function spendable(
  most: number | string,
  cost: CostModel,
  inputs: CostInputs,
): Result<Pick<PlanRequest, "budget" | "budgetCost">> {
  const plain = Number(most);
  if (Number.isFinite(plain))
    return plain > 0 ? ok({ budget: plain }) : refused("amount.not-positive", "The budget must be above 0.");
  const read = computeMode(String(most));
  if (!read.ok) return read;
  const { amount, unit } = read.value;
  if (unit === cost.unit) return ok({ budget: amount });
  const counted = costIn(inputs, unit);
  return counted.ok ? ok({ budget: amount, budgetCost: counted.value }) : counted;
}

/** Runs in a row, best first, until one is not worth its cost. */
function sequenceFor(
  experiment: ExperimentAssessment,
  scaling: ScalingFile | null,
  runs: number,
  options: PlanOptions = {},
): Result<RunSequence> {
  const request = requestFor(experiment, scaling, options);
  return request.ok ? sequenceRuns(request.value, runs) : request;
}

/** What to run next around an experiment: from its fit where there is one, else the default small factorial. Codes: those of core's plan and cost model. */
export function planFor(
  experiment: ExperimentAssessment,
  scaling: ScalingFile | null,
  options: PlanOptions = {},
): Result<RunPlan> {
  const request = requestFor(experiment, scaling, options);
  return request.ok ? planNextRuns(request.value) : request;
}

const input = z.strictObject({
  file,
  experiment,
  runs: z.int().min(1).optional().describe("at most this many runs"),
  budget: z
    .union([z.number().positive(), z.string().min(1)])
    .optional()
    .describe("at most this for all of them: 600 GPUh, 2000 USD, or a number in the unit of the costs"),
  write: z
    .string()
    .min(1)
    .optional()
    .describe(
      "a folder: the best runs in a row become configs in it, until one is not worth its cost (4 without `runs`)",
    ),
  ...fitChoice,
});

export interface Planned {
  readonly config: Judged;
  readonly plans: readonly { readonly experiment: ExperimentAssessment; readonly planned: Result<RunPlan> }[];
  /** Where configs were asked for. */
  readonly written: { readonly experiment: string; readonly sequence: RunSequence; readonly files: RunFiles } | null;
}

/** Runs that are written where no number is given. */
const FEW = 4;

/** The best runs in a row as files, not yet written. Codes: those of the plan. */
export async function plannedFiles(
  engine: Pick<Engine, "host" | "grammars">,
  config: Pick<Judged, "assessment" | "folderUri" | "scaling">,
  experiment: ExperimentAssessment,
  into: string,
  { runs = FEW, ...options }: PlanOptions,
): Promise<Result<{ readonly sequence: RunSequence; readonly files: RunFiles }>> {
  const { document } = config.assessment;
  const sequence = sequenceFor(experiment, config.scaling?.file ?? null, runs, options);
  if (!sequence.ok) return sequence;
  const written = await runFiles(
    {
      ...engine,
      document,
      experiment,
      fit: config.assessment.fit,
      scaling: config.scaling,
      folderUri: config.folderUri,
      into,
    },
    sequence.value.runs.map(({ levels }) => levels),
  );
  return written.ok ? ok({ sequence: sequence.value, files: written.value }) : written;
}

export const plan: Operation<z.infer<typeof input>, Planned> = {
  name: "plan",
  summary: "which runs to make next, and what each is worth",
  input,
  writes: true,
  async run(engine, { file: name, experiment: wanted, runs, budget, write, ...choice }, signal) {
    const config = await engine.judge(name, choice, undefined, signal);
    const { experiments } = config.assessment;
    if (experiments.length === 0)
      throw new InputError("no experiment budget was recognised in this file", { file: name });
    const chosen = experiments.filter((one) => wanted === undefined || one.budget.name === wanted);
    if (chosen.length === 0) throw new InputError(`there is no experiment "${wanted ?? ""}"`, { file: name });
    const into = write === undefined ? undefined : engine.uri(write).replace(/\/$/, "");
    return {
      config,
      written:
        into === undefined ? null : await writeRuns(engine, config, chosen, into, { runs, budget, seed: choice.seed }),
      plans:
        into !== undefined
          ? []
          : chosen.map((one) => ({
              experiment: one,
              planned: planFor(one, config.scaling?.file ?? null, {
                runs,
                budget,
                seed: choice.seed,
              }),
            })),
    };
  },
  /** One object for one experiment, a list for several. */
  json({ config, plans, written }, engine) {
    const { file: name } = config;
    const lacking = notReadJson([config]);
    if (written)
      return {
        file: name,
        experiment: written.experiment,
        written: {
          ...written.sequence,
          runs: written.files.runs.map((run, i) => ({
            ...written.sequence.runs[i],
            ...run,
            config: engine.shown(run.config),
          })),
          files: written.files.files.map(({ uri }) => engine.shown(uri)),
        },
        ...lacking,
      };
    const all = plans.map(({ experiment: { budget }, planned }) =>
      planned.ok
        ? { file: name, experiment: budget.name, ...planned.value, ...lacking }
        : { file: name, experiment: budget.name, plan: null, refused: planned.problem, ...lacking },
    );
    return all.length === 1 ? all[0] : all;
  },
};

/** Files are written together or, as far as can be seen before, not at all. */
async function writeAll({ host, shown }: Engine, files: RunFiles["files"]): Promise<void> {
  const write = host.writeFile?.bind(host);
  for (const { uri, before } of files) {
    const stop = (why: string) => new InputError(`${why}: nothing was written`, { file: shown(uri) });
    if (!write) throw stop("nothing may be written here");
    const now = before === null ? undefined : await host.readFile(uri);
    if (before === null && (await host.stat(uri)) !== undefined) throw stop("this file is there already");
    if (before !== null && !(now && sameText(now, before)))
      throw stop("it has been changed since it was read, or is not UTF-8");
    const why = await host.whyNotWritten?.(uri);
    if (why !== undefined) throw stop(`this cannot be written (${why})`);
  }
  // What is changed comes first: a run without the facts that it needs would be taken for another.
  const changedFirst = [...files].sort((a, b) => Number(a.before === null) - Number(b.before === null));
  for (const { uri, text } of changedFirst)
    try {
      await write?.(uri, new TextEncoder().encode(text));
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new InputError(`the run cannot be written: ${why}`, { file: shown(uri) });
    }
}

/** Whether the bytes are those of a text, and nothing was lost when it was read. */
function sameText(bytes: Uint8Array, text: string): boolean {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes) === text;
  } catch {
    return false;
  }
}

async function writeRuns(
  engine: Engine,
  config: Judged,
  chosen: readonly ExperimentAssessment[],
  into: string,
  options: PlanOptions,
): Promise<NonNullable<Planned["written"]>> {
  if (chosen.length > 1) throw new InputError("name one experiment to write its runs", { file: config.file });
  const planned = await plannedFiles(engine, config, chosen[0], into, options);
  if (!planned.ok) throw new InputError(`no plan: ${planned.problem.message}`, { file: config.file });
  const { host } = engine;
  if (!host.writeFile) throw new InputError("nothing may be written here", { file: engine.shown(into) });
  const { files } = planned.value.files;
  await writeAll(engine, files);
  return { experiment: chosen[0].budget.name, ...planned.value };
}
