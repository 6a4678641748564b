import * as z from "zod";
import { lawFor } from "../assessment/law";
import type { FitState } from "../assessment/types";
import { predict, type FitFile } from "../core/fit";
import type { LawPrior } from "../core/forecast/outlook";
import { plannedAxes } from "../core/forecast/included";
import { forecastRuns, type RunForecast } from "../core/forecast/runs";
import type { RunRow, RunTable, UnmeasuredRun } from "../core/table";
import { fitChoice, scaling, sourcesOrLogs as sources } from "./fields";
import type { Operation } from "./operation";
import { runs } from "./runs";

const input = z.strictObject({
  sources,
  scaling,
  target: z.number().gt(0).lt(1).optional().describe("a success rate in 0–1: how likely each run reaches it"),
  ...fitChoice,
});

export interface Forecasts {
  readonly runs: readonly RunForecast[];
  readonly table: RunTable;
}

export const forecast: Operation<z.infer<typeof input>, Forecasts> = {
  name: "forecast",
  summary: "where running trainings will end, with a 95 % interval, and whether going on is worth it",
  input,
  writes: false,
  async run(engine, { sources: names, scaling: named, target, ...choice }, signal) {
    const table = await runs.run(engine, { sources: names, scaling: named }, signal);
    const at = engine.uri(names[0] ?? named ?? "scaling.yaml");
    const about = await engine.host.stat(at);
    const where = await engine.scalingFor(about?.kind === "directory" ? `${at.replace(/\/$/, "")}/` : at);
    const file = where.scaling?.file;
    const hasFit = choice.fit !== undefined || file?.fit != null || (file?.logs.length ?? 0) > 0;
    const fit = hasFit ? await engine.fitFor(where.folderUri, where.scaling, choice, signal) : null;
    const price = file?.hardware.price?.value;
    return {
      runs: forecastRuns(table, {
        law: lawPrior(fit),
        ...(target !== undefined && { target }),
        ...(price !== undefined && { usdPerGpuHour: price }),
      }),
      table,
    };
  },
  json: ({ runs: found }) => ({ runs: found.map(forecastJson) }),
};

/** Beyond this factor outside a fit's runs its prediction is no prior. */
const FARTHEST = 3;
/** Noise from run to run beside that of the evaluation, in rates: two seeds of one config differ by about so much. */
const RUN_NOISE = 0.02;
/** Width of a normal 95 % interval in standard deviations. */
const WIDTH = 3.92;

/** What a fit says of a run's levels, for forecasts; undefined where it says nothing of this setting or so far out. */
export function lawPrior(fit: FitState | null): (row: RunRow | UnmeasuredRun) => LawPrior | undefined {
  if (fit?.kind !== "ready") return () => undefined;
  const { fit: loaded } = fit;
  return (row) => {
    const { law, own } = lawFor(loaded, row.setting);
    if (!own) return undefined;
    const axes = plannedAxes(row);
    const levels: Record<string, number> = {};
    for (const axis of law.axes) {
      const level = axes[axis];
      if (level === undefined) return undefined;
      levels[axis] = level;
    }
    const said = predict(law, levels);
    const rate = said.successRate;
    if (!rate || said.outOfRange || Object.values(said.extrapolation).some((factor) => factor > FARTHEST))
      return undefined;
    const sd = Math.max(0.01, (rate.high - rate.low) / WIDTH);
    return { success: rate.estimate, sd, runSd: Math.hypot(sd, noiseOfRun(loaded.file, rate.estimate)) };
  };
}

/** How one run's measured success strays from its expectation: sampling of its evaluation, widened by the fit's dispersion. */
function noiseOfRun({ dispersion, runs: fitted }: FitFile, success: number): number {
  const trials = fitted.flatMap((run) => (run.trials !== undefined && run.trials > 0 ? [run.trials] : []));
  if (trials.length === 0) return RUN_NOISE;
  const usual = trials.sort((a, b) => a - b)[Math.floor(trials.length / 2)];
  const sampling = (success * (1 - success)) / usual;
  // A dispersion above 1 holds the noise of runs already.
  return dispersion > 1 ? Math.sqrt(dispersion * sampling) : Math.hypot(RUN_NOISE, Math.sqrt(sampling));
}

/** One run's forecast in JSON. Rates in [0, 1]; what stands after `advice` may grow. */
function forecastJson(found: RunForecast): Record<string, unknown> {
  const { run, state, step, plannedSteps, metric, now, final, pReach, gainLeft, gpuHoursLeft, advice } = found;
  return {
    run,
    state,
    step,
    plannedSteps,
    metric,
    now,
    final,
    pReach,
    gainLeft: gainLeft?.estimate ?? null,
    gpuHoursLeft,
    advice,
    measures: found.measures,
    stateReason: found.stateReason,
    gainLeftInterval: gainLeft,
    gainStep: found.gainStep,
    ownRuns: found.ownRuns,
    gpuHoursLeftInterval: found.gpuHoursLeftInterval,
    simulated: found.simulated,
    usdLeft: found.usdLeft,
    usdLeftInterval: found.usdLeftInterval,
  };
}
