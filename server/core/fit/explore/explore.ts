import type { AxisName } from "../../axes";
import { controlled } from "../../laws/forms/controlled";
import { customModel, type CustomLaw } from "../../laws/forms/custom";
import { checkCustom, checkCustomFit } from "../../laws/forms/customCheck";
import { LAWS, lawFamily } from "../../laws/list";
import type { LawContext, Model } from "../../laws/model";
import { ok, refused, type Problem, type Result } from "../../result";
import { manyStarts, observe, rangesOf, type ManyStarts } from "../../solve/manyStarts";
import type { LossName } from "../file/file";
import type { AxisRange } from "../../axes";
import { identify, type Identified } from "../data/identify";
import { solver } from "../../solve/levenberg";
import { betaBinomial, binomial, gaussian, huber, type Loss, type Observed } from "../../solve/likelihood";
import { posteriorMode, type Mode, type PosteriorProblem } from "../intervals/posterior";
import type { Run } from "../data/prepare";
import { coordinates, observedScale, PUBLISHED_EXPONENTS, RUN_NOISE, type ExponentPriors } from "../../solve/priors";
import { effectiveTrials, fittedErrors, intraclass, residualsOf, scaleOf } from "../../solve/scale";
import { median } from "../../numerics/special";

/** What a fit of one setting needs to know besides its runs. */
export interface Plan {
  readonly response: "success" | "loss";
  readonly axes: readonly AxisName[];
  readonly law: string;
  readonly custom?: CustomLaw;
  readonly loss?: LossName;
  readonly huberDelta?: number;
  readonly mode: "auto" | "bootstrap" | "posterior";
  readonly priors?: ExponentPriors;
  readonly seed: number;
  readonly starts: number;
  /** Reward density enters as a factor. */
  readonly control: boolean;
}

export interface Candidate {
  /** The law, in the terms of the fit file. */
  readonly base: Model;
  /** What was fitted: the law, with a control where one enters. */
  readonly model: Model;
  readonly fit: ManyStarts;
  readonly aicc: number | null;
  readonly heldOutRmse: number | null;
  /** Why one of these is not there. */
  readonly missing?: { readonly aicc?: string; readonly heldOut?: string };
  /** Laplace log evidence under the priors; posterior fits only. */
  readonly mode: Mode | null;
}

/** One setting with every candidate law fitted, before one is chosen. */
export interface Explored {
  readonly setting: string;
  readonly runs: readonly Run[];
  readonly identified: Identified;
  /** Of every axis, refused ones too. */
  readonly ranges: Readonly<Record<string, AxisRange>>;
  readonly context: LawContext;
  /** For counts, with the trials that each run is worth beside run-to-run noise; `raw` has them as they are. */
  readonly seen: Observed;
  readonly raw: Observed;
  readonly loss: Loss;
  readonly rho?: number;
  readonly posterior: boolean;
  readonly candidates: readonly Candidate[];
  /** φ of plain counts about the closest law, as it is shown. */
  readonly phi: number;
  /** The scale that is left in `seen`, and its degrees of freedom: what intervals and selection use. */
  readonly dispersion: number;
  readonly freedom: number;
  readonly heldOut: readonly boolean[];
  /** Positions of the runs that share every level. */
  readonly configurations: readonly (readonly number[])[];
  readonly warnings: readonly Problem[];
  /** The plan, with priors for axes that stand for others. */
  readonly plan: Plan;
}

/** Below this many runs, draws are posterior samples (model.md section 3). */
export const FEW_RUNS = 30;
const FEW_CONFIGURATIONS = 12;

/**
 * Codes: `table.one-run`, `table.too-few-runs`, `axes.one-level`, `law.unknown`, `law.not-applicable`, `loss.needs-counts`,
 * those of a custom law, and `fit.cancelled`.
 */
