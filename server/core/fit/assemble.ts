import type { AxisName } from "../axes";
import { softError } from "../laws/soft";
import { type Problem } from "../result";
import { type Run } from "../solve/run";
import { fittedErrors, residualsOf } from "../solve/scale";
import { compactRun } from "./data/compact";
import { choose, type Choice } from "./explore/choose";
import { explore, FEW_RUNS } from "./explore/explore";
import type { Plan } from "./explore/plan";
import { FIT_FORMAT, FIT_VERSION, type FitFile, type SettingFit } from "./file/file";
import { openFit } from "./file/open";
import { conclude, type Concluded } from "./intervals/conclude";
import type { FitOptions } from "./options";
import { columnsOf, pool, pooledOf } from "./pool";
import { hypothesis, ordering, pairsOf } from "./settings/settings";
import type { OwnWords } from "./settings/pooling";

/** What the phases before found. */
interface Parts {
  readonly plan: Plan;
  readonly planOf: (setting: string) => Plan;
  readonly options: Pick<FitOptions, "loss" | "provenance">;
  readonly concluded: readonly Concluded[];
  readonly without: readonly SettingFit[];
  readonly words: OwnWords | null;
  readonly selection: Choice["selection"];
  readonly synthesis: FitFile["synthesis"];
  /** Every run that was prepared, and those with real data to measure by. */
  readonly runs: readonly Run[];
  readonly onReal: readonly Run[];
  /** Draws. */
  readonly count: number;
  readonly several: boolean;
}

/** Phase 4: exponents over the settings, their order, and the fit as it is kept. */
export function assemble(
  { plan, planOf, options, concluded, without, words, selection, synthesis, runs, onReal, count, several }: Parts,
  warnings: Problem[],
): FitFile {
  const { response, seed } = plan;
  const usable = new Set(onReal.map((run) => run.row.id));
  const reference = concluded[0];
  if (!reference.explored.posterior && reference.explored.runs.length < FEW_RUNS)
    warnings.push({
      code: "table.few-runs",
      message: `${reference.explored.runs.length} runs are few: resampling them understates what is unknown.`,
    });
  if (reference.explored.posterior && reference.explored.runs.length < FEW_RUNS)
    warnings.push({
      code: "table.few-runs",
      message: `${reference.explored.runs.length} runs are few: intervals are posterior samples under the published priors, and each exponent shows how much of it is data.`,
    });

  const pooled = words && concluded.length > 1 ? pooledOf(words, seed) : pool(concluded, plan, seed);
  if (several && pooled.summary.length > 0)
    warnings.push({
      code: "settings.several",
      message: `Exponents are random-effects means over ${concluded.length} settings; parameters, floor and predictions are those of the setting "${reference.explored.setting}" unless another is asked for.`,
    });
  const exponents = { ...reference.exponents, ...pooled.exponents };
  const columns = pooled.columns.size > 0 ? pooled.columns : columnsOf(reference);
  const order = hypothesis(
    [...columns.keys()].filter((axis) => axis !== "parameters" || columns.size <= 2),
    (axis) => exponents[axis]?.estimate ?? 0,
  );
  const { base } = reference.candidate;
  const { draws, ranges, theta, scaleTop, weight, rivals, discrepancy, misfit, custom } = reference.fitted;
  const heldOut = new Set(
    concluded.flatMap(({ explored: one }) => one.runs.filter((_, i) => one.heldOut[i]).map((run) => run.row.id)),
  );
  const { loss } = reference.explored;

  const file: FitFile = {
    format: FIT_FORMAT,
    version: FIT_VERSION,
    law: base.law,
    link: loss.link,
    rows: onReal.length,
    settings: [...concluded.map((one, i) => settingFit(one, i === 0)), ...without],
    parameters: reference.parameters,
    exponents,
    floor: reference.floor,
    objective: reference.objective,
    starts: { count: reference.candidate.fit.count, withinOnePercent: reference.candidate.fit.withinOnePercent },
    selection,
    ordering: ordering(order, columns),
    synthesis,
    warnings,
    provenance: options.provenance ?? {},
    dispersion: phi(reference),
    draws,
    variant: base.variant,
    loss: {
      name: options.loss ?? loss.name,
      ...(loss.name === "huber" ? { huberDelta: loss.delta } : {}),
      ...(reference.explored.rho === undefined ? {} : { rho: reference.explored.rho }),
    },
    noise: noiseOf(reference),
    seed,
    response,
    axes: base.axes,
    scaleTop,
    theta,
    ranges,
    refused: reference.refused,
    priorOnly: reference.priorOnly,
    ...(weight === undefined ? {} : { weight }),
    rivals,
    ...(discrepancy ? { discrepancy } : {}),
    ...(misfit === undefined ? {} : { misfit }),
    ...(custom ? { custom } : {}),
    reference: reference.explored.setting,
    summary: pooled.summary,
    pairs: pairsOf(order, columns),
    worldsAndStructures: split(reference, planOf(reference.explored.setting), count),
    simulated: runs.some((run) => run.row.simulated === true),
    runs: runs.filter((run) => usable.has(run.row.id)).map((run) => compactRun(run, plan.axes, response, heldOut)),
  };
  return pooled.columns.size > 0 ? file : byElasticity(file, order);
}

