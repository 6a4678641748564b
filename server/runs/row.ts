import type { Outcome, RunRow } from "../core/table";
import { AlikeNames } from "./alike";
import type { FinalRule, RunFacts } from "./options";
import { finalValue } from "./final";
import type { RunMetrics } from "./series";
import { mergeRestarts } from "./series";
import { settingOf } from "./setting";
import { STEP_TIME_KEYS, TOKEN_KEYS, TRAJECTORY_TOKEN_KEYS } from "./successKeys";
import type { SuccessChoice } from "./successMetric";
import { plainName } from "./successMetric";
import { defined } from "../records/defined";
import type { StatedState } from "./state";

/** Points of a curve that a table keeps: enough for a convergence check, however long the run. */
const CURVE_POINTS = 400;

export interface RowParts {
  readonly id: string;
  readonly facts: RunFacts;
  readonly metrics: RunMetrics;
  readonly choice: SuccessChoice;
  readonly rule: FinalRule;
  readonly files: readonly string[];
  readonly state: StatedState;
}

export function rowOf({ id, facts, metrics, choice, rule, files, state }: RowParts): RunRow {
  const final = finalValue(choice, rule, facts.evaluationTasks);
  const { steps, values } = choice.series;
  const lastStep = metrics.lastStep ?? steps[steps.length - 1];
  return {
    id,
    axes: facts.axes ?? {},
    outcome: final.outcome as Outcome,
    setting: facts.setting ?? settingOf(facts.model, facts.algorithm, facts.domain),
    ...defined({
      model: facts.model,
      algorithm: facts.algorithm,
      domain: facts.domain,
      seed: facts.seed,
      synthesis: facts.synthesis,
      rewardDensity: facts.rewardDensity,
      rewardScheme: facts.rewardScheme,
      tokens: tokensOf(metrics),
      tokensPerTrajectory: facts.tokensPerTrajectory ?? trajectoryTokensOf(metrics),
      steps: lastStep > 0 ? lastStep : undefined,
      gpuHours: gpuHoursOf(metrics, facts.gpus),
      simulated: facts.simulated,
    }),
    curve: thinned(steps, values),
    state: state.state,
    stateReason: state.reason,
    ...defined({ plannedSteps: facts.plannedSteps ?? metrics.plannedSteps }),
    finalRule: final.rule,
    files,
  };
}

function seriesNamed(metrics: RunMetrics, name: string) {
  const direct = metrics.series.get(name);
  if (direct) return mergeRestarts(direct);
  for (const [key, series] of metrics.series) if (plainName(key) === name) return mergeRestarts(series);
  const alike = metrics.series.get(new AlikeNames(metrics.series.keys()).of(name) ?? "");
  return alike && mergeRestarts(alike);
}

function tokensOf(metrics: RunMetrics): number | undefined {
  for (const { key, rule } of TOKEN_KEYS) {
    const series = seriesNamed(metrics, key);
    if (!series || series.values.length === 0) continue;
    const total =
      rule === "sum" ? series.values.reduce((sum, value) => sum + value, 0) : series.values[series.values.length - 1];
    if (total > 0) return total;
  }
  return undefined;
}

function trajectoryTokensOf(metrics: RunMetrics): number | undefined {
  for (const keys of TRAJECTORY_TOKEN_KEYS) {
    const all = keys.map((key) => seriesNamed(metrics, key));
    if (!all.every((series) => series !== undefined && series.values.length > 0)) continue;
    const total = all.reduce(
      (sum, series) => sum + (series ? series.values.reduce((a, b) => a + b, 0) / series.values.length : 0),
      0,
    );
    if (total > 0) return total;
  }
  return undefined;
}

/** Measured step time × GPUs; unknown where the log states no times or the config no GPUs. */
function gpuHoursOf(metrics: RunMetrics, gpus: number | undefined): number | undefined {
  if (gpus === undefined) return undefined;
  for (const key of STEP_TIME_KEYS) {
    const series = seriesNamed(metrics, key);
    const seconds = series?.values.reduce((sum, value) => sum + value, 0) ?? 0;
    if (seconds > 0) return (seconds * gpus) / 3600;
  }
  return undefined;
}

/** Evenly spaced points of a long curve, its last ones always among them. */
function thinned(steps: readonly number[], values: readonly number[]): { step: number; rate: number }[] {
  const every = Math.ceil(steps.length / CURVE_POINTS);
  const points: { step: number; rate: number }[] = [];
  for (let i = 0; i < steps.length; i++) {
    if (i % every === 0 || i >= steps.length - 10) points.push({ step: steps[i], rate: values[i] });
  }
  return points;
}