export function explore(
  setting: string,
  runs: readonly Run[],
  wanted: Plan,
  progress: () => boolean,
): Result<Explored> {
  const m = runs.length;
  const warnings: Problem[] = [];
  if (m < 2)
    return refused(
      "table.one-run",
      "One run cannot show how success scales. Calibrate the published law with it instead.",
    );
  const ranges = rangesOf(runs, wanted.axes);
  const identified = identify(runs, wanted.axes);
  const plan: Plan = { ...wanted, priors: priorsFor(identified, wanted.priors) };
  if (identified.axes.length === 0)
    return refused(
      "axes.one-level",
      `No axis varies between the runs. ${identified.refused.map((one) => one.reason).join(" ")}`,
    );
  const raw = observe(runs, identified.axes, ranges);
  let seen = raw;
  const context: LawContext = {
    response: plan.response,
    top: plan.response === "loss" ? Math.max(...seen.y) : 1,
    ranges,
  };
  const bases = membersOf(plan, identified.axes, context, raw, runs, warnings);
  if (!bases.ok) return bases;
  const configurations = configurationsOf(runs, identified.axes);
  // Replicates of a handful of configurations cannot be resampled by configuration either.
  // The published priors are about success rates; a loss table is fitted by its own light.
  const posterior =
    plan.mode === "posterior" ||
    (plan.mode === "auto" &&
      plan.response === "success" &&
      (m < FEW_RUNS || configurations.length < FEW_CONFIGURATIONS));
  const all = bases.value.map((base) => ({
    base,
    model: plan.control ? controlled(base, Float64Array.from(controlLevels(runs))) : base,
  }));
  const needed = ({ model }: { readonly model: Model }): number => {
    const free = model.parameters.length + 2;
    if (!posterior) return free;
    return plan.law !== "auto" || ["multiplicative", "single-axis"].includes(model.law)
      ? 2
      : model.projection !== null
        ? Math.min(free, 4)
        : free;
  };
  const models = all.filter((one) => m >= needed(one));
  if (models.length === 0)
    return refused(
      "table.too-few-runs",
      `${m} runs are too few for ${plan.law === "auto" ? "any law over" : `the ${plan.law} law over`} ${identified.axes.join(", ")}: it takes ${Math.min(...all.map(needed))}.`,
    );
  const short = new Map<string, number>();
  for (const one of all)
    if (!models.includes(one)) short.set(one.base.law, Math.min(short.get(one.base.law) ?? Infinity, needed(one)));
  for (const law of models) short.delete(law.base.law);
  if (short.size > 0)
    warnings.push({
      code: "selection.left-out",
      message: `${m} runs are too few to fit ${[...short].map(([law, runsNeeded]) => `the ${law} law (needs ${runsNeeded})`).join(", ")}.`,
    });

  const counted = runs.every((run) => run.n > 0);
  const chosen = lossFor(plan, counted, warnings);
  if (!chosen.ok) return chosen;
  let loss = chosen.value,
    rho: number | undefined;
  // Very many rows: a sample finds the basin, all rows refine it.
  const fitOne = (model: Model): ManyStarts => manyStarts(model, seen, loss, plan.starts, plan.seed);
  if (loss.name === "huber" && plan.huberDelta === undefined) {
    const model = models[0].model,
      first = manyStarts(model, seen, huber(1e-3, loss.link), Math.min(plan.starts, 20), plan.seed);
    const noise =
      1.4826 *
      median(residualsOf(loss, model, first.theta, seen).map(Math.abs)) *
      Math.sqrt(m / Math.max(1, m - model.parameters.length));
    loss = huber(Math.max(1.35 * noise, 1e-6), loss.link);
  }
  let fits: { base: Model; model: Model; fit: ManyStarts }[] = [];
  for (const one of models) {
    fits.push({ ...one, fit: fitOne(one.model) });
    if (!progress()) return refused("fit.cancelled", "The fit was cancelled.");
  }
  // The law by which the scatter is judged: of those that leave runs to judge it by, the one that fits closest. (The one
  // with most parameters need not contain the truth, and its misfit would pass for noise.)
  const richest = (): (typeof fits)[number] => {
    const left = ({ model }: { model: Model }): number => m - model.parameters.length;
    const most = Math.max(...fits.map(left));
    return fits
      .filter((one) => left(one) >= Math.min(most, Math.max(2, m / 5)))
      .reduce((a, b) => (b.fit.objective < a.fit.objective ? b : a));
  };
  if (plan.loss === "beta-binomial") {
    const rich = richest();
    rho = intraclass(rich.model, rich.fit.theta, seen);
    loss = betaBinomial(rho);
    fits = fits.map((one) => ({
      ...one,
      fit: { ...one.fit, ...solver(one.model, seen).solve(one.fit.theta, new Float64Array(m).fill(1), loss) },
    }));
  }
  const ones = new Float64Array(m).fill(1);
  const phi = loss.name === "binomial" ? scaleOf(loss, richest().model, richest().fit.theta, raw) : 1;
  if (loss.name === "binomial") {
    const { model, fit } = richest();
    seen = { ...raw, n: effectiveTrials(model, fit.theta, raw) };
    if (seen.n !== raw.n) fits = fits.map((one) => ({ ...one, fit: refined(one.model, one.fit, seen, loss, ones) }));
  }
  const rich = richest();
  const dispersion = scaleOf(loss, rich.model, rich.fit.theta, seen);
  const freedom = Math.max(1, m - rich.model.parameters.length);

  const written = fits.find(({ base }) => base.law === "custom");
  if (written) {
    const sound = checkCustomFit(
      fittedErrors(written.base, written.fit.theta, seen),
      plan.response,
      runs.map(({ row }) => row.id),
    );
    if (!sound.ok && plan.law === "custom") return sound;
    if (!sound.ok) {
      warnings.push(sound.problem);
      fits = fits.filter((one) => one !== written);
    }
  }
  const heldOut = largest(seen, identified.axes.length);
  const candidates = fits.map(({ base, model, fit }): Candidate => ({
    base,
    model,
    fit,
    aicc: aicc(loss, fit.objective, model, m, dispersion),
    heldOutRmse: plan.control ? null : heldOutRmse(base, seen, loss, heldOut, fit, plan.seed),
    missing: missing(model, loss, m, plan.control),
    mode: posterior
      ? posteriorMode(
          problemOf(model, seen, runs, plan, context),
          m >= model.parameters.length ? [startOf(model, fit.theta, seen, plan, context)] : [],
        )
      : null,
  }));
  for (const one of identified.refused) warnings.push({ code: `axis.${one.code}`, message: one.reason });
  return ok({
    setting,
    runs,
    identified,
    ranges,
    context,
    seen,
    raw,
    loss,
    ...(rho === undefined ? {} : { rho }),
    posterior,
    candidates,
    phi,
    dispersion,
    freedom,
    heldOut,
    configurations,
    plan,
    warnings: [...identified.warnings, ...warnings],
  });
}

