import type { AxisName } from "../axes";
import type { CustomLaw } from "../laws/forms/custom";
import type { Model } from "../laws/model";
import { ok, refused, type Problem, type Result } from "../result";
import {
  effectiveRanges,
  isSynthetic,
  joinSynthesis,
  methodsOf,
  onRealData,
  PUBLISHED_RATIOS,
  synthesisOf,
  unpriced,
  type Joined,
} from "./synthetic";
import type { RunTable } from "../table";
import { choose } from "./explore/choose";
import { compactRun } from "./data/compact";
import { conclude, type Concluded } from "./intervals/conclude";
import { expectedGain, UNCONVERGED_GAIN } from "../forecast/convergence";
import { explore, FEW_RUNS, MANY_ROWS } from "./explore/explore";
import { lackOfFit, outliersOf } from "./explore/misfit";
import type { Candidate, Explored, Plan } from "./explore/plan";
import {
  FIT_FORMAT,
  FIT_VERSION,
  type AxisSummary,
  type ExponentEstimate,
  type FitFile,
  type LossName,
  type SettingFit,
} from "./file/file";
import { type SynthesisEstimate } from "../synthesis/drawn";
import { openFit } from "./file/open";
import { identify } from "./data/identify";
import { prepare } from "./data/prepare";
import { type Run } from "../solve/run";
import { EXPONENT_SPREAD, PUBLISHED_EXPONENTS, type ExponentPriors } from "../solve/priors";
import { checkReward } from "./data/reward";
import { softError } from "../laws/soft";
import { fittedErrors, residualsOf } from "../solve/scale";
import {
  effectOf,
  hypothesis,
  ordering,
  pairsOf,
  pooledDraws,
  summarise,
  withoutPrior,
  type Effect,
  type Pooled,
} from "./settings/settings";
import { ownWords, pooledAxis, priorsFromOthers, type OwnWords } from "./settings/pooling";

/** How a table is to be fitted. Everything has a default; `custom` is needed where law is "custom". */
export interface FitOptions {
  /** A law's name, or "auto" (the default): all are fitted and one is chosen. */
  readonly law?: string;
  /** Default: binomial where every run states its trials, gaussian where not, huber for losses. */
  readonly loss?: LossName;
  /** Default 1.35 × the noise's standard deviation. */
  readonly huberDelta?: number;
  /** Number of refits (or posterior draws); default 1000, above 2,000 runs 400. */
  readonly bootstrap?: number;
  readonly seed?: number;
  /** Default: every axis that most runs state. */
  readonly axes?: readonly AxisName[];
  readonly custom?: CustomLaw;
  /** `auto`: posterior below 30 runs (or 12 configurations). */
  readonly mode?: "auto" | "bootstrap" | "posterior";
  /** Priors for exponents in place of the published ones. */
  readonly priors?: ExponentPriors;
  /** Local refinements per law; at least 50 by default. */
  readonly starts?: number;
  /** What happens to runs whose own curve still climbs: `keep` (default) them as they ended, or `drop` them. */
  readonly convergence?: "keep" | "drop";
  /** Kept in the file as it is: files, hashes, command. */
  readonly provenance?: Readonly<Record<string, unknown>>;
}

/** Of fewer runs, the one or two that are held out say little about a law. */
const ENOUGH = 20;

/** Fewer draws give no 95 % interval; more only fill the file. */
const LEAST_DRAWS = 20,
  MOST_DRAWS = 20_000;

/** Called now and then; return false to cancel. `done` of `total` are shares of the whole. */
export type Progress = (done: number, total: number, label: string) => boolean;

/**
 * Fits scaling laws to a table of runs. Never throws. Codes: `table.*`, `outcome.*`, `axes.*`, `law.*`, `loss.*`,
 * `runs.unconverged`, `fit.cancelled`.
 */
