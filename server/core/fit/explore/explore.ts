import type { AxisName } from "../../axes";
import { checkCustomFit } from "../../laws/forms/customCheck";
import { controlled } from "../../laws/forms/controlled";
import type { LawContext, Model } from "../../laws/model";
import { median } from "../../numerics/special";
import { ok, refused, type Problem, type Result } from "../../result";
import { solver } from "../../solve/levenberg";
import { betaBinomial, binomial, gaussian, huber, type Loss, type Observed } from "../../solve/likelihood";
import { manyStarts, observe, rangesOf, type ManyStarts } from "../../solve/manyStarts";
import { effectiveTrials, fittedErrors, intraclass, residualsOf, scaleOf } from "../../solve/scale";
import { identify } from "../data/identify";
import type { Run } from "../../solve/run";
import { believe, priorsFor } from "./believe";
import { membersOf } from "./members";
import type { Candidate, Explored, Plan } from "./plan";
import { aicc, heldOutRmse, largest, missing } from "./scores";

/** Below this many runs, draws are posterior samples (model.md section 3). */
export const FEW_RUNS = 30;
const FEW_CONFIGURATIONS = 12;
/** Above this many, refits from the estimate take the place of the posterior. */
export const MANY_ROWS = 2000;

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
  // Success rates are fitted under priors, which many runs outweigh. A loss table has no published priors and is fitted by its own
  // light, as are rates whose likelihood was chosen by hand; beyond thousands of rows refits cost less.
  // Least squares named by hand are how published tables were fitted: they answer without priors once a dozen settings tell.
  const byHand = plan.loss === "gaussian" || plan.loss === "mse" || plan.loss === "huber";
  const few = m < (byHand ? FEW_CONFIGURATIONS : FEW_RUNS) || configurations.length < FEW_CONFIGURATIONS;
  const posterior =
    plan.mode === "posterior" ||
    (plan.mode === "auto" &&
      plan.response === "success" &&
      (few || (m <= MANY_ROWS && !plan.joint && (plan.loss === undefined || plan.loss === "binomial"))));
  const all = bases.value.map((base) => ({
    base,
    model: plan.control ? controlled(base, Float64Array.from(controlLevels(runs))) : base,
  }));
  const needed = ({ model }: { readonly model: Model }): number => {
    const free = model.parameters.length + 2;
    // Under priors every law that is a curve at all can speak: evidence charges for what the runs do not tell.
    return posterior && model.law !== "custom" ? (plan.law === "auto" && model.parameters.length > 4 ? 4 : 2) : free;
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
  const heldOut = largest(seen, identified.axes.length);
  for (const one of identified.refused) warnings.push({ code: `axis.${one.code}`, message: one.reason });
  if (posterior && !plan.joint)
    return believe(
      {
        setting,
        runs,
        identified,
        ranges,
        context,
        seen: raw,
        raw,
        loss: chosen.value,
        posterior,
        heldOut,
        configurations,
        plan,
        warnings: [...identified.warnings, ...warnings],
      },
      models,
      progress,
    );
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
  const candidates = fits.map(({ base, model, fit }): Candidate => ({
    base,
    model,
    fit,
    aicc: aicc(loss, fit.objective, model, m, dispersion),
    heldOutRmse: plan.control ? null : heldOutRmse(base, seen, loss, heldOut, fit, plan.seed),
    missing: missing(model, loss, m, plan.control),
    mode: null,
    parts: null,
    evidence: null,
  }));
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

/** The best optimum and its neighbours again, under other weights. */
function refined(model: Model, fit: ManyStarts, seen: Observed, loss: Loss, ones: Float64Array): ManyStarts {
  const solve = solver(model, seen);
  const [best, ...others] = [fit.theta, ...fit.alternatives]
    .map((theta) => solve.solve(theta, ones, loss, { tolerance: 1e-12, maxIterations: 400 }))
    .sort((a, b) => a.objective - b.objective);
  return { ...fit, ...best, alternatives: others.map((one) => one.theta) };
}

function controlLevels(runs: readonly Run[]): number[] {
  const logs = runs.map((run) => Math.log(run.row.rewardDensity!));
  const centre = logs.reduce((sum, v) => sum + v, 0) / logs.length;
  return logs.map((v) => v - centre);
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
  if (name === "mse") return ok(gaussian("identity"));
  if (name === "gaussian") return ok(gaussian(link));
  return ok(huber(plan.huberDelta ?? 1e-2, link));
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
