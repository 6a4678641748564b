import { isRecord } from "../core/fit";
import type { RunSampling, RunTable, RunTiming } from "../core/table";
import { timedRuns, type TimedRun } from "./timedRuns";
import type { FitState } from "./types";

/** Of so many runs a saved fit keeps the times, evenly spread: pace and its spread need no more. */
const MOST = 200;

const COUNTS = [
  "secondsPerEvaluation",
  "promptTokens",
  "responseTokens",
  "promptsPerStep",
  "groupSize",
  "gpus",
] as const;
const SHARES = ["generationBatches", "withoutSignal", "passRate", "groupSize"] as const;
const PHASES = ["generation", "passes", "update"] as const;

/** The times of a table's runs, as a saved fit keeps them: without their files, so that none is ever taken for a config's own. */
export function timesToKeep(table: RunTable): { readonly timed?: readonly TimedRun[] } {
  const all = timedRuns(table);
  const every = Math.max(1, Math.ceil(all.length / MOST));
  const timed = all.filter((_, index) => index % every === 0).flatMap((run) => sound({ ...run }));
  return timed.length > 0 ? { timed } : {};
}

/** The timed runs behind a fit: those of its logs, or those that a saved one keeps. */
export function timedOf(fit: FitState): readonly TimedRun[] {
  if (fit.kind !== "ready") return (fit.kind === "pending" ? undefined : fit.timed) ?? [];
  const { timed } = fit.fit.file.provenance;
  return fit.fit.timed ?? (Array.isArray(timed) ? timed.slice(0, MOST).flatMap(sound) : []);
}

/** A run of a file that may come from anywhere: what is no amount is left out, and a run without a pace altogether. */
function sound(run: unknown): TimedRun[] {
  if (!isRecord(run) || typeof run["id"] !== "string") return [];
  const told = run["timing"];
  const timing = isRecord(told) && isRecord(told["phases"]) ? timingOf(told, told["phases"]) : undefined;
  const sampling = isRecord(run["sampling"]) ? (amounts(run["sampling"], SHARES) as RunSampling) : undefined;
  if (!timing && !sampling) return [];
  const parameters = isPositive(run["parameters"]) ? run["parameters"] : null;
  return [{ id: run["id"], files: [], parameters, ...(timing && { timing }), ...(sampling && { sampling }) }];
}

function timingOf(told: Readonly<Record<string, unknown>>, phases: Readonly<Record<string, unknown>>) {
  const { steps, secondsPerStep, variation, framework } = told;
  if (!isPositive(steps) || !isPositive(secondsPerStep)) return undefined;
  return {
    steps,
    secondsPerStep,
    phases: amounts(phases, PHASES),
    ...amounts(told, COUNTS),
    ...(typeof variation === "number" && variation >= 0 && Number.isFinite(variation) && { variation }),
    ...(typeof framework === "string" && { framework }),
  } satisfies RunTiming;
}

function amounts<Key extends string>(from: Readonly<Record<string, unknown>>, keys: readonly Key[]) {
  return Object.fromEntries(
    keys.flatMap((key) => (isPositive(from[key]) || from[key] === 0 ? [[key, from[key]]] : [])),
  ) as Partial<Record<Key, number>>;
}

function isPositive(value: unknown): value is number {
  return typeof value === "number" && value > 0 && Number.isFinite(value);
}