export function fitTable(table: RunTable, options: FitOptions = {}, progress: Progress = () => true): Result<FitFile> {
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
  const usable = new Set(onReal.map((run) => run.row.id));
  const settings = bySize(onReal);
  const explored: Explored[] = [],
    without: SettingFit[] = [];
  let first: Problem | null = null;
  for (const [i, setting] of settings.entries()) {
    const one = explore(
      setting,
      ruler(
        onReal.filter((run) => run.setting === setting),
        axes,
      ),
      planOf(setting),
      () => progress(0.3 * (i / settings.length), 1, "Fitting laws"),
    );
    if (one.ok) {
      explored.push(one.value);
      continue;
    }
    if (one.problem.code === "fit.cancelled") return one;
    first ??= one.problem;
    without.push({
      setting,
      rows: runs.filter((run) => run.setting === setting).length,
      exponents: {},
      floor: { estimate: null, low: null, high: null, reason: one.problem.message },
      dispersion: null,
      refused: one.problem,
    });
    warnings.push({
      code: "setting.refused",
      message: `The setting "${setting}" has no fit of its own: ${one.problem.message}`,
    });
  }
  if (explored.length === 0) return { ok: false, problem: first! };
  const several = settings.length > 1;
  let choice = choose(explored);
  // Settings share what they know: the same again under priors from what the others say.
  const words = options.priors ? null : ownWords(explored, choice.candidates);
  if (words && explored.some((one) => one.runs.length < FEW_RUNS)) {
    for (const [i, { setting }] of explored.entries()) {
      const again = explore(
        setting,
        ruler(
          onReal.filter((run) => run.setting === setting),
          axes,
        ),
        { ...planOf(setting), priors: priorsFromOthers(words, i, (axis) => PUBLISHED_EXPONENTS[axis] ?? 0.25) },
        () => progress(0.3, 1, "Sharing between settings"),
      );
      if (again.ok) explored[i] = again.value;
      else if (again.problem.code === "fit.cancelled") return again;
    }
    choice = choose(explored);
  }
  warnings.push(...choice.warnings);
  // Over thousands of runs intervals are narrow and refits slow: fewer do.
  const asked =
      options.bootstrap ?? (explored.some((one) => !one.posterior && one.runs.length > MANY_ROWS) ? 400 : 1000),
    count = Number.isFinite(asked) ? Math.min(Math.max(Math.round(asked), LEAST_DRAWS), MOST_DRAWS) : 1000;
  if (count !== asked)
    warnings.push({ code: "draws.adjusted", message: `${asked} draws were asked for; ${count} are made.` });
  const concluded: Concluded[] = [];
  const synthesis: Record<string, Record<string, SynthesisEstimate>> = {};
  for (const [i, found] of explored.entries()) {
    const all = onReal.filter((run) => run.setting === found.setting);
    const joined = all.some((run) => isSynthetic(run, axes))
      ? joinRuns(found, choice.candidates[i], all, planOf(found.setting), () =>
          progress(0.3, 1, "Pricing synthetic data"),
        )
      : null;
    if (joined === "cancelled") return refused("fit.cancelled", "The fit was cancelled.");
    const one = joined?.explored ?? found,
      candidate = joined?.candidate ?? choice.candidates[i];
    let done = conclude(one, candidate, count, (share) =>
      progress(
        0.3 + (0.65 * (i + share)) / explored.length,
        1,
        one.posterior ? "Sampling the posterior" : refits(share, count),
      ),
    );
    if (!done) return refused("fit.cancelled", "The fit was cancelled.");
    const lack = lackOfFit(
      found,
      choice.candidates[i],
      choice.warnings.some(({ code }) => code === "selection.disagree") && found.runs.length >= ENOUGH,
    );
    done = {
      ...done,
      warnings: [...done.warnings, ...lack.warnings, ...outliersOf(found, choice.candidates[i])],
      fitted: {
        ...done.fitted,
        ...(found.plan.response === "success" ? { discrepancy: lack.discrepancy } : {}),
        ...(lack.probability === null ? {} : { misfit: lack.probability }),
      },
    };
    concluded.push(done);
    if (joined)
      concluded[concluded.length - 1] = { ...done, fitted: { ...done.fitted, ranges: effectiveRanges(joined, done) } };
    const stuck = new Map(done.refused.map(({ axis, reason }) => [axis, reason] as const));
    if (!joined && methodsOf(all, candidate.base.axes).length > 0)
      warnings.push({
        code: "synthesis.assumed",
        message:
          "The discounts of synthetic data could not be fitted with the law: it counts synthetic data as half, up to the published ratio.",
      });
    if (joined)
      merge(
        synthesis,
        Object.fromEntries(Object.entries(synthesisOf(joined, done, warnings)).filter(([axis]) => !stuck.has(axis))),
      );
    merge(
      synthesis,
      unpriced(
        methodsOf(all, axes).filter(({ axis, method }) => !synthesis[axis]?.[method]),
        (axis) => stuck.get(axis) ?? "the runs on real data are too few for a law to measure it by.",
      ),
    );
    for (const problem of [...one.warnings, ...done.warnings])
      warnings.push(
        several ? { code: problem.code, message: `${one.setting || "No setting"}: ${problem.message}` } : problem,
      );
  }
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
    selection: choice.selection,
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
    runs: runs.filter((run) => usable.has(run.row.id)).map((run) => compactRun(run, axes, response, heldOut)),
  };
  return ok(pooled.columns.size > 0 ? file : byElasticity(file, order));
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

