import type { AxisName } from "../axes";
import { lawFamily, LAWS } from "../laws/list";
import { ok, refused, type Problem, type Result } from "../result";
import type { RunTable } from "../table";
import { manyStarts, observe, rangesOf } from "./body";
import { bootstrap } from "./bootstrap";
import { FIT_FORMAT, FIT_VERSION, type CustomLaw, type FitFile, type LossName } from "./file";
import { binomial, gaussian, huber } from "./losses";
import { packDraws } from "./pack";
import { prepare, type Run } from "./prepare";
import { quantile } from "./special";

export type { FitFile } from "./file";
export { openFit, predict, type Prediction } from "./open";

/** How a table is to be fitted. Everything has a default; `custom` is needed where law is "custom". */
export interface FitOptions {
  /** A law's name, or "auto" (the default): all are fitted and one is chosen. */
  readonly law?: string;
  /** Default: binomial where every run states its trials, gaussian where not, huber for losses. */
  readonly loss?: LossName;
  /** Default 1.35 × the noise's standard deviation. */
  readonly huberDelta?: number;
  /** Number of refits (or posterior draws); default 1000. */
  readonly bootstrap?: number;
  readonly seed?: number;
  /** Default: every axis that most runs state. */
  readonly axes?: readonly AxisName[];
  readonly custom?: CustomLaw;
  /** `auto`: posterior below 30 runs. */
  readonly mode?: "auto" | "bootstrap" | "posterior";
  readonly provenance?: Readonly<Record<string, unknown>>;
}

/** Called now and then; return false to cancel. */
export type Progress = (done: number, total: number, label: string) => boolean;

/** Fits scaling laws to a table of runs. Never throws; codes are those of `prepare`, and `fit.cancelled`, `law.unknown`. */
export function fitTable(table: RunTable, options: FitOptions = {}, progress: Progress = () => true): Result<FitFile> {
  const prepared = prepare(table, options.axes);
  if (!prepared.ok) return prepared;
  const { response, runs, axes } = prepared.value;
  const warnings: Problem[] = [...prepared.value.warnings];
  const seed = options.seed ?? 1, count = options.bootstrap ?? 1000;
  const ranges = rangesOf(runs, axes);
  const seen = observe(runs, axes, ranges);
  const scaleTop = response === "loss" ? Math.max(...seen.y) : 1;
  const name = options.law ?? "auto";
  if (name !== "auto" && !lawFamily(name)) return refused("law.unknown", `No law is known as "${name}".`);
  const link = response === "loss" ? "log" : "identity";
  const loss = response === "loss" ? huber(options.huberDelta ?? 1e-2, link) : runs.every((run) => run.n > 0) ? binomial : gaussian(link);
  const candidates = LAWS.filter((law) => name === "auto" || law.name === name)
    .flatMap((law) => law.members(axes, { response, top: scaleTop }));
  const fits = candidates.map((model) => ({ model, fit: manyStarts(model, seen, loss, 50, seed) })).sort((a, b) => a.fit.objective - b.fit.objective);
  const best = fits[0];
  if (!best) return refused("law.not-applicable", `"${name}" does not apply to the axes ${axes.join(", ")}.`);
  const { model, fit } = best;
  const draws = bootstrap(model, seen, loss, runs.map((_, i) => [i]), [fit.theta, ...fit.alternatives], count, seed, (done) => progress(done, count, "Refitting"));
  if (!draws) return refused("fit.cancelled", "The fit was cancelled.");
  const logCentre = model.axes.map((axis) => Math.log(ranges[axis].centre));
  const natural = model.natural(fit.theta, logCentre), drawn = draws.map((draw) => model.natural(draw, logCentre));
  const interval = (p: number) => {
    const values = drawn.map((draw) => draw[p]);
    return { estimate: natural[p], low: quantile(values, 0.025), high: quantile(values, 0.975) };
  };
  const parameters = Object.fromEntries(model.parameters.map((parameter, p) => [parameter.name, {
    ...interval(p), atBound: fit.theta[p] <= parameter.low + 1e-9 || fit.theta[p] >= parameter.high - 1e-9,
  }]));
  const exponents = Object.fromEntries(model.parameters.flatMap((parameter, p) =>
    parameter.role === "exponent" ? [[parameter.axis!, { ...interval(p), status: "fitted" as const }]] : []));
  const floor = model.parameters[0].role === "floor" ? interval(0) : { estimate: null, low: null, high: null, reason: "The law has no floor." };
  return ok({
    format: FIT_FORMAT, version: FIT_VERSION,
    law: model.law, link, rows: runs.length,
    settings: [{ setting: runs[0].setting, rows: runs.length, exponents, floor, dispersion: 1 }],
    parameters, exponents, floor, objective: fit.objective,
    starts: { count: fit.count, withinOnePercent: fit.withinOnePercent },
    selection: fits.map((one) => ({ law: one.model.law, ...(one.model.variant ? { variant: one.model.variant } : {}), parameters: one.model.parameters.length, aicc: null, heldOutRmse: null })),
    ordering: { axes, probability: null }, synthesis: {}, warnings, provenance: options.provenance ?? {}, dispersion: 1,
    draws: packDraws("bootstrap", model.parameters.map((one) => one.name), draws),
    variant: model.variant, loss: { name: loss.name }, seed, response, axes: model.axes, scaleTop, theta: Array.from(fit.theta), ranges,
    refused: [], priorOnly: [], reference: runs[0].setting, summary: [], pairs: [], worldsAndStructures: null,
    simulated: runs.some((run) => run.row.simulated === true),
    runs: runs.map((run) => compact(run, axes, response)),
  });
}

function compact(run: Run, axes: readonly AxisName[], response: "success" | "loss"): FitFile["runs"][number] {
  const { row } = run;
  return {
    id: row.id, axes: Object.fromEntries(axes.map((axis) => [axis, row.axes[axis]!])), setting: run.setting, heldOut: false,
    ...(row.seed === undefined ? {} : { seed: row.seed }),
    ...(row.simulated ? { simulated: true } : {}),
    ...(response === "loss" ? { loss: run.y } : { rate: 1 - run.y, ...(run.n > 0 ? { trials: run.n } : {}) }),
  };
}

/** Reads a `*.fit.json`. Codes: `fit.not-a-fit`, `fit.version`. */
export function readFit(json: unknown): Result<FitFile> {
  const fit = json as Partial<FitFile> | null;
  if (typeof fit !== "object" || fit === null || fit.format !== FIT_FORMAT) return refused("fit.not-a-fit", "This is not a Scaling Lens fit.");
  if (fit.version !== FIT_VERSION) return refused("fit.version", "The fit was written by another version.");
  return ok(fit as FitFile);
}