/** What the runs are too few for, in a few words. */
function missing(model: Model, loss: Loss, m: number, control: boolean): Candidate["missing"] {
  const needs = (runs: number): string => `needs ${runs} runs, has ${m}`;
  const forAicc = parametersOf(loss, model) + 2;
  let forHeldOut = model.parameters.length + 3;
  while (forHeldOut - heldOutOf(forHeldOut) < model.parameters.length + 2) forHeldOut++;
  return {
    ...(m < forAicc ? { aicc: needs(forAicc) } : {}),
    ...(control
      ? { heldOut: "none, since reward density enters" }
      : m < forHeldOut
        ? { heldOut: needs(forHeldOut) }
        : {}),
  };
}

/** The best optimum and its neighbours again, under other weights. */
function refined(model: Model, fit: ManyStarts, seen: Observed, loss: Loss, ones: Float64Array): ManyStarts {
  const solve = solver(model, seen);
  const [best, ...others] = [fit.theta, ...fit.alternatives]
    .map((theta) => solve.solve(theta, ones, loss, { tolerance: 1e-12, maxIterations: 400 }))
    .sort((a, b) => a.objective - b.objective);
  return { ...fit, ...best, alternatives: others.map((one) => one.theta) };
}

export function controlLevels(runs: readonly Run[]): number[] {
  const logs = runs.map((run) => Math.log(run.row.rewardDensity!));
  const centre = logs.reduce((sum, v) => sum + v, 0) / logs.length;
  return logs.map((v) => v - centre);
}