/**
 * The chosen law over every run on its real levels, with the discounts fitted beside it. Null where no method works on an axis
 * of the law, or all runs together do not carry it.
 */
function joinRuns(
  found: Explored,
  chosen: Candidate,
  all: readonly Run[],
  plan: Plan,
  progress: () => boolean,
): Joined | "cancelled" | null {
  const wide = explore(
    found.setting,
    all,
    { ...plan, law: chosen.base.law, control: false, starts: 8, joint: true },
    () => true,
  );
  const same = wide.ok
    ? wide.value.candidates.find(({ base }) => base.variant === chosen.base.variant && base.law === chosen.base.law)
    : undefined;
  if (!wide.ok || !same || methodsOf(all, same.base.axes).length === 0) return null;
  const start =
    chosen.base.axes.join() === same.base.axes.join()
      ? recentred(chosen, found, same.base, wide.value)
      : same.fit.theta;
  return joinSynthesis(wide.value, same.base, start, progress) ?? "cancelled";
}

/** Adds what is not there yet; a refusal gives way to a price. */
function merge(
  into: Record<string, Record<string, SynthesisEstimate>>,
  from: Readonly<Record<string, Readonly<Record<string, SynthesisEstimate>>>>,
): void {
  for (const [axis, methods] of Object.entries(from)) {
    for (const [method, value] of Object.entries(methods)) {
      const own = (into[axis] ??= {});
      if (!own[method] || own[method].discount.source === "refused") own[method] = value;
    }
  }
}

/**
 * The runs by which the law is chosen: those without synthetic data where they are enough and vary every axis, else all, with
 * synthetic data counted at half up to the published ratio.
 */
function ruler(runs: readonly Run[], axes: readonly AxisName[]): readonly Run[] {
  if (!runs.some((run) => isSynthetic(run, axes))) return runs;
  const real = runs.filter((run) => !isSynthetic(run, axes));
  if (real.length >= 12 && identify(real, axes).axes.length === identify(runs, axes).axes.length) return real;
  // Where the real amounts never vary, discount and exponent cannot be told apart, and the axis is left to be refused.
  const varied = identify(runs, axes).axes;
  return runs.map((run) => {
    const levels: Record<string, number | undefined> = { ...run.row.axes };
    for (const axis of varied) {
      const share = run.row.synthesis?.[axis];
      if (share && share.synthetic > 0)
        levels[axis] = share.real * (1 + 0.5 * Math.min(share.synthetic / share.real, PUBLISHED_RATIOS[axis] ?? 3));
    }
    return { ...run, row: { ...run.row, axes: levels as Run["row"]["axes"] } };
  });
}

/** θ of the law moved to another centre of the same axes. */
function recentred({ base, fit }: Candidate, from: Explored, to: Model, at: Explored): Float64Array {
  // Through raw units and back: coefficients are logs at the centre, so only they move.
  const natural = base.natural(
    fit.theta,
    base.axes.map((axis) => Math.log(from.ranges[axis].centre)),
  );
  const origin = to.natural(
    fit.theta,
    to.axes.map((axis) => Math.log(at.ranges[axis].centre)),
  );
  return Float64Array.from(fit.theta.subarray(0, to.parameters.length), (value, j) =>
    to.parameters[j].role === "log-coefficient" && natural[j] > 0 && origin[j] > 0
      ? value + Math.log(natural[j] / origin[j])
      : value,
  );
}