/** The order of the axes by what a little more of each gains at the middle of the runs, over the draws of every law. */
function byElasticity(file: FitFile, order: readonly AxisName[]): FitFile {
  const opened = file.response === "success" ? openFit(file) : null;
  if (!opened?.ok || order.length < 2 || order.some((axis) => !opened.value.axes.includes(axis))) return file;
  const { axes, draws } = opened.value;
  const x = axes.map((axis) => file.ranges[axis].centre);
  const gains = draws.map((draw) => draw.gradient(x));
  const columns = new Map(order.map((axis) => [axis, gains.map((one) => -one[axes.indexOf(axis)])] as const));
  return {
    ...file,
    ordering: { ...ordering(order, columns), at: Object.fromEntries(axes.map((axis, i) => [axis, x[i]])) },
    pairs: pairsOf(order, columns),
  };
}

function settingFit(one: Concluded, isReference: boolean): SettingFit {
  return {
    setting: one.explored.setting,
    rows: one.explored.runs.length,
    exponents: one.exponents,
    floor: one.floor,
    dispersion: phi(one),
    ...(isReference ? {} : { model: one.fitted }),
  };
}

/** φ for counts; other losses estimate their noise themselves, and φ is 1. */
function phi({ explored }: Concluded): number {
  return explored.loss.name === "binomial" ? explored.phi : 1;
}

function noiseOf({ explored: { loss, seen, plan }, candidate: { model }, theta }: Concluded): number {
  const residuals =
    plan.response === "success" && loss.link === "identity"
      ? fittedErrors(model, theta, seen).map((e, i) => softError(e) - seen.y[i])
      : residualsOf(loss, model, theta, seen);
  return Math.sqrt(residuals.reduce((sum, r) => sum + r * r, 0) / Math.max(1, seen.m - model.parameters.length));
}

/** The chosen law again with worlds and structures in place of environments, where most runs state both. */
function split(reference: Concluded, plan: Plan, count: number): FitFile["worldsAndStructures"] {
  const { runs, setting } = reference.explored;
  const stated = runs.filter(({ row }) => (row.axes["worlds"] ?? 0) > 0 && (row.axes["structures"] ?? 0) > 0);
  if (!plan.axes.includes("environments") || stated.length < Math.max(2, runs.length / 2)) return null;
  const axes = plan.axes.flatMap((axis) => (axis === "environments" ? ["worlds", "structures"] : [axis]));
  const explored = explore(
    setting,
    stated,
    { ...plan, axes, law: plan.law === "custom" ? "auto" : reference.candidate.base.law, starts: 20 },
    () => true,
  );
  if (!explored.ok) return null;
  const candidate = choose([explored.value]).candidates[0];
  const one = conclude(explored.value, candidate, Math.min(count, 500), () => true)!;
  const columns = columnsOf(one);
  return {
    exponents: one.exponents,
    ordering: ordering(
      hypothesis(
        [...columns.keys()].filter((axis) => axis !== "parameters"),
        () => 0,
      ),
      columns,
    ),
  };
}