function membersOf(
  plan: Plan,
  axes: readonly AxisName[],
  context: LawContext,
  { u, m }: Observed,
  runs: readonly Run[],
  warnings: Problem[],
): Result<Model[]> {
  const written = (): Result<Model> => {
    const custom = customModel(plan.custom, axes, context);
    const sound = custom.ok
      ? checkCustom(
          custom.value,
          u,
          m,
          runs.map(({ row }) => row.id),
        )
      : custom;
    return sound.ok ? custom : sound;
  };
  if (plan.law === "custom") {
    const custom = written();
    return custom.ok ? ok([custom.value]) : custom;
  }
  if (plan.law === "auto") {
    const all = LAWS.flatMap((family) => (family.byNameOnly ? [] : family.members(axes, context)));
    const custom = plan.custom ? written() : null;
    // Beside other laws a written one that cannot be used is left out, not silently.
    if (custom && !custom.ok) warnings.push(custom.problem);
    return ok(custom?.ok ? [...all, custom.value] : all);
  }
  const family = lawFamily(plan.law);
  if (!family)
    return refused(
      "law.unknown",
      `No law is known as "${plan.law}"; known are ${LAWS.map((one) => one.name).join(", ")} and custom.`,
    );
  const members = family.members(axes, context);
  if (members.length > 0) return ok(members);
  // With one axis left, additive and multiplicative laws are the single-axis law.
  const single = axes.length === 1 ? lawFamily("single-axis")!.members(axes, context) : [];
  return single.length > 0 && ["additive", "multiplicative", "interaction", "nested"].includes(plan.law)
    ? ok(single)
    : refused("law.not-applicable", `The ${plan.law} law does not apply to the axes ${axes.join(", ")}.`);
}

function lossFor(plan: Plan, counted: boolean, warnings: Problem[]): Result<Loss> {
  const link = plan.response === "loss" ? "log" : "identity";
  const name = plan.loss ?? (plan.response === "loss" ? "huber" : counted ? "binomial" : "gaussian");
  if (name === "binomial" || name === "beta-binomial") {
    if (plan.response === "loss" || !counted)
      return refused("loss.needs-counts", `The ${name} likelihood needs successes and trials for every run.`);
    return ok(binomial);
  }
  if (plan.response === "success" && !counted)
    warnings.push({
      code: "trials.unknown",
      message:
        "Some runs do not say on how many tasks they were evaluated: noise is estimated from the scatter of the runs alone.",
    });
  if (name === "gaussian") return ok(gaussian(link));
  return ok(huber(plan.huberDelta ?? 1e-2, link));
}

/** The fifth of the runs with the largest scale: the sum over axes of the position within the axis's range. */
export function largest(seen: Observed, axes: number): boolean[] {
  const { m, u } = seen;
  const score = new Float64Array(m);
  for (let a = 0; a < axes; a++) {
    const column = u.subarray(a * m, (a + 1) * m);
    const low = Math.min(...column),
      high = Math.max(...column);
    for (let i = 0; i < m; i++) score[i] += (column[i] - low) / (high - low || 1);
  }
  const order = Array.from(score.keys()).sort((a, b) => score[b] - score[a] || a - b);
  const out = new Array<boolean>(m).fill(false);
  for (const i of order.slice(0, heldOutOf(m))) out[i] = true;
  return out;
}

function heldOutOf(runs: number): number {
  return Math.max(1, Math.round(runs / 5));
}

function heldOutRmse(
  model: Model,
  seen: Observed,
  loss: Loss,
  heldOut: readonly boolean[],
  fit: ManyStarts,
  seed: number,
): number | null {
  const train = heldOut.filter((out) => !out).length;
  if (train < model.parameters.length + 2) return null;
  const weight = Float64Array.from(heldOut, (out) => (out ? 0 : 1));
  const solve = solver(model, seen);
  // The starts must not know the held-out runs, or flat directions would remember them.
  const starts =
    model.projection && seen.m <= 2000
      ? manyStarts(model, subset(seen, model.axes.length, heldOut), loss, 12, seed).theta
      : fit.theta;
  const { theta } = solve.solve(starts, weight, loss, { tolerance: 1e-9 });
  const residuals = residualsOf(loss, model, theta, seen);
  let sum = 0,
    count = 0;
  for (let i = 0; i < seen.m; i++) {
    if (!heldOut[i]) continue;
    sum += residuals[i] ** 2;
    count++;
  }
  return Math.sqrt(sum / count);
}