/** Names runs whose own curve still climbs; they stay, by what they reached, unless they are to be dropped. */
function settled(
  runs: readonly Run[],
  seed: number,
  convergence: "keep" | "drop",
  warnings: Problem[],
): Result<readonly Run[]> {
  const climbing: string[] = [];
  const kept = runs.filter((run) => {
    const gain = run.row.curve ? expectedGain(run.row.curve, seed) : null;
    if (gain === null || gain <= UNCONVERGED_GAIN) return true;
    climbing.push(`${run.row.id} (+${(100 * gain).toFixed(1)} points)`);
    return false;
  });
  if (climbing.length === 0) return ok(runs);
  const message = `${climbing.length === 1 ? "1 run has" : `${climbing.length} runs have`} not converged: by their own curves they would gain more than 2 points with twice the steps (${climbing.slice(0, 3).join(", ")}${climbing.length > 3 ? ", …" : ""}).`;
  if (convergence === "keep") {
    warnings.push({
      code: "run.unconverged",
      message: `${message} They count as they ended: longer runs may reach more.`,
    });
    return ok(runs);
  }
  if (kept.length < 2) return refused("runs.unconverged", `${message} Too few converged runs are left to fit.`);
  warnings.push({ code: "run.unconverged", message: `${message} They are left out.` });
  return ok(kept);
}

/** Settings by number of runs, most first; the first is the reference. */
function bySize(runs: readonly Run[]): string[] {
  const sizes = new Map<string, number>();
  for (const run of runs) sizes.set(run.setting, (sizes.get(run.setting) ?? 0) + 1);
  return [...sizes].sort((a, b) => b[1] - a[1]).map(([setting]) => setting);
}

/** Draws of every exponent that is not refused. */
function columnsOf(one: Concluded): Map<AxisName, number[]> {
  const { model } = one.candidate;
  return new Map(
    model.parameters.flatMap((parameter, j): [AxisName, number[]][] =>
      parameter.role === "exponent" &&
      parameter.axis !== undefined &&
      !one.refused.some((stuck) => stuck.axis === parameter.axis)
        ? [[parameter.axis, one.draws.map((draw) => draw[j])]]
        : [],
    ),
  );
}

interface PooledSettings {
  readonly summary: AxisSummary[];
  readonly exponents: Record<string, ExponentEstimate>;
  readonly columns: Map<AxisName, ArrayLike<number>>;
}

/** Random-effects summary per axis over the settings that tell its exponent. */
function pool(concluded: readonly Concluded[], plan: Plan, seed: number): PooledSettings {
  const out: PooledSettings = { summary: [], exponents: {}, columns: new Map() };
  if (concluded.length < 2) return out;
  const columns = concluded.map(columnsOf);
  const logarithmic = concluded.some((one) => one.explored.posterior);
  for (const axis of plan.axes) {
    const effects = concluded.flatMap((one, i): Effect[] => {
      const draws = columns[i].get(axis);
      if (!draws) return [];
      if (!logarithmic) return [effectOf(draws, one.exponents[axis].estimate!)];
      // Draws in which the axis has no effect have no logarithm; P(no effect) says how many they are.
      const logs = draws.filter((v) => v > 0).map((v) => Math.log(v));
      if (logs.length < 20) return [];
      const effect = effectOf(logs, logs.reduce((a, b) => a + b, 0) / logs.length);
      if (!one.explored.posterior) return [effect];
      const own = plan.priors?.[axis],
        published = PUBLISHED_EXPONENTS[axis];
      const freed = withoutPrior(effect, {
        value: Math.log(own?.median ?? published ?? 0.25),
        error: own?.sd ?? EXPONENT_SPREAD,
      });
      return freed ? [freed] : [];
    });
    const made = summarise(axis, effects, logarithmic);
    if (!made) continue;
    out.summary.push(made.summary);
    out.exponents[axis] = { ...made.summary.mean, status: "fitted" };
    out.columns.set(axis, drawsOf(made.pooled, seed, axis, logarithmic));
  }
  return out;
}

/** The same by partial pooling, for settings fitted under priors. */
function pooledOf(words: OwnWords, seed: number): PooledSettings {
  const out: PooledSettings = { summary: [], exponents: {}, columns: new Map() };
  for (const [axis, effects] of words) {
    const made = pooledAxis(axis, effects, seed);
    if (!made) continue;
    out.summary.push(made.summary);
    out.exponents[axis] = { ...made.summary.mean, status: "fitted" };
    out.columns.set(axis, made.draws);
  }
  return out;
}

function drawsOf(pooled: Pooled, seed: number, axis: AxisName, logarithmic: boolean): Float64Array {
  const draws = pooledDraws(pooled, 4000, seed, axis);
  return logarithmic ? draws.map(Math.exp) : draws;
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

/** How many refits are done: they are the last 80 % of a conclusion. */
function refits(share: number, count: number): string {
  return `Refitting resampled runs: ${Math.round(Math.max(0, (share - 0.2) / 0.8) * count)} of ${count}`;
}