function subset(seen: Observed, axes: number, drop: readonly boolean[]): Observed {
  const keep = drop.flatMap((out, i) => (out ? [] : [i]));
  const m = keep.length,
    u = new Float64Array(axes * m);
  for (let a = 0; a < axes; a++) keep.forEach((i, j) => (u[a * m + j] = seen.u[a * seen.m + i]));
  return { m, u, y: Float64Array.from(keep, (i) => seen.y[i]), n: Float64Array.from(keep, (i) => seen.n[i]) };
}

/**
 * QAICc: 2·objective/φ + 2K + 2K(K + 1)/(m − K − 1), K the law's parameters and, for counts, φ; plain least squares has the usual m·ln(RSS/m) in place of the first term. Null where too few runs are left.
 */
export function aicc(loss: Loss, objective: number, model: Model, m: number, dispersion: number): number | null {
  const K = parametersOf(loss, model);
  if (m - K - 1 <= 0) return null;
  const fit =
    loss.name === "gaussian" ? m * Math.log(Math.max((2 * objective) / m, 1e-300)) : (2 * objective) / dispersion;
  return fit + 2 * K + (2 * K * (K + 1)) / (m - K - 1);
}

/** What a law is charged for: its parameters and, for counts, φ. */
function parametersOf(loss: Loss, model: Model): number {
  return model.parameters.length + (loss.name === "binomial" ? 1 : 0);
}

/** An axis that stands for several co-scaled ones carries the sum of their exponents, each by how far it moves along their line. */
function priorsFor(identified: Identified, own: ExponentPriors | undefined): ExponentPriors {
  const out: Record<string, { median: number; sd: number }> = {};
  const median = (axis: AxisName): number => own?.[axis]?.median ?? PUBLISHED_EXPONENTS[axis] ?? 0.25;
  for (const { axis, with: others, ray } of identified.refused) {
    if (!others || !ray || !identified.axes.includes(axis)) continue;
    const sum = others.reduce(
      (total, other) =>
        total + (median(other) * (identified.refused.find((one) => one.axis === other)?.ray ?? 0)) / ray,
      median(axis),
    );
    out[axis] = { median: Math.min(Math.max(sum, 0.05), 1), sd: 0.8 };
  }
  return { ...own, ...out };
}

export function problemOf(
  model: Model,
  seen: Observed,
  runs: readonly Run[],
  plan: Plan,
  context: LawContext,
): PosteriorProblem {
  const trials = Float64Array.from(runs, (run) => (plan.response === "success" ? run.n : 0));
  const counted = trials.every((n) => n > 0);
  return {
    model,
    seen,
    response: plan.response,
    trials,
    coordinates: coordinates(model, observedScale(plan.response, seen.y, context.top), plan.priors),
    // Losses have no published noise; rates without trials carry their evaluation noise in it too.
    noise:
      plan.response === "loss"
        ? { mean: Math.log(0.02), sd: 1.5 }
        : counted
          ? RUN_NOISE
          : { mean: Math.log(0.035), sd: 0.8 },
  };
}

function startOf(model: Model, theta: Float64Array, seen: Observed, plan: Plan, context: LawContext): Float64Array {
  return Float64Array.from(
    coordinates(model, observedScale(plan.response, seen.y, context.top), plan.priors),
    (c, i) => {
      const z = c.z(theta[i]);
      return Math.min(Math.max(z, c.mean - 3 * c.sd), c.mean + 3 * c.sd);
    },
  );
}

/** Runs of one configuration stand or fall together in the bootstrap. */
function configurationsOf(runs: readonly Run[], axes: readonly AxisName[]): number[][] {
  const groups = new Map<string, number[]>();
  runs.forEach(({ row }, i) => {
    const key = JSON.stringify([axes.map((axis) => row.axes[axis]), row.synthesis ?? null]);
    const group = groups.get(key);
    if (group) group.push(i);
    else groups.set(key, [i]);
  });
  return [...groups.values()];
}
